import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { openPool } from '../../src/core/db.ts'
import { cloneDatabase } from '../support/database.ts'
import { eventually } from '../support/engine.ts'
import { seedCampaign } from '../support/seed.ts'
import { newDataDir, readLog, startService } from '../support/service.ts'

const { connectionString } = await cloneDatabase()
const pool = openPool({ connectionString, max: 1 })
after(() => pool.end())

const CONTACTS = 300

test('a service whose connections to PostgreSQL are cut again and again goes on: everybody is called, nobody twice at once', async () => {
  await seedCampaign(pool, { contacts: CONTACTS, callbackDelays: [{ hours: 1 }] })
  const DATA_DIR = await newDataDir()
  const service = startService({
    DATABASE_URL: connectionString,
    DATA_DIR,
    SANDBOX_CLOCK: '2026-03-02T14:00:00Z',
    SANDBOX_SPEED: '1000',
  })
  const url = await service.ready
  for (let cut = 0; cut < 25; cut++) {
    await pool.run(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await pause(250)
    assert.equal(service.child.exitCode, null, service.stderr())
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
  }
  await eventually(async () => (await fetch(`${url}/readyz`)).status === 200)
  // Retries and callbacks go on for days.
  await eventually(async () => {
    const { called, live } = await pool.one<{ called: number; live: number }>(sql`
      select (select count(*)::int from campaign_contacts where last_result is not null) as called,
        (select count(*)::int from calls where state <> 'ended') as live`)
    return called === CONTACTS && live === 0
  }, 40)
  const twice = await pool.many(sql`
    select client_id, attempt from calls group by client_id, attempt having count(*) > 1`)
  assert.deepEqual(twice, [], 'nobody was rung twice for one attempt')
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  assert.doesNotMatch(await readLog(DATA_DIR), /"level":60/)
})
