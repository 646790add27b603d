import { pino } from 'pino'
import sql from 'sql-template-tag'
import { recount } from '../server/src/case-lists/counts.ts'
import { fastClock, pause } from '../server/src/core/clock.ts'
import { openPool } from '../server/src/core/db.ts'
import { startEngine } from '../server/src/engine/engine.ts'
import { jobs, listen } from '../server/src/jobs.ts'
import { createProviders } from '../server/src/providers/index.ts'
import { benchDatabase } from './database.ts'
import { number, report } from './report.ts'
import { seedCampaign, seedCases } from './seed.ts'

/** A million members: how long their list takes to be counted and their campaign to be planned, and in how much memory. */
const MEMBERS = Number(process.argv[2] ?? 1_000_000)

const database = await benchDatabase()
const pool = openPool({ ...database.config, max: 20 })
const company = await seedCases(pool, MEMBERS)
await seedCampaign(pool, company)
// Sunday: nobody may be called, so that nothing but planning is measured.
const clock = fastClock(new Date('2026-03-01T17:00:00Z'), new Date(), 1)

const counting = performance.now()
await pool.transaction((db) => recount({ db, companyId: company }, [1]))
const { counted } = await pool.one<{ counted: number }>(sql`select counted from case_lists where id = 1`)
const counted_s = (performance.now() - counting) / 1000

const planning = performance.now()
const engine = await startEngine({
  pool,
  clock,
  log: pino({ level: 'warn' }),
  providers: createProviders(pool, clock),
  jobs,
  listen,
  alone: true,
  maxConcurrentCalls: 100,
  publicUrl: 'http://localhost',
})
let memory = 0
for (;;) {
  memory = Math.max(memory, process.memoryUsage().rss)
  const { done } = await pool.one<{ done: boolean }>(sql`select plan_cursor is null as done from campaigns`)
  if (done) break
  await pause(100)
}
const planned_s = (performance.now() - planning) / 1000
const { planned } = await pool.one<{ planned: number }>(sql`select count(*) as planned from campaign_contacts`)
report([
  {
    what: `a list of ${number(counted)} members counted`,
    service: `${number(counted_s, 2)} s`,
  },
  {
    what: 'and its campaign planned',
    aim: '60 s, 512 MB',
    service: `${number(planned_s, 1)} s for ${number(planned)} contacts, at most ${number(memory / 2 ** 20)} MB of the service's memory`,
  },
])
await engine.stop(0)
await pool.end()
await database.stop()
