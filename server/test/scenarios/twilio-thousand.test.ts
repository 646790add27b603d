import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { clockAt, eventually } from '../support/engine.ts'
import { startRealCalls } from '../support/real-calls.ts'
import { seedCampaign } from '../support/seed.ts'
import type { Behaviour } from '../support/twilio-emulator.ts'

const CALLS = 1000
const MOST = 60
const PER_SECOND = 30

/** By the last two digits of the number, each with the only result that it may have. */
const MIX: [share: number, behaviour: Behaviour, result: string][] = [
  [22, { pickup: 'answers', persona: 'converted' }, 'converted'],
  [4, { pickup: 'answers', persona: 'opts_out' }, 'opted_out'],
  [2, { pickup: 'answers', persona: 'hangs_up' }, 'unsuccessful'],
  [2, { pickup: 'answers', persona: 'hangs_up', closes: 1006 }, 'unsuccessful'],
  [4, { pickup: 'answers', persona: 'wrong_number' }, 'wrong_number'],
  [10, { pickup: 'machine' }, 'voicemail'],
  [2, { pickup: 'machine', wordless: true }, 'voicemail'],
  [8, { pickup: 'busy' }, 'busy'],
  [8, { pickup: 'no-answer' }, 'no_answer'],
  [2, { pickup: 'failed' }, 'failed'],
  [3, { pickup: 'answers', callbacks: 'lost' }, 'converted'],
  [1, { pickup: 'no-answer', callbacks: 'lost' }, 'no_answer'],
  [4, { pickup: 'answers', callbacks: 'last lost' }, 'converted'],
  [3, { pickup: 'answers', callbacks: 'doubled' }, 'converted'],
  [2, { pickup: 'machine', callbacks: 'doubled' }, 'voicemail'],
  [1, { pickup: 'busy', callbacks: 'doubled' }, 'busy'],
  [4, { pickup: 'answers', callbacks: 'reversed' }, 'converted'],
  [3, { pickup: 'answers', cut: 'breaks' }, 'failed'],
  [2, { pickup: 'answers', cut: 'closes' }, 'failed'],
  [4, { pickup: 'answers', create: 429 }, 'converted'],
  [2, { pickup: 'busy', create: 429, times: 3 }, 'busy'],
  [3, { pickup: 'answers', create: 500 }, 'converted'],
  [3, { pickup: 'answers', create: 'placed, then 500' }, 'converted'],
  [1, { pickup: 'answers', create: 'placed, never answered' }, 'converted'],
]
const BY_NUMBER = MIX.flatMap((entry) => Array<(typeof MIX)[number]>(entry[0]).fill(entry))
const mixOf = (to: string) => BY_NUMBER[Number(to.slice(-2))]!

const clock = clockAt('2026-03-02T15:00:00Z', 25)
let companyId = 0
const { api, twilio } = await startRealCalls({
  clock,
  behaviour: (to) => mixOf(to)[1],
  callsPerSecond: PER_SECOND,
  engine: { maxConcurrentCalls: MOST },
  async seed({ pool }) {
    companyId = (await seedCampaign(pool, { contacts: CALLS, callbackDelays: [] })).companyId
  },
})

test('the mix is whole', () => assert.equal(BY_NUMBER.length, 100))

test('a thousand calls through a carrier with every failing come out right, and nobody is rung twice', async () => {
  await eventually(async () => {
    const { planned, open } = await api.pool.one<{ planned: number; open: number }>(sql`
      select count(*)::int as planned, count(*) filter (where state <> 'settled')::int as open
      from campaign_contacts where company_id = ${companyId}`)
    return planned === CALLS && open === 0
  }, 300)
  const rows = await api.pool.many<{ to_number: string; result: string; provider_call_id: string }>(sql`
    select to_number, result, provider_call_id from calls where company_id = ${companyId} and state = 'ended'`)
  assert.equal(rows.length, CALLS)
  const wrong = rows.filter(({ to_number, result }) => mixOf(to_number)[2] !== result)
  assert.deepEqual(
    wrong.map(({ to_number, result }) => ({ result, ...mixOf(to_number)[1] })),
    [],
  )
  assert.equal(twilio.calls.length, CALLS)
  assert.equal(new Set(twilio.calls.map(({ to }) => to)).size, CALLS)
  assert.equal(new Set(rows.map(({ provider_call_id }) => provider_call_id)).size, CALLS)
})

test('everything that can go wrong did go wrong, many times', (t) => {
  const { mishaps } = twilio
  t.diagnostic(JSON.stringify(Object.fromEntries(mishaps)))
  // Each number has its ways: 40 that are answered 429 once and 20 thrice, and so on.
  assert.equal(mishaps.get('answered 429'), 40 + 3 * 20)
  assert.equal(mishaps.get('answered 500'), 30)
  assert.equal(mishaps.get('placed, then 500'), 30)
  assert.equal(mishaps.get('placed, never answered'), 10)
  assert.equal(mishaps.get('socket broke'), 30)
  assert.equal(mishaps.get('socket closed'), 20)
  // An answered call has four callbacks, one that is not answered three.
  assert.equal(mishaps.get('callback lost'), 4 * 30 + 3 * 10 + 40)
  assert.equal(mishaps.get('callback doubled'), 4 * 50 + 3 * 10)
  assert.equal(mishaps.get('callback overtaken'), 3 * 40)
})

test('the carrier never had more calls in hand than the installation may have in flight', () => {
  assert.ok(twilio.mostLive() > MOST / 2, `only ${twilio.mostLive()} at once`)
  assert.ok(twilio.mostLive() <= MOST, `${twilio.mostLive()} at once`)
})

test('the carrier was never asked for more calls in a second than it allows', (t) => {
  const most = (ms: number) => {
    const within = (at: number, first: number) => twilio.requests.slice(first).filter((other) => other < at + ms).length
    return Math.max(...twilio.requests.map(within))
  }
  t.diagnostic(`at most ${most(1000)} in one second, ${most(2000)} in two, ${most(10_000)} in ten`)
  assert.ok(most(1000) > PER_SECOND * 0.8, 'the limit was felt')
  // On a busy machine, requests are held up and come together.
  assert.ok(most(2000) <= PER_SECOND * 2.5)
  assert.ok(most(10_000) <= PER_SECOND * 10.5)
})
