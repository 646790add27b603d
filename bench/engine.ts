import { parseArgs } from 'node:util'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { insertCompany } from '../server/src/companies/queries.ts'
import { fastClock, pause } from '../server/src/core/clock.ts'
import { openPool, type Pool } from '../server/src/core/db.ts'
import { startEngine } from '../server/src/engine/engine.ts'
import { jobs, listen } from '../server/src/jobs.ts'
import { createProviders } from '../server/src/providers/index.ts'
import { benchDatabase } from './database.ts'

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
await seed(pool, contacts)
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
console.log(
  `${(ended / elapsed).toFixed(0)} calls/s over ${elapsed.toFixed(0)} s, at most ${most} of ${concurrent} in flight, ` +
    `${((user + system) / ended).toFixed(0)} µs of the service's CPU a call, ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`,
)
await engine.stop(0)
await pool.end()
await database.stop()

async function count(where: string, table: string): Promise<number> {
  const { rows } = await pool.pg.query(`select count(*)::int as n from ${table} where ${where}`)
  return rows[0].n
}

async function seed(db: Pool, clients: number): Promise<void> {
  const company = await db.transaction((tx) => insertCompany(tx, 'Bench firm'))
  await db.run(sql`
    insert into clients (company_id, external_source, external_source_id, first_name, last_name, mobile, mobile_e164, state, postal_code, origin)
    select ${company}, 'bench', n::text, 'Ana', 'Lee ' || n, '+1212' || (2000000 + n), '+1212' || (2000000 + n), 'NY', '10007', 'public_api'
    from generate_series(1, ${clients}::int) n`)
  await db.run(sql`
    insert into cases (company_id, case_number, external_source, external_source_id, status_id, type_id, origin)
    select ${company}, 'B-' || n, 'import', n::text, (select min(id) from case_statuses), (select min(id) from case_types), 'public_api'
    from generate_series(1, ${clients}::int) n`)
  await db.run(sql`
    insert into case_clients (company_id, case_id, client_id)
    select ${company}, k.id, c.id from cases k join clients c on c.external_source_id = k.external_source_id`)
  await db.run(sql`
    with list as (
      insert into case_lists (company_id, name, filter, f_case_type_ids, origin)
      select ${company}, 'All', jsonb_build_object('case_type_ids', jsonb_build_array(min(id))), array[min(id)], 'public_api' from case_types
      returning id
    ), agent as (
      insert into agents (company_id, id, name, voice_id, greeting, task, post_call_fields)
      values (${company}, 'agent_bench', 'Grace', 'voice_x', 'Hello {{first_name}}, this is Grace from {{company_name}}.',
        'Ask whether they can come to the office this week.', '[{"name": "can_come", "type": "boolean", "description": "Can they come?"}]')
      returning id
    ), campaign as (
      insert into campaigns (company_id, name, agent_id, case_list_id, callback_delays, status, origin)
      select ${company}, 'Bench', agent.id, list.id, '[{"hours": 1}]', 'active', 'public_api' from list, agent returning id
    ), stats as (
      insert into campaign_stats (company_id, campaign_id) select ${company}, id from campaign
    )
    insert into campaign_runs (company_id, campaign_id, position, start_date, end_date, start_time, end_time)
    select ${company}, id, 0, '2026-03-02', '2026-03-31', '09:00', '20:00' from campaign`)
  await db.pg.query('vacuum analyze')
}
