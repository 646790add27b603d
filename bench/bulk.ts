/** POST /v1/clients/bulk of 5,000 clients against one raw `insert … select` of the same rows, in turns. */
import pg from 'pg'
import { insertCompany, insertKey } from '../server/src/companies/queries.ts'
import { openPool } from '../server/src/core/db.ts'
import { toE164 } from '../server/src/core/phone.ts'
import { benchDatabase } from './database.ts'
import { median, number, percent, report } from './report.ts'
import { startServer } from './server.ts'

const CLIENTS = 5000
const ROUNDS = 11

await using stack = new AsyncDisposableStack()
const database = await benchDatabase()
stack.defer(database.stop)
const pool = openPool({ ...database.config, max: 2 })
const company = await pool.transaction((db) => insertCompany(db, 'Bench firm'))
const { api_key } = await insertKey({ db: pool, companyId: company }, 'bench')
await pool.end()
const service = await startServer('service.ts', {
  BENCH_DATABASE: database.config.connectionString,
  BENCH_COMPANY: String(company),
})
stack.defer(service.stop)
const raw = new pg.Client(database.config)
await raw.connect()
stack.defer(() => raw.end())

const clients = Array.from({ length: CLIENTS }, (_, n) => ({
  external_source: 'import',
  external_source_id: `SF-${n}`,
  first_name: 'María',
  last_name: `Okafor ${n}`,
  email: `maria.${n}@example.com`,
  mobile: `(212) 555-${String(1000 + (n % 9000))}`,
  date_of_birth: '1984-07-19',
  city: 'New York',
  state: 'NY',
  postal_code: '10007',
  address_line1: `${n} Fifth Avenue`,
  meta: { language: 'es', intake: 'web form' },
}))
const body = JSON.stringify({ clients })
// The number is read beforehand, so that the same columns and indexes are written as by the service.
const rows = JSON.stringify(clients.map((client) => ({ ...client, mobile_e164: toE164(client.mobile) })))

async function throughService(): Promise<number> {
  const started = performance.now()
  const answer = await fetch(`${service.url}/v1/clients/bulk`, {
    method: 'POST',
    headers: { 'x-api-key': api_key, 'content-type': 'application/json' },
    body,
  })
  const { successful_ids } = (await answer.json()) as { successful_ids: number[] }
  if (successful_ids.length !== CLIENTS) throw new Error(`only ${successful_ids.length} of ${CLIENTS} were saved`)
  return performance.now() - started
}

async function rawInsert(): Promise<number> {
  const started = performance.now()
  await raw.query({
    name: 'raw',
    text: `insert into clients (company_id, external_source, external_source_id, first_name, last_name, email, mobile,
        mobile_e164, date_of_birth, city, state, postal_code, address_line1, meta, origin)
      select $1, external_source, external_source_id, first_name, last_name, email, mobile, mobile_e164, date_of_birth, city,
        state, postal_code, address_line1, meta, 'public_api'
      from jsonb_to_recordset($2::jsonb) as e (external_source text, external_source_id text, first_name text, last_name text,
        email text, mobile text, mobile_e164 text, date_of_birth date, city text, state text, postal_code text,
        address_line1 text, meta jsonb)`,
    values: [company, rows],
  })
  return performance.now() - started
}

await throughService()
await rawInsert()
const rounds: { service: number; raw: number }[] = []
for (let turn = 0; turn < ROUNDS; turn++) rounds.push({ service: await throughService(), raw: await rawInsert() })
report([
  {
    what: 'bulk upsert of 5,000 clients',
    ratio: percent(median(rounds.map((each) => each.raw / each.service))),
    aim: '50 %',
    service: `${number(median(rounds.map((each) => each.service)))} ms`,
    bare: `${number(median(rounds.map((each) => each.raw)))} ms, one raw statement`,
  },
])
