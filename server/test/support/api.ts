import { after } from 'node:test'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { type Logger, pino } from 'pino'
import { buildApp } from '../../src/app.ts'
import { insertCompany, insertKey } from '../../src/companies/queries.ts'
import { type Clock, realClock } from '../../src/core/clock.ts'
import { openPool, type Pool } from '../../src/core/db.ts'
import type { Detail } from '../../src/core/errors.ts'
import type { Tool } from '../../src/core/tool.ts'
import { operations } from '../../src/operations.ts'
import { tools } from '../../src/tools.ts'
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
  /** Sends a bare JSON-RPC request to the tool interface, as this company. */
  rpc<T = any>(method: string, params?: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  /** What a tool answers; fails unless it succeeds. */
  tool<T = any>(name: string, args?: unknown): Promise<T>
  /** The error that a tool answers; fails when it succeeds. */
  refusal(name: string, args?: unknown): Promise<{ error: string; message: string; details: Detail[] }>
}

export interface TestApi {
  app: FastifyInstance
  pool: Pool
  /** For processes beside this one. */
  databaseUrl: string
  company(name?: string): Promise<Company>
  /** Run before the front door and the pool are closed, the last one first. */
  closing: (() => Promise<void>)[]
}

interface Options {
  rateLimit?: number
  clock?: Clock
  tools?: Tool[]
  log?: Logger
  publicUrl?: string
  engineReady?: () => boolean
  allowPrivateWebhooks?: boolean
}

/** The service's front door on a database of its own; everything is closed after the file's tests. */
export async function startApi(options: Options = {}): Promise<TestApi> {
  const { connectionString: databaseUrl } = await cloneDatabase()
  const pool = openPool({ connectionString: databaseUrl, max: 10 })
  const log = options.log ?? pino({ level: process.env.LOG_LEVEL ?? 'silent' })
  const app = buildApp({
    service: { pool, clock: options.clock ?? realClock, log, allowPrivateWebhooks: options.allowPrivateWebhooks },
    operations,
    tools: options.tools ?? tools,
    rateLimit: options.rateLimit ?? 0,
    publicUrl: options.publicUrl,
    engineReady: options.engineReady,
  })
  const closing: TestApi['closing'] = []
  after(async () => {
    for (const close of closing.reverse()) await close()
    await app.close()
    await pool.end()
  })
  return {
    app,
    pool,
    databaseUrl,
    closing,
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
      const rpc = (method: string, params?: unknown, headers: Record<string, string> = {}) =>
        call('POST /v1/mcp', { jsonrpc: '2.0', id: 1, method, params }, { authorization: `Bearer ${key}`, ...headers })
      const callTool = async (name: string, args: unknown = {}) => {
        const { body } = await rpc('tools/call', { name, arguments: args })
        if (!body.result) throw new Error(`${name}: ${JSON.stringify(body)}`)
        return { isError: body.result.isError === true, text: body.result.content[0].text as string }
      }
      const tool = async (name: string, args?: unknown) => {
        const { isError, text } = await callTool(name, args)
        if (isError) throw new Error(`${name}: ${text}`)
        return JSON.parse(text)
      }
      const refusal = async (name: string, args?: unknown) => {
        const { isError, text } = await callTool(name, args)
        if (!isError) throw new Error(`${name} succeeded: ${text}`)
        return JSON.parse(text)
      }
      return { id, key, call, ok, rpc, tool, refusal }
    },
  }
}
