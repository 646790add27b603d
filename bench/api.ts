/**
 * Requests per second of the service and of a bare Fastify route that runs the same statement (`bare.ts`), in turns on
 * the same database. The load comes from this process.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import autocannon, { type Request } from 'autocannon'
import sql from 'sql-template-tag'
import { insertKey } from '../server/src/companies/queries.ts'
import { openPool } from '../server/src/core/db.ts'
import { benchDatabase } from './database.ts'
import { median, number, percent, type Row, report } from './report.ts'
import { seedCases } from './seed.ts'
import { type Server, startServer } from './server.ts'

const CLIENTS = 100_000
const LISTS = 1000
const CONNECTIONS = 32
/** Short ones in turns, so that whatever else the machine does hits both alike. */
const ROUNDS = 9
const SECONDS = 1.5

await using stack = new AsyncDisposableStack()
const database = await benchDatabase()
stack.defer(database.stop)
const pool = openPool({ ...database.config, max: 2 })
const company = await seedCases(pool, CLIENTS)
await pool.run(sql`
  insert into case_lists (company_id, name, filter, f_case_type_ids, counted, origin)
  select ${company}, 'List ' || n, jsonb_build_object('case_type_ids', jsonb_build_array(n)), array[n], ${CLIENTS}::int, 'public_api'
  from generate_series(1, ${LISTS}::int) n`)
await pool.pg.query('vacuum analyze')
const { api_key } = await insertKey({ db: pool, companyId: company }, 'bench')
await pool.end()

const settings = { BENCH_DATABASE: database.config.connectionString, BENCH_COMPANY: String(company) }
const service = await startServer('service.ts', settings)
stack.defer(service.stop)
const bare = await startServer('bare.ts', settings)
stack.defer(bare.stop)
const headers = { 'x-api-key': api_key }

const random = (below: number) => 1 + (randomBytes(4).readUInt32LE() % below)
const reads = Array.from({ length: 1000 }, () => ({ path: `/v1/clients/${random(CLIENTS)}` }))
const pages = Array.from({ length: 100 }, () => ({ path: `/v1/case_lists?page=${random(LISTS / 25)}&page_size=25` }))
const creation: Request = {
  method: 'POST',
  path: '/v1/clients',
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify({
    external_source: 'import',
    external_source_id: 'SF-10293',
    first_name: 'María',
    last_name: 'Okafor',
    email: 'maria@example.com',
    mobile: '+12125550123',
    date_of_birth: '1984-07-19',
    city: 'New York',
    state: 'NY',
    postal_code: '10007',
    address_line1: '350 Fifth Avenue',
    meta: { language: 'es', intake: 'web form' },
  }),
}

for (const { path } of [reads[0]!, pages[0]!]) assert.deepEqual(await get(service, path), await get(bare, path))

report([
  await compare('create one client', [creation], 0.7),
  await compare('read one client', reads, 0.7),
  await compare('list a page of 25 case lists of 1,000', pages),
])

async function get({ url }: Server, path: string): Promise<unknown> {
  const answer = await fetch(url + path, { headers })
  return answer.json()
}

async function compare(what: string, requests: Request[], aim?: number): Promise<Row> {
  await round(service, requests)
  await round(bare, requests)
  const rounds: { service: Round; bare: Round }[] = []
  for (let turn = 0; turn < ROUNDS; turn++)
    rounds.push({ service: await round(service, requests), bare: await round(bare, requests) })
  const show = (server: 'service' | 'bare') =>
    `${number(median(rounds.map((each) => each[server].perSecond)))}/s, ` +
    `${number(median(rounds.map((each) => each[server].cpu)))} µs of its CPU`
  return {
    what,
    ratio: percent(median(rounds.map((each) => each.service.perSecond / each.bare.perSecond))),
    aim: aim === undefined ? undefined : percent(aim),
    service: show('service'),
    bare: show('bare'),
  }
}

interface Round {
  perSecond: number
  /** Microseconds a request, of the server's process alone. */
  cpu: number
}

async function round(server: Server, requests: Request[]): Promise<Round> {
  const before = await server.cpu()
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: SECONDS,
    headers,
    requests,
  })
  const used = (await server.cpu()) - before
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} answers failed, ${result.errors} requests`)
  return { perSecond: result.requests.total / result.duration, cpu: used / result.requests.total }
}
