/**
 * Calls per second of `tools/call get_case`, beside `GET /v1/cases/{id}` of the same service and beside a bare SDK echo
 * tool (`echo.ts`), in turns. Both eras of the protocol: a call without any handshake, and one of 2026-07-28.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { insertKey } from '../server/src/companies/queries.ts'
import { openPool } from '../server/src/core/db.ts'
import { benchDatabase } from './database.ts'
import { request } from './load.ts'
import { percent, type Row, report } from './report.ts'
import { seedCases } from './seed.ts'
import { openSide, ratio, type Side, shown, takeTurns } from './turns.ts'

const CASES = 100_000

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

const settings = { BENCH_DATABASE: database.config.connectionString, BENCH_COMPANY: String(company) }
const service = await openSide(stack, 'service.ts', settings)
const echo = await openSide(stack, 'echo.ts', settings)

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
  const turns = await takeTurns({
    call: { side: service, requests: cases },
    echo: { side: echo, requests: words },
    read: { side: service, requests: reads },
  })
  return [
    {
      what: `tools/call get_case ${era}, beside a bare SDK echo tool`,
      ratio: ratio(turns, 'call', 'echo'),
      aim: percent(0.8),
      service: shown(turns, 'call'),
      bare: shown(turns, 'echo'),
    },
    {
      what: `tools/call get_case ${era}, beside GET /v1/cases/{id}`,
      ratio: ratio(turns, 'call', 'read'),
      service: shown(turns, 'call'),
      bare: shown(turns, 'read'),
    },
  ]
}
