import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { fastClock, pause } from '../server/src/core/clock.ts'
import { openPool } from '../server/src/core/db.ts'
import { startEngine } from '../server/src/engine/engine.ts'
import { jobs, listen } from '../server/src/jobs.ts'
import { createProviders } from '../server/src/providers/index.ts'
import { benchDatabase } from './database.ts'
import { number, report } from './report.ts'
import { seedCampaign, seedCases } from './seed.ts'

/** Calls per second through the engine: claimed, asked about, placed, talked, settled, in one process. */
const { values } = parseArgs({
  options: {
    contacts: { type: 'string', default: '30000' },
    concurrent: { type: 'string', default: '1000' },
    speed: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '20' },
  },
})
const { contacts, concurrent, speed, seconds } = Object.fromEntries(
  Object.entries(values).map(([name, text]) => [name, Number(text)]),
) as Record<keyof typeof values, number>

const database = await benchDatabase()
const pool = openPool({ ...database.config, max: 20 })
// Monday, 12:00 in New York; the run is open until 20:00, longer than the bench lasts.
const clock = fastClock(new Date('2026-03-02T17:00:00Z'), new Date(), speed)
const company = await seedCases(pool, contacts)
await seedCampaign(pool, company)
const engine = await startEngine({
  pool,
  clock,
  log: pino({ level: 'warn' }),
  providers: createProviders(pool, clock),
  jobs,
  listen,
  alone: true,
  maxConcurrentCalls: concurrent,
  publicUrl: 'http://localhost',
})
while ((await count('plan_cursor is not null', 'campaigns')) > 0) await pause(50)

const started = performance.now()
const before = await count("state = 'ended'", 'calls')
const cpu = process.cpuUsage()
let most = 0
while (performance.now() - started < seconds * 1000) {
  await pause(250)
  most = Math.max(most, await count("state <> 'ended'", 'calls'))
}
const elapsed = (performance.now() - started) / 1000
const ended = (await count("state = 'ended'", 'calls')) - before
const { user, system } = process.cpuUsage(cpu)
report([
  {
    what: 'calls per second through the engine',
    aim: '1,000',
    service:
      `${number(ended / elapsed)}/s, at most ${number(most)} of ${number(concurrent)} in flight, ` +
      `${number((user + system) / ended)} µs of the service's CPU a call, ${number(process.memoryUsage().rss / 2 ** 20)} MB`,
  },
])
await engine.stop(0)
await pool.end()
await database.stop()

async function count(where: string, table: string): Promise<number> {
  const { rows } = await pool.pg.query(`select count(*)::int as n from ${table} where ${where}`)
  return rows[0].n
}
