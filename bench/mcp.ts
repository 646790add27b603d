/**
 * Calls per second of `tools/call get_case`, beside `GET /v1/cases/{id}` of the same service and beside a bare SDK echo
 * tool (`echo.ts`), in turns. Both eras of the protocol: a call without any handshake, and one of 2026-07-28.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { insertKey } from '../server/src/companies/queries.ts'
import { openPool } from '../server/src/core/db.ts'
import { benchDatabase } from './database.ts'
import { type Load, openLoad, request } from './load.ts'
import { median, number, percent, type Row, report } from './report.ts'
import { seedCases } from './seed.ts'
import { type Server, startServer } from './server.ts'

const CASES = 100_000
const CONNECTIONS = 32
/** Short ones in turns, so that whatever else the machine does hits all alike. */
const ROUNDS = 15
const SECONDS = 1

await using stack = new AsyncDisposableStack()
const database = await benchDatabase()
stack.defer(database.stop)
const pool = openPool({ ...database.config, max: 2 })
const company = await seedCases(pool, CASES)
await pool.pg.query('vacuum analyze')
const { api_key } = await insertKey({ db: pool, companyId: company }, 'bench')
await pool.end()

const MODERN = '2026-07-28'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

function call(name: string, args: object, modern: boolean): Call {
  return {
    headers: {
      authorization: `Bearer ${api_key}`,
      // The SDK's own entry wants both.
      accept: 'application/json, text/event-stream',
      ...(modern && { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': name }),
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, ...(modern && { _meta }) },
    },
  }
}

interface Call {
  headers: Record<string, string>
  body: object
}

interface Side {
  server: Server
  load: Load
}

const service = await start('service.ts')
const echo = await start('echo.ts')

const ids = Array.from({ length: 1000 }, () => 1 + (randomBytes(4).readUInt32LE() % CASES))
const reads = ids.map((id) => request(`GET /v1/cases/${id}`, { 'x-api-key': api_key }))

const rows: Row[] = []
for (const modern of [false, true]) {
  const era = modern ? `of ${MODERN}` : 'without handshake'
  const cases = ids.map((id) => call('get_case', { id }, modern))
  const words = call('echo', { text: 'x'.repeat(300) }, modern)
  assert.match(await answerOf(service, cases[0]!), /"structuredContent":\{"id":/)
  assert.match(await answerOf(echo, words), /"text":"xxx/)
  rows.push(...(await compare(era, cases.map(posted), [posted(words)])))
}
report(rows)

async function start(script: 'service.ts' | 'echo.ts'): Promise<Side> {
  const server = await startServer(script, {
    BENCH_DATABASE: database.config.connectionString,
    BENCH_COMPANY: String(company),
  })
  stack.defer(server.stop)
  const load = await openLoad(server.url, CONNECTIONS)
  stack.defer(() => load.close())
  return { server, load }
}

function posted({ headers, body }: Call): Buffer {
  return request('POST /v1/mcp', headers, body)
}

async function answerOf({ server }: Side, { headers, body }: Call): Promise<string> {
  const answer = await fetch(`${server.url}/v1/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return answer.text()
}

async function compare(era: string, cases: Buffer[], words: Buffer[]): Promise<Row[]> {
  const turn = async () => ({
    call: await round(service, cases),
    echo: await round(echo, words),
    read: await round(service, reads),
  })
  await turn()
  const rounds: Awaited<ReturnType<typeof turn>>[] = []
  for (let n = 0; n < ROUNDS; n++) rounds.push(await turn())
  const show = (side: 'call' | 'echo' | 'read') =>
    `${number(median(rounds.map((each) => each[side].perSecond)))}/s, ` +
    `${number(median(rounds.map((each) => each[side].cpu)))} µs of its CPU`
  const ratio = (side: 'echo' | 'read') =>
    percent(median(rounds.map((each) => each.call.perSecond / each[side].perSecond)))
  return [
    {
      what: `tools/call get_case ${era}, beside a bare SDK echo tool`,
      ratio: ratio('echo'),
      aim: percent(0.8),
      service: show('call'),
      bare: show('echo'),
    },
    {
      what: `tools/call get_case ${era}, beside GET /v1/cases/{id}`,
      ratio: ratio('read'),
      service: show('call'),
      bare: show('read'),
    },
  ]
}

interface Round {
  perSecond: number
  /** Microseconds a request, of the server's process alone. */
  cpu: number
}

async function round({ server, load }: Side, requests: Buffer[]): Promise<Round> {
  const [cpu, start] = [await server.cpu(), performance.now()]
  const sent = await load.run(requests, () => performance.now() - start > SECONDS * 1000)
  const seconds = (performance.now() - start) / 1000
  return { perSecond: sent / seconds, cpu: ((await server.cpu()) - cpu) / sent }
}
