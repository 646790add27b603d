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

test('the messages of a case are listed in both directions, newest first, with where they stand', async () => {
  const firm = await api.company()
  const { id: client_id } = await firm.ok(
    'POST /v1/clients',
    clientPayload({ ...reachable, first_name: 'Ana', last_name: 'Lee' }),
  )
  const [one, other] = [
    await firm.ok('POST /v1/cases', casePayload({ client_ids: [client_id] })),
    await firm.ok('POST /v1/cases', casePayload({ client_ids: [client_id] })),
  ]
  await firm.tool('send_sms_to_case', { case_id: one.id, message: 'Can you come?' })
  await firm.tool('send_email_to_case', { case_id: one.id, subject: 'Papers', message: 'See you' })
  await firm.tool('send_sms_to_case', { case_id: other.id, message: 'Elsewhere' })
  await api.pool.run(sql`
    insert into messages (company_id, channel, direction, status, client_id, case_id, from_address, to_address, body, origin, created_at)
    values (${firm.id}, 'sms', 'inbound', 'received', ${client_id}, ${one.id}, '+12125550123', '+12125550100', 'Yes', 'contact', '2026-03-02T15:00:00Z')`)
  await api.pool.run(sql`
    update messages set status = 'skipped', error = 'the contact has opted out of e-mail' where company_id = ${firm.id} and channel = 'email'`)
  const { messages, total_records } = await firm.tool('list_messages', { case_id: one.id })
  assert.equal(total_records, 3)
  const about = { client_id, client_name: 'Ana Lee', case_id: one.id, campaign_id: null }
  assert.deepEqual(
    messages.map(({ id, at, ...message }: { id: number; at: string }) => message),
    [
      {
        direction: 'inbound',
        channel: 'sms',
        status: 'received',
        ...about,
        address: '+12125550123',
        subject: null,
        body: 'Yes',
        error: null,
      },
      {
        direction: 'outbound',
        channel: 'email',
        status: 'skipped',
        ...about,
        address: 'ana@example.com',
        subject: 'Papers',
        body: 'See you',
        error: 'the contact has opted out of e-mail',
      },
      {
        direction: 'outbound',
        channel: 'sms',
        status: 'scheduled',
        ...about,
        address: '+12125550123',
        subject: null,
        body: 'Can you come?',
        error: null,
      },
    ],
  )
  assert.equal(messages[0].at, '2026-03-02T15:00:00.000Z')
  assert.equal((await firm.tool('list_messages', { client_id, per_page: 2 })).messages[0].body, 'Yes')
  assert.equal((await firm.tool('list_messages', { client_id })).total_records, 4)
  const stranger = await api.company()
  assert.deepEqual((await stranger.tool('list_messages', {})).messages, [])
  for (const named of [{ case_id: one.id }, { client_id }])
    assert.equal((await stranger.refusal('list_messages', named)).error, 'not found')
})
