import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { explainCalls } from '../../src/campaigns/explain.ts'
import { startApi } from '../support/api.ts'
import { clockAt, eventually, startTestEngine } from '../support/engine.ts'
import { seedCampaign } from '../support/seed.ts'

const SHARED = '+12125560188'
const HOUR = 3_600_000

/** A firm with two campaigns over the same contacts, one call to each contact. */
async function firmWith(contacts: number, mobiles: (string | null)[]) {
  // A Monday, 10:00 in New York; a minute passes in 30 ms.
  const clock = clockAt('2026-03-02T15:00:00Z', 2000)
  const api = await startApi({ clock })
  const { companyId, campaignId } = await seedCampaign(api.pool, { contacts, callbackDelays: [] })
  const mine = sql`company_id = ${companyId}`
  for (const [index, mobile] of mobiles.entries())
    if (mobile)
      await api.pool.run(sql`
        update clients set mobile = ${mobile}, mobile_e164 = ${mobile} where ${mine} and external_source_id = ${String(index + 1)}`)
  const calls = () =>
    api.pool.many<{
      to_number: string
      campaign_id: number
      client_id: number
      created_at: Date
      ended_at: Date | null
    }>(sql`
      select to_number, campaign_id, client_id, created_at, ended_at from calls where ${mine} order by created_at, id`)
  return { clock, api, companyId, campaignId, mine, calls }
}

async function secondCampaign({ api, companyId, campaignId }: Awaited<ReturnType<typeof firmWith>>): Promise<number> {
  return api.pool.transaction(async (db) => {
    const { id } = await db.one<{ id: number }>(sql`
      insert into campaigns (company_id, name, agent_id, case_list_id, concurrency_limit, callback_delays, status, origin)
      select company_id, 'Second', agent_id, case_list_id, concurrency_limit, callback_delays, status, origin
      from campaigns where company_id = ${companyId} and id = ${campaignId} returning id`)
    await db.run(sql`
      insert into campaign_stats (company_id, campaign_id) values (${companyId}, ${id}) on conflict do nothing`)
    await db.run(sql`
      insert into campaign_runs (company_id, campaign_id, position, start_date, end_date, start_time, end_time, selected_days, messaging_only)
      select company_id, ${id}, position, start_date, end_date, start_time, end_time, selected_days, messaging_only
      from campaign_runs where company_id = ${companyId} and campaign_id = ${campaignId}`)
    return id
  })
}

test('two contacts who share a number are both called, but the number rings once an hour and never twice at once', async () => {
  const firm = await firmWith(3, [SHARED, SHARED, null])
  await startTestEngine(firm.api, firm.clock, { maxConcurrentCalls: 50 })
  const calls = await eventually(async () => {
    const made = await firm.calls()
    return made.length === 3 && made.every(({ ended_at }) => ended_at) ? made : undefined
  }, 60)
  const [first, second] = calls.filter(({ to_number }) => to_number === SHARED)
  assert.notEqual(first!.client_id, second!.client_id)
  assert.ok(second!.created_at.getTime() - first!.created_at.getTime() >= HOUR)
  const refusals = await firm.api.pool.many<{ law: string[] }>(sql`
    select law from refusals where ${firm.mine} and rules = '{legal_attempts}'`)
  assert.deepEqual(refusals[0]?.law, ['house-spacing@1'])
})

test("a number that is nobody's may be tried again and again", async () => {
  const firm = await firmWith(2, ['+12025550100', '+12025550100'])
  await startTestEngine(firm.api, firm.clock, { maxConcurrentCalls: 50 })
  const calls = await eventually(async () => {
    const made = await firm.calls()
    return made.length === 2 ? made : undefined
  }, 60)
  assert.ok(calls[1]!.created_at.getTime() - calls[0]!.created_at.getTime() < HOUR)
})

test('a contact with cases in two campaigns is called by both, an hour apart, also on another number', async () => {
  const firm = await firmWith(2, [null, null])
  await secondCampaign(firm)
  await startTestEngine(firm.api, firm.clock, { maxConcurrentCalls: 50 })
  const calls = await eventually(async () => {
    const made = await firm.calls()
    return made.length === 4 && made.every(({ ended_at }) => ended_at) ? made : undefined
  }, 60)
  for (const ofClient of Map.groupBy(calls, ({ client_id }) => client_id).values()) {
    const [first, second] = ofClient
    assert.notEqual(first!.campaign_id, second!.campaign_id)
    assert.ok(second!.created_at.getTime() - first!.created_at.getTime() >= HOUR)
  }
})

test('explain_call tells who waits because the number was rung for somebody else, and until when', async () => {
  const firm = await firmWith(2, [SHARED, SHARED])
  const at = new Date('2026-03-02T16:00:00Z')
  await firm.api.pool.run(sql`
    insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, to_number, provider, decision, created_at, ended_at)
    select l.company_id, ${firm.campaignId}, l.client_id, l.case_id, ${`agent_${firm.companyId}`}, 1, 'ended', ${SHARED}, 'test', '{}',
      ${new Date(at.getTime() - HOUR / 4)}, ${at}
    from case_clients l where l.company_id = ${firm.companyId} order by l.client_id limit 1`)
  const ctx = { db: firm.api.pool, companyId: firm.companyId, clock: firm.clock } as never
  const [called, other] = await firm.api.pool.many<{ id: number }>(
    sql`select id from clients where ${firm.mine} order by id`,
  )
  const ask = async (client_id: number, now = at) => (await explainCalls(ctx, firm.campaignId, { client_id }, now))[0]!
  const reasons = (explained: Awaited<ReturnType<typeof ask>>) =>
    explained.reasons.filter(({ law }) => law.length > 0).map(({ law, until }) => [law[0], until?.toISOString()])
  assert.deepEqual(reasons(await ask(other!.id)), [['house-spacing@1', '2026-03-02T16:45:00.000Z']])
  assert.deepEqual(reasons(await ask(called!.id)), [], 'its own call is no call to somebody else')
  assert.deepEqual(reasons(await ask(other!.id, new Date('2026-03-02T16:45:00Z'))), [])
  await firm.api.pool.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, due_at, requested_at)
    select l.company_id, ${firm.campaignId}, l.client_id, l.case_id, 'due', ${at}, ${at} from case_clients l
    where l.company_id = ${firm.companyId} and l.client_id = ${other!.id}`)
  assert.deepEqual(reasons(await ask(other!.id)), [], 'somebody asked for this call')
})

test('the caps of a number hold over contacts and campaigns, and end at the firm', async () => {
  const firm = await firmWith(2, [SHARED, SHARED])
  const other = await seedCampaign(firm.api.pool, { name: 'Other firm', contacts: 1 })
  await firm.api.pool.run(sql`
    update clients set mobile = ${SHARED}, mobile_e164 = ${SHARED} where company_id = ${other.companyId}`)
  const at = new Date('2026-03-02T20:00:00Z')
  await firm.api.pool.run(sql`
    insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, to_number, provider, decision, created_at, ended_at)
    select l.company_id, ${firm.campaignId}, l.client_id, l.case_id, ${`agent_${firm.companyId}`}, n, 'ended', ${SHARED}, 'test', '{}',
      ${at}::timestamptz - n * interval '61 minutes', ${at}
    from (select * from case_clients where company_id = ${firm.companyId} order by client_id limit 1) l, generate_series(1, 6) n`)
  const ask = async (companyId: number, campaignId: number) => {
    const ctx = { db: firm.api.pool, companyId, clock: firm.clock } as never
    const { id } = await firm.api.pool.one<{ id: number }>(sql`
      select max(id) as id from clients where company_id = ${companyId}`)
    const [explained] = await explainCalls(ctx, campaignId, { client_id: id }, at)
    return explained!.reasons.flatMap(({ law }) => law)
  }
  assert.deepEqual(await ask(firm.companyId, firm.campaignId), ['house-attempts@1'])
  assert.deepEqual(await ask(other.companyId, other.campaignId), [])
})
