import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignWorld } from '../../test/support/campaigns.ts'
import { runPayload } from '../../test/support/payloads.ts'

const { firm, payload, create, refusals, runsOf, messagesOf } = await campaignWorld()

/** The older shape, without runs. */
const olderPayload = <T extends object>(fields?: T) => {
  const { runs: _, ...flat } = payload()
  return { ...flat, start_time: '09:00', end_time: '17:00', ...fields }
}

test('the older flat shape becomes one open-ended run', async () => {
  const { id } = await firm.ok('POST /v1/campaigns', olderPayload({ days: ['Monday', 'SATURDAY'] }))
  const runs = await runsOf(id)
  assert.equal(runs.length, 1)
  const { start_date, end_date, start_time, end_time, messaging_only, selected_days } = runs[0]
  assert.deepEqual([start_time, end_time, messaging_only], ['09:00', '17:00', false])
  assert.deepEqual(selected_days, ['monday', 'saturday'])
  assert.equal(start_date, '2026-03-02')
  assert.equal(end_date, null)
})

test('the older flat shape has its own rules', async () => {
  assert.deepEqual(await refusals(olderPayload({ end_time: undefined, days: ['Monday', 'someday'] })), [
    'end_time: is required in the older shape, without runs',
    'days[1]: must be an English weekday name',
  ])
  assert.deepEqual(await refusals(olderPayload({ start_time: undefined, end_time: undefined })), ['runs: is required'])
  assert.deepEqual(await refusals(olderPayload({ start_time: '07:00', agent_id: null })), [
    'agent_id: is required unless every run has messaging_only true',
    'start_time: must lie within 08:00 to 21:00',
  ])
})

test('runs together with the flat start_time, end_time or days are refused', async () => {
  const message = 'belongs to the older shape and must not be sent together with runs'
  assert.deepEqual(await refusals(payload({ start_time: '09:00', end_time: '17:00', days: ['Monday'] })), [
    `start_time: ${message}`,
    `end_time: ${message}`,
    `days: ${message}`,
  ])
  await create({ start_time: null, days: null })
})

const olderSms = {
  send_sms_before_call: true,
  send_sms_before_call_delay_minutes: 15,
  sms_before_call_text: 'We will call you soon, {{first_name}}',
  send_sms_after_successful_call: true,
  sms_after_successful_call_text: 'Thank you',
  send_sms_after_failed_call: true,
  sms_after_failed_call_text: 'We missed you',
}

test('the older SMS fields become messages of every run that calls, in either shape', async () => {
  const expected = [
    ['before_call', 15, 'We will call you soon, {{first_name}}'],
    ['after_successful_call', null, 'Thank you'],
    ['after_failed_call', null, 'We missed you'],
  ]
  const { id } = await firm.ok('POST /v1/campaigns', olderPayload(olderSms))
  const messages = await messagesOf(id)
  assert.deepEqual(
    messages.map(({ trigger, delay_minutes, message }) => [trigger, delay_minutes, message]),
    expected,
  )
  const silent = { start_date: '2026-03-02', end_date: '2026-03-06', messaging_only: true }
  const beside = await messagesOf(await create({ ...olderSms, runs: [runPayload(), silent, runPayload()] }))
  assert.deepEqual(
    beside.map(({ run, trigger, delay_minutes, message }) => [run, trigger, delay_minutes, message]),
    [1, 3].flatMap((run) => expected.map((each) => [run, ...each])),
  )
})

test('a send_sms flag needs its text, a delay of two minutes at least, and a run that calls', async () => {
  assert.deepEqual(await refusals(olderPayload({ send_sms_before_call: true, send_sms_after_failed_call: true })), [
    'sms_before_call_text: is required while send_sms_before_call is true',
    'sms_after_failed_call_text: is required while send_sms_after_failed_call is true',
  ])
  assert.deepEqual(await refusals(olderPayload({ ...olderSms, send_sms_before_call_delay_minutes: 1 })), [
    'send_sms_before_call_delay_minutes: must be at least 2',
  ])
  const run = { start_date: '2026-03-02', end_date: '2026-03-06', messaging_only: true }
  const flag = { send_sms_after_failed_call: true, sms_after_failed_call_text: '{{oops}}' }
  assert.deepEqual(await refusals(payload({ runs: [run], ...flag })), [
    "sms_after_failed_call_text: unknown template variable 'oops'",
    'send_sms_after_failed_call: needs a run that makes calls',
  ])
  const off = await firm.ok('POST /v1/campaigns', olderPayload({ ...olderSms, send_sms_before_call: false }))
  assert.equal((await messagesOf(off.id)).length, 2, 'a text whose flag is off is sent to nobody')
})
