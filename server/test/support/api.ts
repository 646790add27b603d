import { after } from 'node:test'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../../src/app.ts'
import { insertCompany, insertKey } from '../../src/companies/queries.ts'
import { type Clock, realClock } from '../../src/core/clock.ts'
import { openPool, type Pool } from '../../src/core/db.ts'
import { operations } from '../../src/operations.ts'
import { cloneDatabase } from './database.ts'

export interface Answer<T = any> {
  status: number
  body: T
  headers: LightMyRequestResponse['headers']
}

export interface Company {
  id: number
  key: string
  /** `call('PUT /v1/clients/3', {…})`: through the whole front door, as this company. */
  call<T = any>(route: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  /** As `call`, and fails unless the answer is a success. */
  ok<T = any>(route: string, body?: unknown): Promise<T>
}

export interface TestApi {
  app: FastifyInstance
  pool: Pool
  company(name?: string): Promise<Company>
}

/** The service's front door on a database of its own; everything is closed after the file's tests. */
export async function startApi(options: { rateLimit?: number; clock?: Clock } = {}): Promise<TestApi> {
  const pool = openPool({ ...(await cloneDatabase()), max: 10 })
  const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
  const app = buildApp({
    service: { pool, clock: options.clock ?? realClock, log },
    operations,
    rateLimit: options.rateLimit ?? 0,
  })
  after(async () => {
    await app.close()
    await pool.end()
  })
  return {
    app,
    pool,
    async company(name = 'Test firm') {
      const { id, key } = await pool.transaction(async (db) => {
        const id = await insertCompany(db, name)
        return { id, key: (await insertKey({ db, companyId: id }, 'test')).api_key }
      })
      const call = async (route: string, body?: unknown, headers: Record<string, string> = {}) => {
        const [method, url] = route.split(' ') as [InjectOptions['method'], string]
        const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
        const type = body === undefined ? {} : { 'content-type': 'application/json' }
        const answer = await app.inject({
          method: method!,
          url,
          headers: { 'x-api-key': key, ...type, ...headers },
          ...payload,
        })
        return {
          status: answer.statusCode,
          body: answer.body ? JSON.parse(answer.body) : undefined,
          headers: answer.headers,
        }
      }
      const ok = async (route: string, body?: unknown) => {
        const answer = await call(route, body)
        if (answer.status >= 300) throw new Error(`${route}: ${answer.status} ${JSON.stringify(answer.body)}`)
        return answer.body
      }
      return { id, key, call, ok }
    },
  }
}
