import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { clockAt } from '../support/engine.ts'
import { openSocket, startRealCalls, watchCalls } from '../support/real-calls.ts'
import { seedCampaign } from '../support/seed.ts'
import { ACCOUNT_SID, API_KEY, APPLICATION, PUBLIC_KEY, signed, telnyxDialect } from '../support/telnyx-dialect.ts'
import type { Behaviour } from '../support/twilio-emulator.ts'

const CASES = {
  converted: { pickup: 'answers', persona: 'converted' },
  optsOut: { pickup: 'answers', persona: 'opts_out' },
  hangsUp: { pickup: 'answers', persona: 'hangs_up' },
  machine: { pickup: 'machine' },
  wordless: { pickup: 'machine', wordless: true },
  busy: { pickup: 'busy' },
  noAnswer: { pickup: 'no-answer' },
  badNumber: { pickup: 'failed' },
  refused: { pickup: 'answers', create: 400 },
  tooMany: { pickup: 'answers', create: 429 },
  broken: { pickup: 'answers', create: 500 },
  placedAll500: { pickup: 'answers', create: 'placed, then 500' },
  placedUnheard: { pickup: 'answers', create: 'placed, then 500', callbacks: 'lost' },
  lastLost: { pickup: 'answers', callbacks: 'last lost' },
  doubled: { pickup: 'answers', callbacks: 'doubled' },
  cut: { pickup: 'answers', cut: 'breaks' },
  transfer: { pickup: 'answers', persona: 'asks_for_person', colleague: 'takes it' },
  unansweredTransfer: { pickup: 'answers', persona: 'asks_for_person', colleague: 'no-answer' },
} as const satisfies Record<string, Behaviour>

type Case = keyof typeof CASES
const names = Object.keys(CASES) as Case[]
const numberOf = (name: Case) => `+1212${2000001 + names.indexOf(name)}`
const FROM = '+12125550155'
const MESSAGE = 'Please call us back about your appointment.'

const clock = clockAt('2026-03-02T15:00:00Z', 20)
let companyId = 0
const service = await startRealCalls({
  clock,
  behaviour: (to) => CASES[names[Number(to.slice(5)) - 2000001]!]!,
  records: true,
  carrier: {
    dialect: telnyxDialect,
    settings: ({ api }) => ({
      TELNYX_API_KEY: API_KEY,
      TELNYX_PUBLIC_KEY: PUBLIC_KEY,
      TELNYX_ACCOUNT_SID: ACCOUNT_SID,
      TELNYX_APPLICATION_ID: APPLICATION,
      TELNYX_FROM: FROM,
      TELNYX_API_BASE: api,
      TELNYX_CALLS_PER_SECOND: 100,
    }),
  },
  async seed({ pool }) {
    companyId = (await seedCampaign(pool, { contacts: names.length, callbackDelays: [] })).companyId
    await pool.run(sql`
      update agents set is_transfer_enabled = true, transfer_number = '+12125550199', transfer_mode = 'cold',
        voicemail_action = 'message', voicemail_message = ${MESSAGE} where company_id = ${companyId}`)
  },
})

const calls = watchCalls(service, () => companyId)
const ended = (name: Case) => calls.ended(numberOf(name))

for (const [name, result, reason] of [
  ['converted', 'converted', 'agent_hangup'],
  ['optsOut', 'opted_out', 'agent_hangup'],
  ['hangsUp', 'unsuccessful', 'user_hangup'],
  ['machine', 'voicemail', 'voicemail_reached'],
  ['wordless', 'voicemail', 'voicemail_reached'],
  ['busy', 'busy', 'dial_busy'],
  ['noAnswer', 'no_answer', 'dial_no_answer'],
  ['badNumber', 'failed', 'invalid_destination'],
  ['refused', 'failed', 'dial_failed'],
  ['tooMany', 'converted', 'agent_hangup'],
  ['broken', 'converted', 'agent_hangup'],
  ['placedAll500', 'converted', 'agent_hangup'],
  ['placedUnheard', 'converted', 'agent_hangup'],
  ['lastLost', 'converted', 'agent_hangup'],
  ['doubled', 'converted', 'agent_hangup'],
  ['cut', 'failed', 'error_unknown'],
  ['transfer', 'transferred', 'call_transfer'],
  ['unansweredTransfer', 'callback_requested', 'agent_hangup'],
] as const)
  test(`${name}: ${result}, and rung ${name === 'refused' ? 'never' : 'once'}`, async () => {
    const { row, placed } = await ended(name)
    assert.deepEqual([row.result, row.disconnection_reason, row.provider], [result, reason, 'telnyx'])
    assert.equal(placed.length, name === 'refused' ? 0 : 1)
    if (placed[0]) assert.equal(row.provider_call_id, placed[0].sid)
  })

test('the call is asked for in TeXML, with all that matters', async () => {
  const [{ form }] = (await ended('converted')).placed as [any]
  assert.deepEqual(
    [form.From, form.Timeout, form.TimeLimit, form.MachineDetection, form.AsyncAmd, form.StatusCallbackEvent],
    [FROM, '30', '1800', 'DetectMessageEnd', 'true', 'initiated ringing answered completed'],
  )
  assert.match(form.Texml, /<ConversationRelay [^>]*url="ws:[^"?]+"/)
  assert.match(form.Texml, /voice="aws\.Polly\.[A-Z]\w+-Neural"/)
  assert.doesNotMatch(form.Texml, /Ana|Lee|2000001/)
})

test('a machine is left the message of the agent, whole, by whose it is', async () => {
  for (const name of ['machine', 'wordless'] as const) {
    const { row, placed } = await ended(name)
    const last = placed[0]!.heard.at(-1)!
    assert.match(last, /^Hello, this is an AI assistant calling from Test firm\./)
    assert.ok(last.endsWith(MESSAGE), last)
    assert.match(row.summary, /the agent left its message/)
  }
})

test('a cold transfer is told of once, whoever tells of it', async () => {
  const steps = (name: Case) => calls.transferSteps(numberOf(name))
  assert.deepEqual(await steps('transfer'), ['transfer_started', 'transfer_bridged', 'transfer_ended'])
  assert.deepEqual(await steps('unansweredTransfer'), ['transfer_started', 'transfer_cancelled'])
})

test('a call is recorded once, and a conversation that broke is explained', async () => {
  const { placed } = await ended('unansweredTransfer')
  assert.equal(placed[0]!.recordings.length, 1)
  assert.ok(placed[0]!.recordings[0]!.afterWords >= 1)
  assert.match((await ended('cut')).placed[0]!.told.join(), /this is the AI assistant of Test firm/)
})

test("a callback is refused that Telnyx has not signed, or long ago, or for another call's address", async () => {
  const { placed } = await ended('converted')
  const { placed: others } = await ended('busy')
  const [address, other] = [placed[0]!.form.StatusCallback!, others[0]!.form.StatusCallback!]
  const body = 'CallSid=v3%3A1&CallStatus=ringing'
  const post = async (headers: Record<string, string>, to = address) => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers }, body }
    return (await fetch(to, sent)).status
  }
  assert.equal(await post(signed(body)), 204)
  assert.equal(await post({}), 403)
  assert.equal(await post(signed(`${body}&CallDuration=5`)), 403, 'another body')
  assert.equal(await post(signed(body, Date.now() - 301_000)), 403, 'too old')
  assert.equal(await post(signed(body, Date.now() + 301_000)), 403, 'of the future')
  assert.equal(await post(signed(body, Date.now() - 290_000)), 204, 'late, but not too late')
  assert.equal(await post(signed(body, Date.now(), generateKeyPairSync('ed25519').privateKey)), 403, 'another key')
  const { 'telnyx-timestamp': _, ...unstamped } = signed(body)
  assert.equal(await post({ ...unstamped, 'telnyx-timestamp': String(Math.floor(Date.now() / 1000) - 1) }), 403)
  assert.equal(await post({ ...unstamped, 'telnyx-timestamp': 'soon' }), 403)
  // The signature does not cover the address: our own seal does.
  const sealOf = (from: string) => new URL(from).searchParams.get('seal')!
  assert.equal(await post(signed(body), address.replace(sealOf(address), sealOf(other))), 403)
  assert.equal(await post(signed(body), address.replace(/call=\d+/, 'call=999')), 403)
  assert.equal(await post(signed(body), address.replace(/&seal=.*/, '')), 403)
})

test('a socket is let in only at the address that was given out', async () => {
  const { placed } = await ended('converted')
  const relay = /url="([^"]+)"/.exec(placed[0]!.form.Texml!)![1]!
  for (const [address, status] of [
    [relay, 'open'],
    [relay.replace(/[\w-]{5}$/, 'xxxxx'), 403],
    [relay.slice(0, relay.lastIndexOf('/')), 403],
    [relay.replace(/relay\/\d+\/\d+/, 'relay/1/999'), 403],
  ] as const) {
    assert.equal(await openSocket(address), status, address)
  }
})

test('nothing is left over, and Twilio has no routes here', async () => {
  for (const name of names) await ended(name)
  assert.equal(await calls.unsettled(), 0)
  assert.equal((await fetch(`${service.url}/providers/twilio/status?company=1&call=1`, { method: 'POST' })).status, 404)
})
