/**
 * Requests per second of the service and of a bare Fastify route that runs the same statement (`bare.ts`), in turns on
 * the same database. The load comes from this process.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { insertKey } from '../server/src/companies/queries.ts'
import { openPool } from '../server/src/core/db.ts'
import { benchDatabase } from './database.ts'
import { request } from './load.ts'
import { percent, type Row, report } from './report.ts'
import { seedCases } from './seed.ts'
import { openSide, ratio, type Side, shown, takeTurns } from './turns.ts'

const CLIENTS = 100_000
const LISTS = 1000

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
const service = await openSide(stack, 'service.ts', settings)
const bare = await openSide(stack, 'bare.ts', settings)

const headers = { 'x-api-key': api_key }
const random = (below: number) => 1 + (randomBytes(4).readUInt32LE() % below)
const reads = Array.from({ length: 1000 }, () => `/v1/clients/${random(CLIENTS)}`)
const pages = Array.from({ length: 100 }, () => `/v1/case_lists?page=${random(LISTS / 25)}&page_size=25`)
const creation = {
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
}

for (const path of [reads[0]!, pages[0]!]) assert.deepEqual(await answerOf(service, path), await answerOf(bare, path))

const gets = (paths: string[]) => paths.map((path) => request(`GET ${path}`, headers))
report([
  await compare('create one client', [request('POST /v1/clients', headers, creation)], 0.7),
  await compare('read one client', gets(reads), 0.7),
  await compare('list a page of 25 case lists of 1,000', gets(pages)),
])

async function answerOf({ server }: Side, path: string): Promise<unknown> {
  const answer = await fetch(server.url + path, { headers })
  return answer.json()
}

async function compare(what: string, requests: Buffer[], aim?: number): Promise<Row> {
  const turns = await takeTurns({ service: { side: service, requests }, bare: { side: bare, requests } })
  return {
    what,
    ratio: ratio(turns, 'service', 'bare'),
    aim: aim === undefined ? undefined : percent(aim),
    service: shown(turns, 'service'),
    bare: shown(turns, 'bare'),
  }
}
