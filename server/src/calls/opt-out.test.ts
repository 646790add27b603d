import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { clientPayload } from '../../test/support/payloads.ts'
import { explainContact } from '../campaigns/explain-contact.ts'
import { waiveRule } from '../compliance/change-rules.ts'
import { realClock } from '../core/clock.ts'
import { receiver } from '../messages/received.ts'
import { writeOptOuts } from './opt-out.ts'

const api = await startApi()
let last = 300

async function person() {
  const firm = await api.company()
  const mobile = `+1212555${String(++last).padStart(4, '0')}`
  const { id } = await firm.ok('POST /v1/clients', clientPayload({ mobile, state: 'NY', postal_code: '10007' }))
  const scope = { db: api.pool, companyId: firm.id }
  const refusals = async (channel: 'call' | 'sms', at: string) => {
    const { reasons } = await explainContact(scope as never, id, { channel, purpose: 'case_update', at: new Date(at) })
    return reasons.map(({ rule }) => rule).filter((rule) => rule === 'suppressed')
  }
  const says = (at: string) =>
    writeOptOuts(api.pool, [{ company_id: firm.id, call_id: 1, client_id: id, to_number: mobile, at: new Date(at) }])
  const texts = (body: string, at: string) =>
    receiver({ pool: api.pool, clock: realClock, log: pino({ level: 'silent' }), publicUrl: 'http://localhost' })({
      provider: 'twilio',
      provider_message_id: `SM${last}${at}`,
      from: mobile,
      to: '+12125550100',
      body,
      segments: 1,
      media: 0,
      at: new Date(at),
    } as never)
  return { firm, id, scope, refusals, says, texts }
}

test('until 30 January 2027 an opt-out is one of its channel', async () => {
  const [one, other] = [await person(), await person()]
  await one.says('2027-01-29T15:00:00Z')
  assert.deepEqual(await one.refusals('call', '2027-02-03T16:00:00Z'), ['suppressed'])
  assert.deepEqual(await one.refusals('sms', '2027-02-03T16:00:00Z'), [])
  const reply = await other.texts('STOP', '2027-01-29T15:00:00Z')
  assert.doesNotMatch(reply!.body, /no more calls/)
  assert.deepEqual(await other.refusals('sms', '2027-02-03T16:00:00Z'), ['suppressed'])
  assert.deepEqual(await other.refusals('call', '2027-02-03T16:00:00Z'), [])
})

test('from 31 January 2027 it holds for calls and texts alike, and the answer to a STOP says so', async () => {
  const [one, other] = [await person(), await person()]
  await one.says('2027-01-31T15:00:00Z')
  const reply = await other.texts('STOP', '2027-01-31T15:00:00Z')
  assert.match(reply!.body, /no more messages and no more calls/)
  for (const who of [one, other])
    for (const channel of ['call', 'sms'] as const)
      assert.deepEqual(await who.refusals(channel, '2027-02-03T16:00:00Z'), ['suppressed'])
})

test('should the day be put off again, a named person can waive the rule', async () => {
  const { scope, says, refusals } = await person()
  const waiver = { rule_id: 'us-federal-revocation-scope', person: 'Dana Cole', reason: 'put off again' }
  await waiveRule(scope, { ...waiver, effective_from: '2027-01-31' }, new Date('2027-01-30T00:00:00Z'))
  await says('2027-02-01T15:00:00Z')
  assert.deepEqual(await refusals('call', '2027-02-03T16:00:00Z'), ['suppressed'])
  assert.deepEqual(await refusals('sms', '2027-02-03T16:00:00Z'), [])
})

test('a STOP holds at once and for ever: Florida gives 15 days, Virginia asks for ten years', async () => {
  for (const state of ['FL', 'VA']) {
    const { id, texts, refusals } = await person()
    await api.pool.run(sql`update clients set state = ${state} where id = ${id}`)
    await texts('STOP', '2026-03-02T15:00:00Z')
    for (const at of ['2026-03-02T15:00:01Z', '2037-03-04T16:00:00Z'])
      assert.deepEqual(await refusals('sms', at), ['suppressed'], `${state} ${at}`)
  }
})
