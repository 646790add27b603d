/**
 * Deliveries per second of one process to a receiver on loopback, beside a bare loop of signed posts in the same run;
 * then both again among a thousand webhooks of other companies and with ten million rows in the log.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import sql, { type Sql } from 'sql-template-tag'
import { pause, realClock } from '../server/src/core/clock.ts'
import { openPool } from '../server/src/core/db.ts'
import { startEngine } from '../server/src/engine/engine.ts'
import { createProviders } from '../server/src/providers/index.ts'
import { deliverWebhooks } from '../server/src/webhooks/deliver.ts'
import { claimWebhooks, selectDue } from '../server/src/webhooks/deliveries.ts'
import { insertWebhook } from '../server/src/webhooks/queries.ts'
import { recordEngineChanges } from '../server/src/webhooks/record-changes.ts'
import { newSecret, signedHeaders } from '../server/src/webhooks/signing.ts'
import { openTransport } from '../server/src/webhooks/transport.ts'
import { benchDatabase } from './database.ts'
import { median, number, percent, report } from './report.ts'
import { seedCases } from './seed.ts'

const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    webhooks: { type: 'string', default: '1000' },
    log: { type: 'string', default: '10000000' },
    /** Folder for the plans of the statements. */
    plans: { type: 'string' },
  },
})
const [DELIVERIES, ROUNDS, WEBHOOKS, LOG] = [values.deliveries, values.rounds, values.webhooks, values.log].map(
  Number,
) as [number, number, number, number]
const CONNECTIONS = 8

const database = await benchDatabase()
const pool = openPool({ ...database.config, max: 10 })
const receiver = fork(new URL('receiver.ts', import.meta.url))
const [port] = await once(receiver, 'message')
const url = `http://127.0.0.1:${port}/`
const companyId = await seedCases(pool, DELIVERIES)
const ids = (
  await pool.many<{ id: number }>(sql`select id from clients where company_id = ${companyId} order by id`)
).map(({ id }) => id)
const hook = {
  name: 'Bench',
  url,
  enabled: true,
  event_types: [],
  case_type_ids: [],
  campaign_ids: [],
  api_key_id: null,
}
const webhookId = await insertWebhook({ db: pool, companyId }, hook, newSecret())
const webhook = { company_id: companyId, webhook_id: webhookId }

const engine = await startEngine({
  pool,
  clock: realClock,
  log: pino({ level: 'warn' }),
  providers: createProviders(pool, realClock),
  jobs: [deliverWebhooks],
  listen: async () => {},
  alone: true,
  maxConcurrentCalls: 1,
  publicUrl: 'http://localhost',
  allowPrivateWebhooks: true,
})

interface Measure {
  perSecond: number
  cpu_us: number
  each_us: number
}

/** The service's CPU and the time that `work` takes, for each of so many. */
async function measured(count: number, work: () => Promise<void>): Promise<Measure> {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  const ms = performance.now() - began
  return { perSecond: (count / ms) * 1000, cpu_us: (user + system) / count, each_us: (ms * 1000) / count }
}

/** Events of updates, as bulk work writes them: 1,000 in a statement. */
const emit = () =>
  measured(DELIVERIES, async () => {
    await pool.run(sql`update webhooks set hold_until = 'infinity' where company_id = ${companyId}`)
    for (let at = 0; at < ids.length; at += 1000) {
      const changes = ids.slice(at, at + 1000).map(changeOf)
      await pool.transaction((db) => recordEngineChanges(db, changes))
    }
  })

const changeOf = (id: number) => ({
  company_id: companyId,
  activity: 'client_updated',
  record_type: 'client',
  record_id: id,
  client_id: id,
  changes: { city: { from: null, to: 'New York' } },
})

const deliver = () =>
  measured(DELIVERIES, async () => {
    await pool.run(sql`update webhooks set hold_until = null where company_id = ${companyId}`)
    for (;;) {
      const left = await pool.maybe(sql`select from webhook_deliveries where company_id = ${companyId} limit 1`)
      if (!left) break
      await pause(20)
    }
  })

const post = openTransport({ allowPrivate: true })
const secrets = [newSecret()]
const example = JSON.stringify({ id: `evt_${'0'.repeat(32)}`, type: 'client_updated', data: { text: 'x'.repeat(600) } })

const bare = () =>
  measured(DELIVERIES, async () => {
    let left = DELIVERIES
    const loop = async () => {
      while (left-- > 0) {
        const id = `msg_${left}`
        const { error } = await post(url, signedHeaders(id, Math.floor(Date.now() / 1000), example, secrets), example)
        if (error) throw new Error(error)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  })

async function rounds() {
  const all: Record<'bare' | 'emit' | 'deliver', Measure>[] = []
  for (let round = 0; round < ROUNDS; round++)
    all.push({ bare: await bare(), emit: await emit(), deliver: await deliver() })
  const of = (what: 'bare' | 'emit' | 'deliver', unit: keyof Measure) => median(all.map((each) => each[what][unit]))
  return {
    bare: of('bare', 'perSecond'),
    delivered: of('deliver', 'perSecond'),
    ratio: median(all.map((each) => each.deliver.perSecond / each.bare.perSecond)),
    cpu: of('deliver', 'cpu_us'),
    emit: of('emit', 'each_us'),
  }
}

await deliver()
const alone = await rounds()

process.stdout.write(`${number(WEBHOOKS)} webhooks of other companies and ${number(LOG)} rows of the log …\n`)
await pool.run(sql`
  with firms as (insert into companies (name) select 'Other ' || n from generate_series(1, ${WEBHOOKS}::int) n returning id)
  insert into webhooks (company_id, name, url, secret) select id, 'Other', 'https://example.com/', decode('00', 'hex') from firms`)
const CHUNK = 500_000
for (let at = 0; at < LOG; at += CHUNK)
  await pool.run(sql`
    insert into webhook_attempts (company_id, webhook_id, event_id, destination_url, triggered_by, attempt_number, http_status,
      duration_ms, success, created_at)
    select w.company_id, w.id, n, w.url, 'event', 1, 204, 40, true, now() - interval '60 days'
    from generate_series(${at}::int + 1, ${Math.min(LOG, at + CHUNK)}::int) n
    join (select company_id, id, url, row_number() over (order by id) as place from webhooks) w on w.place = 1 + n % ${WEBHOOKS}::int`)
await pool.pg.query('vacuum analyze')
const crowded = await rounds()
if (values.plans) await keepPlans(values.plans)

report([
  {
    what: 'Webhook deliveries a second, one process',
    service: `${number(alone.delivered)}/s, ${number(alone.cpu)} µs of its CPU each`,
    bare: `${number(alone.bare)}/s`,
    ratio: percent(alone.ratio),
    aim: '50 %; 2,000/s',
  },
  {
    what: `Beside ${number(WEBHOOKS)} other webhooks, ${number(LOG)} rows in the log`,
    service: `${number(crowded.delivered)}/s, ${number(crowded.cpu)} µs of its CPU each`,
    bare: `${number(crowded.bare)}/s`,
    ratio: percent(crowded.ratio),
    aim: 'unchanged',
  },
  {
    what: 'An event with its delivery and audit entry, 1,000 at a time; then in that crowd',
    service: `${number(alone.emit)} µs; ${number(crowded.emit)} µs`,
    aim: 'unchanged',
  },
])
await engine.stop(3000)
receiver.disconnect()
await pool.end()
await database.stop()

/** Plans of the statements on the way, executed once and rolled back. */
async function keepPlans(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await emit()
  const statements: Record<string, (db: typeof pool) => Promise<unknown>> = {
    'webhooks-claim': (db) => claimWebhooks(db, engine.nodeId, 100),
    'webhooks-due': (db) => selectDue(db, webhook, [], 256),
    'webhooks-emit': (db) => recordEngineChanges(db, [changeOf(ids[0]!)]),
  }
  await pool.run(sql`update webhooks set hold_until = null where company_id = ${companyId}`)
  for (const [name, ask] of Object.entries(statements)) {
    const client = await pool.pg.connect()
    await client.query('begin')
    const explain = async (query: Sql): Promise<never> => {
      const { rows } = await client.query({
        text: `explain (analyze, buffers, costs off) ${query.text}`,
        values: query.values,
      })
      writeFileSync(`${folder}/${name}.txt`, `${rows.map((row) => row['QUERY PLAN']).join('\n')}\n`)
      return [] as never
    }
    await ask({ ...pool, many: explain, run: explain })
    await client.query('rollback')
    client.release()
  }
}
