import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { clockAt, eventually } from '../support/engine.ts'
import { startRealCalls } from '../support/real-calls.ts'
import { seedCampaign } from '../support/seed.ts'
import type { Behaviour } from '../support/twilio-emulator.ts'

const CALLS = 1000
const MOST = 80

/** By the last two digits of the number, each with the results that it may have. */
const MIX: [share: number, behaviour: Behaviour, results: string[]][] = [
  [30, { pickup: 'answers', persona: 'converted' }, ['converted']],
  [4, { pickup: 'answers', persona: 'opts_out' }, ['opted_out']],
  [4, { pickup: 'answers', persona: 'hangs_up' }, ['unsuccessful']],
  [4, { pickup: 'answers', persona: 'wrong_number' }, ['wrong_number']],
  [12, { pickup: 'machine' }, ['voicemail']],
  [8, { pickup: 'busy' }, ['busy']],
  [8, { pickup: 'no-answer' }, ['no_answer']],
  [4, { pickup: 'answers', callbacks: 'lost' }, ['converted']],
  [4, { pickup: 'answers', callbacks: 'last lost' }, ['converted']],
  [4, { pickup: 'machine', callbacks: 'doubled' }, ['voicemail']],
  [4, { pickup: 'answers', callbacks: 'reversed' }, ['converted']],
  [4, { pickup: 'answers', cut: 'breaks' }, ['failed']],
  [4, { pickup: 'answers', create: 429 }, ['converted']],
  [3, { pickup: 'answers', create: 500 }, ['converted']],
  [3, { pickup: 'answers', create: 'placed, then 500' }, ['converted']],
]
const BY_NUMBER = MIX.flatMap((entry) => Array<(typeof MIX)[number]>(entry[0]).fill(entry))
const mixOf = (to: string) => BY_NUMBER[Number(to.slice(-2))]!

const clock = clockAt('2026-03-02T15:00:00Z', 25)
let companyId = 0
const { api, twilio } = await startRealCalls({
  clock,
  behaviour: (to) => mixOf(to)[1],
  engine: { maxConcurrentCalls: MOST },
  async seed({ pool }) {
    companyId = (await seedCampaign(pool, { contacts: CALLS, callbackDelays: [] })).companyId
  },
})

test('the mix is whole', () => assert.equal(BY_NUMBER.length, 100))

test('a thousand calls through a carrier with every failing come out right, and nobody is rung twice', async () => {
  await eventually(async () => {
    const { open } = await api.pool.one<{ open: number }>(sql`
      select count(*)::int as open from campaign_contacts where company_id = ${companyId} and state <> 'settled'`)
    const { planned } = await api.pool.one<{ planned: number }>(sql`
      select count(*)::int as planned from campaign_contacts where company_id = ${companyId}`)
    return planned === CALLS && open === 0
  }, 300)
  const rows = await api.pool.many<{ to_number: string; result: string; provider_call_id: string }>(sql`
    select to_number, result, provider_call_id from calls where company_id = ${companyId} and state = 'ended'`)
  assert.equal(rows.length, CALLS)
  const wrong = rows.filter(({ to_number, result }) => !mixOf(to_number)[2].includes(result))
  assert.deepEqual(
    wrong.map(({ to_number, result }) => ({ result, ...mixOf(to_number)[1] })),
    [],
  )
  assert.equal(twilio.calls.length, CALLS)
  assert.equal(new Set(twilio.calls.map(({ to }) => to)).size, CALLS)
  assert.equal(new Set(rows.map(({ provider_call_id }) => provider_call_id)).size, CALLS)
})

test('the carrier never had more calls in hand than the installation may have in flight', () => {
  assert.ok(twilio.mostLive() > MOST / 2, `only ${twilio.mostLive()} at once`)
  assert.ok(twilio.mostLive() <= MOST, `${twilio.mostLive()} at once`)
})
