import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { clockAt, eventually } from '../support/engine.ts'
import type { HostBehaviour } from '../support/host-emulator.ts'
import { type HostName, startHostedCalls } from '../support/hosted-calls.ts'
import { seedCampaign } from '../support/seed.ts'

const CALLS = 300
const MOST = 40
const COLLEAGUE = '+12125550199'

/** By the last two digits of the number, each with the results that it may have. */
const MIX: [share: number, behaviour: HostBehaviour, results: string[]][] = [
  [
    10,
    { pickup: 'answers', persona: 'converted', finds: { wants_follow_up: true, visits: 'lots', made_up: 1 } },
    ['converted'],
  ],
  [4, { pickup: 'answers', finds: { docketcall_opted_out: true } }, ['opted_out']],
  [4, { pickup: 'answers', deaf: true, reason: 'a-reason-that-is-new' }, ['failed']],
  [5, { pickup: 'answers', persona: 'opts_out' }, ['opted_out']],
  [5, { pickup: 'answers', persona: 'opts_out', deaf: true }, ['opted_out']],
  [4, { pickup: 'answers', persona: 'opts_out', deaf: true, callbacks: 'last lost' }, ['opted_out']],
  [4, { pickup: 'answers', persona: 'hangs_up' }, ['unsuccessful']],
  [4, { pickup: 'answers', persona: 'wrong_number' }, ['wrong_number']],
  [4, { pickup: 'answers', persona: 'asks_for_person' }, ['transferred']],
  [10, { pickup: 'machine' }, ['voicemail']],
  [6, { pickup: 'busy' }, ['busy']],
  [6, { pickup: 'no-answer' }, ['no_answer']],
  [3, { pickup: 'failed' }, ['failed']],
  [4, { pickup: 'answers', callbacks: 'lost' }, ['converted']],
  [4, { pickup: 'busy', callbacks: 'lost' }, ['busy']],
  [4, { pickup: 'answers', callbacks: 'last lost' }, ['converted']],
  [4, { pickup: 'machine', callbacks: 'doubled' }, ['voicemail']],
  [4, { pickup: 'answers', callbacks: 'reversed' }, ['converted']],
  [3, { pickup: 'answers', create: 429 }, ['converted']],
  [2, { pickup: 'answers', create: 'no concurrency' }, ['converted']],
  [2, { pickup: 'answers', create: 500 }, ['converted']],
  [2, { pickup: 'answers', create: 'placed, then 500' }, ['converted']],
  [2, { pickup: 'answers', create: 400 }, ['failed']],
]
const BY_NUMBER = MIX.flatMap((entry) => Array<(typeof MIX)[number]>(entry[0]).fill(entry))
const mixOf = (to: string) => BY_NUMBER[Number(to.slice(-2))]!

test('the mix is whole', () => assert.equal(BY_NUMBER.length, 100))

async function through(name: HostName) {
  let companyId = 0
  const { api, host } = await startHostedCalls({
    name,
    clock: clockAt('2026-03-02T15:00:00Z', 25),
    behaviour: (to) => mixOf(to)[1],
    engine: { maxConcurrentCalls: MOST },
    async seed({ pool }) {
      companyId = (await seedCampaign(pool, { contacts: CALLS, callbackDelays: [] })).companyId
      const fields = [
        { name: 'wants_follow_up', type: 'boolean' },
        { name: 'visits', type: 'number' },
      ]
      await pool.run(sql`
        update agents set is_transfer_enabled = true, transfer_number = ${COLLEAGUE}, post_call_fields = ${JSON.stringify(fields)}`)
    },
  })
  await eventually(async () => {
    const { settled } = await api.pool.one<{ settled: number }>(sql`
      select count(*)::int as settled from campaign_contacts where company_id = ${companyId} and state = 'settled'`)
    return settled === CALLS
  }, 300)
  return { api, host, companyId }
}

for (const name of ['vapi', 'retell'] as const) {
  const started = through(name)

  test(`${name}: hundreds of calls with every failing come out right, and nobody is rung twice`, async () => {
    const { api, host } = await started
    const rows = await api.pool.many<{ to_number: string; result: string; provider_call_id: string | null }>(sql`
      select to_number, result, provider_call_id from calls where state = 'ended'`)
    assert.equal(rows.length, CALLS)
    const wrong = rows.filter(({ to_number, result }) => !mixOf(to_number)[2].includes(result))
    assert.deepEqual(
      wrong.map(({ to_number, result }) => ({ result, ...mixOf(to_number)[1] })),
      [],
    )
    const placed = host.calls.map(({ to }) => to)
    assert.equal(new Set(placed).size, placed.length, 'no number was rung twice')
    assert.deepEqual(
      new Set(rows.flatMap(({ provider_call_id }) => provider_call_id ?? [])),
      new Set(host.calls.map(({ id }) => id)),
    )
    assert.deepEqual(host.refused, [])
  })

  test(`${name}: whoever asked for it is on the list of those who are not called, and the talk ended soon`, async () => {
    const { api, host, companyId } = await started
    const spoken = await api.pool.many<{ address: string; client_id: number | null }>(sql`
      select address, client_id from permissions
      where company_id = ${companyId} and kind = 'suppression' and source = 'spoken'`)
    // A wrong number is one for its contact only.
    const [rows, wrong] = [spoken.filter((row) => !row.client_id), spoken.filter((row) => row.client_id)]
    const strangers = host.calls.filter(({ behaviour }) => behaviour.persona === 'wrong_number')
    assert.deepEqual(wrong.map(({ address }) => address).sort(), strangers.map(({ to }) => to).sort())
    const asked = host.calls.filter(({ behaviour }) => behaviour.persona === 'opts_out')
    const found = host.calls.filter(({ behaviour }) => behaviour.finds?.docketcall_opted_out)
    assert.ok(asked.some(({ behaviour }) => behaviour.deaf) && found.length > 0)
    assert.deepEqual(rows.map(({ address }) => address).sort(), [...asked, ...found].map(({ to }) => to).sort())
    for (const { how, turns, behaviour } of asked) {
      if (behaviour.deaf) assert.equal(how, 'stopped')
      // Without us the agent would go on for sixty turns and their answers.
      assert.ok(turns.length < 20, `${turns.length} turns`)
    }
  })

  test(`${name}: the host never had more calls in hand than the installation may have in flight`, async () => {
    const { host } = await started
    assert.ok(host.mostLive() > MOST / 2, `only ${host.mostLive()} at once`)
    assert.ok(host.mostLive() <= MOST, `${host.mostLive()} at once`)
  })

  test(`${name}: the first words of every call name the firm and the AI, and a transfer is told of`, async () => {
    const { api, host, companyId } = await started
    for (const { turns } of host.calls.filter((call) => call.answered))
      assert.match(turns[0]!.text, /^.*AI assistant.*Test firm/)
    const transferred = await api.pool.many<{ transferred_to: string; transfer_steps: number[] }>(sql`
      select transferred_to, transfer_steps from calls where company_id = ${companyId} and result = 'transferred'`)
    assert.ok(transferred.length > 0)
    for (const call of transferred) assert.deepEqual(call, { transferred_to: COLLEAGUE, transfer_steps: [0, 1] })
  })

  test(`${name}: what was found out is kept where it fits its field, and null otherwise; the calls are told of`, async () => {
    const { api, host, companyId } = await started
    const found = new Set(host.calls.filter(({ behaviour }) => behaviour.finds?.wants_follow_up).map(({ to }) => to))
    const calls = await api.pool.many<{ id: number; to_number: string; extracted_fields: object; summary: string }>(sql`
      select id, to_number, extracted_fields, summary from calls where company_id = ${companyId} and transcript is not null`)
    for (const { to_number, extracted_fields, summary } of calls.filter((call) => found.has(call.to_number))) {
      assert.deepEqual(extracted_fields, { wants_follow_up: true, visits: null }, to_number)
      assert.equal(summary, 'They spoke about the matter.')
    }
    assert.ok(calls.length > found.size && found.size > 20)
    const told = await api.pool.many<{ activity: string; calls: number; times: number }>(sql`
      select activity, count(distinct record_id)::int as calls, count(*)::int as times from audit_log
      where company_id = ${companyId} and record_type = 'call' and activity in ('call_started', 'call_ended')
      group by activity`)
    assert.equal(told.length, 2)
    for (const { activity, calls, times } of told) assert.deepEqual([activity, calls, times], [activity, CALLS, CALLS])
  })
}
