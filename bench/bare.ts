/**
 * What the service is held against: the least that Fastify and node-postgres need to answer the same JSON. Each route
 * runs the one statement that the service's operation is about, prepared by name. There is no key, no validation, no
 * audit entry and no transaction around it.
 */
import Fastify from 'fastify'
import pg from 'pg'
import { selectCaseListPage } from '../server/src/case-lists/queries.ts'
import { insertClients, selectClient } from '../server/src/clients/queries.ts'
// For its type parsers: bigint as a number, a date as text.
import '../server/src/core/db.ts'
import { serve } from './server.ts'
import { statementOf } from './statements.ts'

const company = Number(process.env.BENCH_COMPANY)
const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE, max: 20 })
const app = Fastify({ logger: false })

const insert = statementOf(company, (scope) => insertClients(scope, 'public_api', []))
app.post<{ Body: { mobile: string } }>('/v1/clients', async ({ body }, reply) => {
  // The number is sent in E.164, so that the same columns and indexes are written as by the service.
  const row = { ...body, mobile_e164: body.mobile }
  const { rows } = await pool.query({ ...insert, values: [company, 'public_api', JSON.stringify([row])] })
  reply.code(201)
  return rows[0]
})

const select = statementOf(company, (scope) => selectClient(scope, 0))
app.get<{ Params: { id: string } }>('/v1/clients/:id', async ({ params }) => {
  const { rows } = await pool.query({ ...select, values: [company, Number(params.id)] })
  return rows[0]
})

const page = statementOf(company, (scope) => selectCaseListPage(scope, {}, { limit: 0, offset: 0 }))
app.get<{ Querystring: { page: string; page_size: string } }>('/v1/case_lists', async ({ query }) => {
  const [number, size] = [Number(query.page), Number(query.page_size)]
  const { rows } = await pool.query({ ...page, values: [company, company, size, (number - 1) * size] })
  return { data: rows.map(({ total: _, ...list }) => list), page: number, total: rows[0].total }
})

await serve(app, pool)
