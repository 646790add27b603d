import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { type CallResult, isRetried } from '../../src/calls/results.ts'
import { openPool } from '../../src/core/db.ts'
import { cloneDatabase } from '../support/database.ts'
import { eventually } from '../support/engine.ts'
import { seedCampaign } from '../support/seed.ts'

const CONTACTS = 5000
const LIMIT = 7

const database = await cloneDatabase()
const pool = openPool({ ...database, max: 4 })
const running = new Set<ChildProcess>()
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await pool.end()
})

async function startProcess(): Promise<ChildProcess> {
  const child = fork(new URL('../support/engine-process.ts', import.meta.url), {
    env: {
      ...process.env,
      DATABASE_URL: database.connectionString,
      SANDBOX_CLOCK: '2026-03-02T14:00:00Z',
      SANDBOX_SPEED: '8000',
    },
    execArgv: [],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  await once(child, 'message')
  return child
}

test('three processes, one killed and restarted: never more than the limit in flight, nobody lost, nobody rung twice', async (t) => {
  await seedCampaign(pool, { contacts: CONTACTS, concurrencyLimit: LIMIT, callbackDelays: [{ hours: 1 }] })
  // It is day for one half or the other: the test has no nights to wait for.
  await pool.run(sql`
    update clients set timezone = 'Asia/Tokyo', state = null, postal_code = null, mobile = '+8190' || (10000000 + id), mobile_e164 = '+8190' || (10000000 + id)
    where id % 2 = 0`)
  const children = await Promise.all([startProcess(), startProcess(), startProcess()])
  const ended = async () =>
    (await pool.one<{ n: number }>(sql`select count(*)::int as n from calls where state = 'ended'`)).n
  for (const victim of children.slice(0, 2)) {
    const so_far = await ended()
    await eventually(async () => (await ended()) > so_far + 300, 60)
    victim.kill('SIGKILL')
    await startProcess()
  }
  await eventually(async () => {
    const { open } = await pool.one<{ open: number }>(sql`
      select count(*)::int as open from campaign_contacts where state <> 'settled'`)
    return open === 0
  }, 400)

  const most = await pool.one<{ most: number }>(sql`
    select max(in_flight)::int as most from (
      select sum(change) over (order by at, change) as in_flight from (
        select placed_real as at, 1 as change from sandbox_calls
        union all
        -- A refused call is over as it is placed.
        select coalesce(ended_real, placed_real), -1 from sandbox_calls where ended_at is not null) as changes
    ) as flights`)
  t.diagnostic(`${await ended()} calls, at most ${most.most} in flight`)
  assert.equal(most.most, LIMIT)

  const lost = await pool.many(sql`select * from calls where state <> 'ended' or result is null`)
  assert.deepEqual(lost, [])
  const strangers = await pool.many(sql`
    select s.call_id from sandbox_calls s full join calls c on c.company_id = s.company_id and c.id = s.call_id
    where s.call_id is null or c.id is null`)
  assert.deepEqual(strangers, [], 'the carrier and the service know the same calls')

  const contacts = await pool.many<{ client_id: number; results: CallResult[]; attempts: number[] }>(sql`
    select cc.client_id, array_agg(c.result order by c.id) as results, array_agg(c.attempt order by c.id) as attempts
    from campaign_contacts cc join calls c on c.company_id = cc.company_id and c.campaign_id = cc.campaign_id and c.client_id = cc.client_id
    group by cc.client_id`)
  assert.equal(contacts.length, CONTACTS, 'everybody was called')
  for (const { client_id, results, attempts } of contacts) {
    assert.deepEqual(
      attempts,
      results.map((_, index) => index + 1),
      `the attempts of client ${client_id} are numbered one by one`,
    )
    const last = results.at(-1)!
    // One delay: one attempt is repeated; a callback that was asked for is made and uses up no delay.
    const retried = results.filter((result) => isRetried(result)).length
    assert.ok(
      results.slice(0, -1).every((result) => isRetried(result) || result === 'callback_requested'),
      `client ${client_id}: ${results}`,
    )
    assert.ok(isRetried(last) ? retried === 2 : retried <= 1, `client ${client_id}: ${results}`)
  }
})
