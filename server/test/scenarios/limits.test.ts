import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { createProviders } from '../../src/providers/index.ts'
import { startApi } from '../support/api.ts'
import { clockAt, eventually, startTestEngine } from '../support/engine.ts'
import { seedCampaign } from '../support/seed.ts'

const SPEED = 100
const clock = clockAt('2026-03-02T14:00:00Z', SPEED)
const api = await startApi({ clock })
const { pool } = api

const CALLS_PER_SECOND = 25
const providers = createProviders(pool, clock)
const voice = { ...providers.voice, calls_per_second: CALLS_PER_SECOND }
const MOST = 12

const large = await seedCampaign(pool, { name: 'Large', contacts: 600 })
const small = await seedCampaign(pool, { name: 'Small', contacts: 10 })
const halved = await seedCampaign(pool, { name: 'Halved', contacts: 60 })
await pool.run(sql`update companies set concurrency_rate = 25 where id = ${halved.companyId}`)
await startTestEngine(api, clock, { providers: { ...providers, voice }, maxConcurrentCalls: MOST })

const endedOf = async (companyId: number) =>
  (
    await pool.one<{ n: number }>(
      sql`select count(*)::int as n from calls where company_id = ${companyId} and attempt = 1 and state = 'ended'`,
    )
  ).n

const mostInFlight = async (companyId: number | null) =>
  (
    await pool.one<{ most: number }>(sql`
      select max(in_flight)::int as most from (
        select sum(change) over (order by at, change) as in_flight from (
          select placed_at as at, 1 as change from sandbox_calls where ${companyId}::bigint is null or company_id = ${companyId}
          union all
          select coalesce(ended_at, 'infinity'), -1 from sandbox_calls where ${companyId}::bigint is null or company_id = ${companyId}
        ) as changes
      ) as flights`)
  ).most

test('a company with ten contacts is served beside one with hundreds', async () => {
  await eventually(async () => (await endedOf(small.companyId)) === 10, 60)
  const ofLarge = await endedOf(large.companyId)
  assert.ok(ofLarge < 200, `the large company had ${ofLarge} of its 600 calls when the small one was through`)
})

test('neither the installation nor a company ever has more calls in flight than it may', async () => {
  await eventually(async () => (await endedOf(halved.companyId)) === 60, 60)
  assert.equal(await mostInFlight(null), MOST)
  assert.equal(await mostInFlight(halved.companyId), MOST / 4)
})

test('a provider is never asked for more calls in a second than it takes', async () => {
  // A call's time is read before the lock is waited for: a tenth of a second is allowed for that.
  const window = `${SPEED * 0.9} seconds`
  const { most } = await pool.one<{ most: number }>(sql`
    select max(calls)::int as most from (
      select count(*) over (order by created_at range between ${window}::interval preceding and current row) as calls from calls
    ) as windows`)
  assert.ok(most > CALLS_PER_SECOND / 2 && most <= CALLS_PER_SECOND, `${most} calls in a second`)
})
