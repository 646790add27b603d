import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { optOutAddresses } from '../../src/compliance/opt-out.ts'
import { openPool } from '../../src/core/db.ts'
import { cloneDatabase } from '../support/database.ts'
import { eventually } from '../support/engine.ts'
import { seedCampaign } from '../support/seed.ts'

const database = await cloneDatabase()
const pool = openPool({ ...database, max: 4 })
const running: ChildProcess[] = []
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await pool.end()
})

async function startProcess(): Promise<void> {
  const child = fork(new URL('../support/engine-process.ts', import.meta.url), {
    env: {
      ...process.env,
      DATABASE_URL: database.connectionString,
      SANDBOX_CLOCK: '2026-03-02T14:00:00Z',
      SANDBOX_SPEED: '2000',
    },
    execArgv: [],
  })
  running.push(child)
  await once(child, 'message')
}

test('who opts out while two processes dial is called by neither a second later, and is settled with the reason', async () => {
  const { companyId } = await seedCampaign(pool, {
    contacts: 3000,
    concurrencyLimit: 20,
    callbackDelays: [{ minutes: 5 }],
  })
  await Promise.all([startProcess(), startProcess()])
  const called = async () => (await pool.one<{ n: number }>(sql`select count(*)::int as n from calls`)).n
  await eventually(async () => (await called()) > 200, 60)

  const everyThird = sql`company_id = ${companyId} and id % 3 = 0`
  const numbers = await pool.many<{ address: string }>(
    sql`select mobile_e164 as address from clients where ${everyThird}`,
  )
  await pool.transaction((db) =>
    optOutAddresses(
      { db, companyId },
      numbers.map(({ address }) => ({ address, channel: 'sms' as const, purpose: 'all', source: 'keyword' as const })),
      'system',
    ),
  )
  await pool.transaction((db) =>
    optOutAddresses(
      { db, companyId },
      numbers.map(({ address }) => ({ address, channel: 'call' as const, purpose: 'all', source: 'spoken' as const })),
      'system',
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const { last } = await pool.one<{ last: number }>(sql`select max(id) as last from calls`)
  assert.ok((await called()) < 2000, 'most of the work still lay ahead')
  await eventually(async () => (await called()) > 2000, 120)
  const { late, others } = await pool.one<{ late: number; others: number }>(sql`
    select count(*) filter (where client_id % 3 = 0)::int as late, count(*) filter (where client_id % 3 <> 0)::int as others
    from calls where id > ${last}`)
  assert.equal(late, 0)
  assert.ok(others > 100)
  await eventually(async () => {
    const { open } = await pool.one<{ open: number }>(
      sql`select count(*)::int as open from campaign_contacts where client_id % 3 = 0 and state <> 'settled' and due_at <= (select now from (select max(created_at) as now from calls) c)`,
    )
    return open === 0
  }, 60)
  const reasons = await pool.many<{ settled_reason: string }>(sql`
    select distinct settled_reason from campaign_contacts c where client_id % 3 = 0 and state = 'settled' and not exists (
      select from calls k where k.company_id = c.company_id and k.client_id = c.client_id)`)
  assert.deepEqual(reasons, [{ settled_reason: 'opted_out' }])
})
