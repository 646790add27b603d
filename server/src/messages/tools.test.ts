import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()

const sent = (ids: number[]) =>
  api.pool.many<any>(sql`
    select client_id, channel, to_address, subject, body, also_chat, manual, status, origin from messages
    where id = any(${ids}) order by id`)

const reachable = { mobile: '+1 212-555-0123', email: 'ana@example.com' }

test('a text goes to every client of the case who may get it, the others are named with the reason', async () => {
  const firm = await api.company()
  const client = async (fields: object) => (await firm.ok('POST /v1/clients', clientPayload(fields))).id as number
  const ana = await client(reachable)
  const ben = await client({ ...reachable, first_name: 'Ben', mobile: '+1 212-555-0124' })
  const out = await client({ ...reachable, sms_opted_out: true })
  const mute = await client({})
  const { id } = await firm.ok('POST /v1/cases', casePayload({ case_number: 'A-1', client_ids: [ana, ben, out, mute] }))
  const { status, message_ids, skipped } = await firm.tool('send_sms_to_case', {
    case_id: id,
    message: 'Hello {{first_name}}, about {{case_number}}',
    send_chat_message: true,
  })
  assert.equal(status, 'sms scheduled')
  const about = { channel: 'sms', subject: null, also_chat: true, manual: true, status: 'scheduled', origin: 'mcp' }
  assert.deepEqual(await sent(message_ids), [
    { client_id: ana, to_address: '+12125550123', body: 'Hello Ana, about A-1', ...about },
    { client_id: ben, to_address: '+12125550124', body: 'Hello Ben, about A-1', ...about },
  ])
  assert.deepEqual(skipped, [
    { client_id: out, reason: `client ${out} opted out of text messages` },
    { client_id: mute, reason: `client ${mute} has no mobile number` },
  ])
})

test('an e-mail has a subject of one line', async () => {
  const firm = await api.company()
  const { id: client } = await firm.ok('POST /v1/clients', clientPayload({ ...reachable, meta: { topic: 'a\nb' } }))
  const { id } = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client] }))
  const answer = await firm.tool('send_email_to_case', { case_id: id, subject: 'On {{meta.topic}}', message: 'Hi' })
  assert.equal(answer.status, 'email scheduled')
  const [message] = await sent(answer.message_ids)
  assert.deepEqual([message.subject, message.body, message.also_chat], ['On a b', 'Hi', false])
})

test('nothing is sent when nobody may be written to, or the words are wrong', async () => {
  const firm = await api.company()
  const { id: client } = await firm.ok('POST /v1/clients', clientPayload({ date_of_death: '2020-01-01' }))
  const { id } = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client] }))
  const { id: empty } = await firm.ok('POST /v1/cases', casePayload())
  const nobody = await firm.refusal('send_sms_to_case', { case_id: id, message: 'Hi' })
  assert.deepEqual(
    nobody.details.map(({ message }) => message),
    [`client ${client} is deceased`, `client ${client} has no mobile number`],
  )
  assert.match((await firm.refusal('send_sms_to_case', { case_id: empty, message: 'Hi' })).message, /set_case_clients/)
  const twice = await firm.ok('POST /v1/clients', clientPayload(reachable))
  await firm.tool('set_case_clients', { case_id: id, client_ids: [client, twice.id] })
  const { details } = await firm.refusal('send_sms_to_case', { case_id: id, message: 'Hi {{frist_name}}' })
  assert.equal(details.length, 1, 'what is wrong with the words is said once')
  assert.match(details[0]!.message, /first_name/)
  const { count } = await api.pool.one<{ count: number }>(
    sql`select count(*)::int as count from messages where company_id = ${firm.id}`,
  )
  assert.equal(count, 0)
})
