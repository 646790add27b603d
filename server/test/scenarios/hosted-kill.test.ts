import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { fastClock } from '../../src/core/clock.ts'
import { openPool } from '../../src/core/db.ts'
import { cloneDatabase } from '../support/database.ts'
import { eventually } from '../support/engine.ts'
import { hostSettings } from '../support/hosted-calls.ts'
import { freePort } from '../support/real-calls.ts'
import { startRetell } from '../support/retell-emulator.ts'
import { seedCampaign } from '../support/seed.ts'

const CALLS = 200
const clockSettings = { instant: '2026-03-02T15:00:00Z', since: Date.now(), speed: 25 }
const clock = fastClock(new Date(clockSettings.instant), new Date(clockSettings.since), clockSettings.speed)

const database = await cloneDatabase()
const pool = openPool({ ...database, max: 4 })
/** One in ten is busy, and one in ten wants no calls, of an agent that does not listen. */
const host = await startRetell(clock, (to) => {
  const digit = to.at(-1)
  if (digit === '0') return { pickup: 'busy' }
  if (digit === '1') return { pickup: 'answers', persona: 'opts_out', deaf: true }
  return { pickup: 'answers' }
})
const PORT = String(await freePort())
const running = new Set<ChildProcess>()
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await host.close()
  await pool.end()
})

async function startProcess(): Promise<ChildProcess> {
  const env = {
    ...process.env,
    DATABASE_URL: database.connectionString,
    SETTINGS: JSON.stringify(hostSettings('retell', host.url, `http://127.0.0.1:${PORT}`)),
    PORT,
    CLOCK: JSON.stringify(clockSettings),
  }
  const child = fork(new URL('../support/real-calls-process.ts', import.meta.url), { env, execArgv: [] })
  running.add(child)
  child.once('exit', () => running.delete(child))
  await once(child, 'message')
  return child
}

test('an engine killed twice amid hosted calls loses none of them and rings nobody twice', async () => {
  await seedCampaign(pool, { contacts: CALLS, callbackDelays: [] })
  const settled = async () =>
    (
      await pool.one<{ n: number }>(sql`
        select count(*)::int as n from campaign_contacts where state = 'settled'`)
    ).n
  for (let child = await startProcess(), kills = 1; kills <= 2; kills++) {
    await eventually(async () => (await settled()) > 50 * kills, 60)
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    child = await startProcess()
  }
  await eventually(async () => (await settled()) === CALLS, 120)
  const numbers = host.calls.map(({ to }) => to)
  assert.equal(numbers.length, CALLS)
  assert.equal(new Set(numbers).size, CALLS)
  const rows = await pool.many<{ to_number: string; result: string }>(sql`select to_number, result from calls`)
  const expected = (to: string) => ({ 0: 'busy', 1: 'opted_out' })[Number(to.at(-1))] ?? 'converted'
  assert.deepEqual(
    rows.filter(({ to_number, result }) => result !== expected(to_number)),
    [],
  )
})
