import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import twilioSdk from 'twilio'
import { clockAt } from '../support/engine.ts'
import { openSocket, startRealCalls, watchCalls } from '../support/real-calls.ts'
import { seedCampaign } from '../support/seed.ts'
import { AUTH_TOKEN, type Behaviour } from '../support/twilio-emulator.ts'

const CASES = {
  converted: { pickup: 'answers', persona: 'converted' },
  optsOut: { pickup: 'answers', persona: 'opts_out' },
  silent: { pickup: 'answers', persona: 'silent' },
  interrupts: { pickup: 'answers', persona: 'hurried' },
  hangsUp: { pickup: 'answers', persona: 'hangs_up' },
  machine: { pickup: 'machine' },
  busy: { pickup: 'busy' },
  noAnswer: { pickup: 'no-answer' },
  badNumber: { pickup: 'failed' },
  refused: { pickup: 'answers', create: 400 },
  tooMany: { pickup: 'answers', create: 429, times: 2 },
  lockedOut: { pickup: 'answers', create: 401 },
  broken: { pickup: 'answers', create: 500 },
  placedAll500: { pickup: 'answers', create: 'placed, then 500' },
  placedNoAnswer: { pickup: 'answers', create: 'placed, never answered' },
  placedAndDeaf: { pickup: 'answers', create: 'placed, then 500', callbacks: 'lost' },
  lastLost: { pickup: 'answers', callbacks: 'last lost' },
  noCallbacks: { pickup: 'no-answer', callbacks: 'lost' },
  doubled: { pickup: 'answers', callbacks: 'doubled' },
  reversed: { pickup: 'answers', callbacks: 'reversed' },
  cut: { pickup: 'answers', cut: 'breaks' },
  cutCleanly: { pickup: 'answers', cut: 'closes' },
  hangsUpRudely: { pickup: 'answers', persona: 'hangs_up', closes: 1006 },
  hangsUpSilently: { pickup: 'answers', persona: 'hangs_up', closes: 1005 },
  gone: { pickup: 'answers', gone: true },
  warm: { pickup: 'answers', persona: 'asks_for_person', colleague: 'takes it' },
  refusedTransfer: { pickup: 'answers', persona: 'asks_for_person', colleague: 'refuses' },
  objects: { pickup: 'answers', says: { 0: "Hello? I don't want to be recorded." } },
  objectsLater: { pickup: 'answers', says: { 1: 'Wait. Stop recording, please.' } },
  unansweredTransfer: { pickup: 'answers', persona: 'asks_for_person', colleague: 'no-answer' },
} as const satisfies Record<string, Behaviour>

type Case = keyof typeof CASES
const names = Object.keys(CASES) as Case[]
const numberOf = (name: Case) => `+1212${2000001 + names.indexOf(name)}`
const behaviourOf = (to: string): Behaviour => CASES[names[Number(to.slice(5)) - 2000001]!]

const clock = clockAt('2026-03-02T15:00:00Z', 20)
let companyId = 0
const service = await startRealCalls({
  clock,
  behaviour: behaviourOf,
  records: true,
  async seed({ pool }) {
    companyId = (await seedCampaign(pool, { contacts: names.length, callbackDelays: [] })).companyId
    await pool.run(sql`
      update agents set is_transfer_enabled = true, transfer_number = '+12125550199', transfer_mode = 'warm',
        phone_number = '+12125550123' where company_id = ${companyId}`)
  },
})

const { api, url } = service
const calls = watchCalls(service, () => companyId)
const ended = (name: Case) => calls.ended(numberOf(name))

for (const [name, result, reason] of [
  ['converted', 'converted', 'agent_hangup'],
  ['optsOut', 'opted_out', 'agent_hangup'],
  ['silent', 'unsuccessful', 'inactivity'],
  ['hangsUp', 'unsuccessful', 'user_hangup'],
  ['machine', 'voicemail', 'voicemail_reached'],
  ['busy', 'busy', 'dial_busy'],
  ['noAnswer', 'no_answer', 'dial_no_answer'],
  ['badNumber', 'failed', 'invalid_destination'],
  ['refused', 'failed', 'invalid_destination'],
  ['tooMany', 'converted', 'agent_hangup'],
  ['lockedOut', 'converted', 'agent_hangup'],
  ['broken', 'converted', 'agent_hangup'],
  ['placedAll500', 'converted', 'agent_hangup'],
  ['placedNoAnswer', 'converted', 'agent_hangup'],
  ['placedAndDeaf', 'converted', 'agent_hangup'],
  ['lastLost', 'converted', 'agent_hangup'],
  ['noCallbacks', 'no_answer', 'dial_no_answer'],
  ['doubled', 'converted', 'agent_hangup'],
  ['reversed', 'converted', 'agent_hangup'],
  ['objects', 'converted', 'agent_hangup'],
  ['objectsLater', 'converted', 'agent_hangup'],
  ['cut', 'failed', 'error_unknown'],
  ['cutCleanly', 'failed', 'error_unknown'],
  ['hangsUpRudely', 'unsuccessful', 'user_hangup'],
  ['hangsUpSilently', 'unsuccessful', 'user_hangup'],
  ['gone', 'failed', 'error_unknown'],
  ['warm', 'transferred', 'call_transfer'],
  ['refusedTransfer', 'callback_requested', 'agent_hangup'],
  ['unansweredTransfer', 'callback_requested', 'agent_hangup'],
] as const)
  test(`${name}: ${result}, and rung ${name === 'refused' ? 'never' : 'once'}`, async () => {
    const { row, placed } = await ended(name)
    assert.deepEqual([row.result, row.disconnection_reason], [result, reason])
    assert.equal(placed.length, name === 'refused' ? 0 : 1)
    if (placed[0]) assert.equal(row.provider_call_id, placed[0].sid)
  })

test('the call is asked for with everything that matters, from the number of the agent', async () => {
  const [{ form }] = (await ended('converted')).placed as [any]
  assert.equal(form.From, '+12125550123')
  assert.deepEqual(
    [form.Timeout, form.TimeLimit, form.MachineDetection, form.AsyncAmd],
    ['30', '1800', 'Enable', 'true'],
  )
  assert.match(form.StatusCallback, /company=\d+&call=\d+/)
  assert.match(form.Twiml, /<ConversationRelay [^>]*url="ws:[^"?]+"/)
  assert.doesNotMatch(form.Twiml, /Ana|Lee|2000001/)
})

test('a call is recorded, but only after the contact has been told so', async () => {
  const { placed } = await ended('converted')
  assert.match(placed[0]!.heard[0]!, /AI assistant calling from Test firm\. This call is recorded\./)
  assert.deepEqual(placed[0]!.recordings.length, 1)
  assert.ok(placed[0]!.recordings[0]!.afterWords >= 1)
})

test('who does not want to be recorded is not, from the moment they say so, and the answer is kept', async () => {
  const [never, noMore, agreed] = [await ended('objects'), await ended('objectsLater'), await ended('converted')]
  assert.deepEqual(never.placed[0]!.recordings, [])
  assert.match(never.placed[0]!.heard[1]!, /not being recorded\. Am I speaking with/)
  assert.deepEqual(
    noMore.placed[0]!.recordings.map(({ stopped }) => stopped),
    [true],
  )
  assert.deepEqual(
    [never, noMore, agreed].map(({ row }) => row.evidence.recording.agreed),
    [false, false, true],
  )
})

test('what was said until the socket was cut is kept, and the contact hears who that was', async () => {
  for (const name of ['cut', 'cutCleanly'] as const) {
    const { row, placed } = await ended(name)
    assert.ok(row.transcript.length >= 2, JSON.stringify(row.transcript))
    assert.match(
      placed[0]!.told.join(),
      /^I'm sorry, this is the AI assistant of Test firm, and our connection was lost/,
    )
  }
})

test('a recording goes on through a transfer that failed, and a colleague is told of it', async () => {
  const { placed } = await ended('refusedTransfer')
  assert.equal(placed[0]!.recordings.length, 1)
  assert.match(placed[0]!.whispers.join(), /The call is recorded\. To take the call, press any key/)
})

test('who interrupts is known to have heard no more than they heard', async () => {
  const { row } = await ended('interrupts')
  assert.ok(row.transcript.some((turn: any) => turn.interrupted && turn.text.split(' ').length === 10))
})

test('an opt-out is written while the contact is still on the phone', async () => {
  const { row } = await ended('optsOut')
  const { created_at } = await api.pool.one<any>(sql`
    select obtained_at as created_at from permissions where company_id = ${companyId} and source = 'spoken'`)
  assert.ok(created_at < row.ended_at, `${created_at} ${row.ended_at}`)
})

test('a transfer that nobody takes brings the contact back to the agent, who remembers the talk', async () => {
  for (const name of ['refusedTransfer', 'unansweredTransfer'] as const) {
    const { row, placed } = await ended(name)
    assert.equal(placed[0]!.sockets, 2)
    const said = row.transcript.map(({ text }: any) => text).join('\n')
    assert.equal(said.match(/Am I speaking with/g)?.length, 1, said)
    assert.match(said, /nobody is free to take your call/)
  }
})

test('the steps of a transfer are told to other systems, each once', async () => {
  const steps = (name: Case) => calls.transferSteps(numberOf(name))
  assert.deepEqual(await steps('warm'), ['transfer_started', 'transfer_bridged', 'transfer_ended'])
  assert.deepEqual(await steps('refusedTransfer'), ['transfer_started', 'transfer_cancelled'])
})

test('a request that Twilio has not signed is refused, on every route and for the socket', async () => {
  const { row } = await ended('converted')
  const query = `company=${companyId}&call=${row.id}&round=0`
  for (const route of ['status', 'machine', 'relay-ended', 'leg', 'whisper', 'accepted', 'dial-ended']) {
    const address = `${url}/providers/twilio/${route}?${query}`
    const post = (signature: Record<string, string>, to = address) =>
      fetch(to, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...signature },
        body: 'CallStatus=busy',
      })
    assert.equal((await post({})).status, 403)
    const signed = twilioSdk.getExpectedTwilioSignature(AUTH_TOKEN, address, { CallStatus: 'failed' })
    assert.equal((await post({ 'x-twilio-signature': signed })).status, 403)
    // A signature is good for the call it was made for.
    const own = twilioSdk.getExpectedTwilioSignature(AUTH_TOKEN, address, { CallStatus: 'busy' })
    assert.equal((await post({ 'x-twilio-signature': own }, address.replace('call=', 'call=9'))).status, 403)
  }
  const relay = `${url.replace('http', 'ws')}/providers/twilio/relay/${companyId}/${row.id}/0`
  assert.equal(await openSocket(relay), 403)
})

test('nothing is left over: every call has ended, and every contact is settled', async () => {
  for (const name of names) await ended(name)
  assert.equal(await calls.unsettled(), 0)
})
