import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import Type from 'typebox'
import { startApi } from '../../test/support/api.ts'
import { notFound } from '../core/errors.ts'
import { Fields, Id } from '../core/fields.ts'
import { tool } from '../core/tool.ts'

const greet = tool({
  name: 'greet_client',
  title: 'Greet a client',
  description: 'Greets.',
  readOnly: true,
  untrustedFields: ['greeting'],
  input: Fields({ name: Type.String(), times: Type.Optional(Type.Integer()) }),
  output: Type.Object({ greeting: Type.String() }),
  run: async (_ctx, { name }) => ({ greeting: `Hello ${name}` }),
})

const rename = tool({
  name: 'rename_company',
  title: 'Rename',
  description: 'Renames, then fails when asked to.',
  input: Fields({ name: Type.String(), fail: Type.Optional(Type.String()), id: Type.Optional(Id('An id')) }),
  output: Type.Object({ name: Type.String() }),
  async run(ctx, { name, fail, id }) {
    await ctx.db.run(sql`update companies set name = ${name} where id = ${ctx.companyId}`)
    ctx.record({ activity: 'company_updated', record_type: 'company', record_id: ctx.companyId })
    if (id) notFound('client', id)
    if (fail) throw new Error(fail)
    return { name }
  },
})

const find = tool({ ...greet, name: 'list_clients', input: Fields({}), run: async () => ({ greeting: '' }) })

const logged: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) })

const api = await startApi({ tools: [greet, rename, find], rateLimit: 5, log })
await api.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = api.app.server.address() as AddressInfo

const modern = (method: string, params: object, name?: string) => ({
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
  headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name ? { 'mcp-name': name } : {}) },
})

/** Over a real socket: the origin is compared with the address the connection was made to. */
async function post(key: string, payload: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/mcp`, {
    method: 'POST',
    body: payload,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : undefined }
}

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}'

test('a bare call without a handshake and with any Accept is answered as JSON', async () => {
  const firm = await api.company()
  for (const accept of ['*/*', 'text/html', 'application/json']) {
    const listed = await firm.rpc('tools/list', undefined, { accept })
    assert.equal(listed.status, 200)
    assert.match(String(listed.headers['content-type']), /^application\/json/)
    assert.equal(listed.body.result.tools.length, 3)
    const called = await firm.rpc('tools/call', { name: 'greet_client', arguments: { name: 'Ana' } }, { accept })
    assert.deepEqual(called.body.result, {
      content: [{ type: 'text', text: '{"greeting":"Hello Ana"}' }],
      structuredContent: { greeting: 'Hello Ana' },
      _meta: { 'docketcall/untrusted_fields': ['greeting'] },
    })
  }
})

test('a handshake is answered with the version asked for, or with the newest of its era', async () => {
  const firm = await api.company()
  const shake = async (protocolVersion: string) =>
    (await firm.rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }))
      .body.result
  assert.equal((await shake('2025-06-18')).protocolVersion, '2025-06-18')
  const newest = await shake('1999-01-01')
  assert.equal(newest.protocolVersion, '2025-11-25')
  assert.equal(newest.serverInfo.name, 'docketcall')
  assert.match(newest.instructions, /ask before/)
})

test('the revision of 2026-07-28 is spoken on the same address', async () => {
  const firm = await api.company()
  const ask = async (method: string, params: object, name?: string) => {
    const { params: sent, headers } = modern(method, params, name)
    return firm.rpc(method, sent, headers)
  }
  assert.deepEqual((await ask('server/discover', {})).body.result.supportedVersions, ['2026-07-28'])
  const listed = await ask('tools/list', {})
  assert.equal(listed.body.result.cacheScope, 'public')
  const called = await ask('tools/call', { name: 'greet_client', arguments: { name: 'Ana' } }, 'greet_client')
  assert.equal(called.body.result.resultType, 'complete')
  assert.deepEqual(called.body.result.structuredContent, { greeting: 'Hello Ana' })
  for (const gone of ['ping', 'initialize', 'subscriptions/listen', 'tools/unheard-of']) {
    const answer = await ask(gone, {})
    assert.equal(answer.status, 404, gone)
    assert.equal(answer.body.error.code, -32601)
  }
})

test('a version that nobody speaks is refused and the spoken ones are named', async () => {
  const firm = await api.company()
  const answer = await firm.rpc('ping', undefined, { 'mcp-protocol-version': '1999-01-01' })
  assert.equal(answer.status, 400)
  assert.equal(answer.body.error.code, -32022)
  assert.ok(answer.body.error.data.supported.includes('2025-11-25'))
})

test('every malformed message has its own JSON-RPC error', async () => {
  const { key } = await api.company()
  const cases: [string, number, number, unknown][] = [
    ['{bad', 400, -32700, null],
    ['', 400, -32700, null],
    ['[]', 400, -32600, null],
    [`[${PING}]`, 400, -32600, null],
    ['3', 400, -32600, null],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600, null],
    ['{"id":3,"method":"ping"}', 400, -32600, 3],
    ['{"jsonrpc":"1.0","id":3,"method":"ping"}', 400, -32600, 3],
    ['{"jsonrpc":"2.0","id":3,"method":"unheard/of"}', 200, -32601, 3],
    ['{"jsonrpc":"2.0","id":3,"method":"tools/call"}', 200, -32602, 3],
    ['{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"greet_clients"}}', 200, -32602, 'a'],
    ['{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"greet_client","arguments":[]}}', 200, -32602, 3],
  ]
  for (const [payload, status, code, id] of cases) {
    const answer = await post(key, payload)
    assert.deepEqual([answer.status, answer.body.error.code, answer.body.id], [status, code, id], payload)
  }
  const unknown = await post(key, '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet_clients"}}')
  assert.match(unknown.body.error.message, /did you mean 'greet_client'/)
  assert.equal((await post(key, PING, { 'content-type': 'text/plain' })).status, 400)
})

test('notifications and answers are taken in silence', async () => {
  const { key } = await api.company()
  for (const payload of [
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
  ]) {
    const answer = await post(key, payload)
    assert.deepEqual([answer.status, answer.body], [202, undefined])
  }
})

test('only POST is served', async () => {
  for (const method of ['GET', 'DELETE', 'PUT'] as const) {
    const answer = await api.app.inject({ method, url: '/v1/mcp' })
    assert.deepEqual([answer.statusCode, answer.headers.allow], [405, 'POST'])
  }
})

test('a wrong, missing or disabled key is 401 and says how to send one', async () => {
  const firm = await api.company()
  const large = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { text: 'x'.repeat(100_000) } })
  for (const [payload, authorization] of [
    [PING, 'Bearer wrong'],
    [PING, ''],
    [PING, 'Basic abc'],
    [large, 'Bearer wrong'],
  ] as const) {
    const answer = await post(firm.key, payload, { authorization })
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
    assert.equal(answer.body.error.data.error, 'unauthorized')
  }
  assert.equal((await post(firm.key, large)).status, 200)
  await api.pool.run(sql`update api_keys set enabled = false where company_id = ${firm.id}`)
  assert.equal((await post(firm.key, PING)).status, 401)
})

test('a foreign Origin is 403 before the key is looked at; our own address is not foreign', async () => {
  const { key } = await api.company()
  const own = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://[::1]:${port}`]
  for (const origin of own) assert.equal((await post(key, PING, { origin })).status, 200, origin)
  const foreign = [
    'http://evil.example',
    'null',
    'https://localhost',
    `http://localhost:${port + 1}`,
    'moz-extension://x',
  ]
  for (const origin of foreign) assert.equal((await post('wrong', PING, { origin })).status, 403, origin)
  const rebound = await post(key, PING, { origin: `http://evil.example:${port}`, host: `evil.example:${port}` })
  assert.equal(rebound.status, 403)
})

test('each call of a tool takes one from the allowance, and nothing else does', async () => {
  const firm = await api.company()
  for (let i = 0; i < 10; i++) assert.equal((await firm.rpc('tools/list')).status, 200)
  const call = () => firm.rpc('tools/call', { name: 'greet_client', arguments: { name: 'Ana' } })
  for (let left = 4; left >= 0; left--) {
    const answer = await call()
    assert.deepEqual([answer.status, answer.headers['x-ratelimit-remaining']], [200, String(left)])
  }
  const spent = await call()
  assert.equal(spent.status, 429)
  assert.equal(spent.body.id, 1)
  assert.equal(spent.body.error.data.error, 'too many requests')
  assert.ok(Number(spent.headers['retry-after']) > 0)
  assert.equal(spent.headers['x-ratelimit-limit'], '5')
  assert.equal((await firm.call('GET /v1/clients/1')).status, 404, 'the allowance of the other interface is untouched')
})

test('a bad argument is a result that names every broken rule', async () => {
  const firm = await api.company()
  assert.deepEqual(await firm.refusal('greet_client', { nam: 'Ana', times: 'two' }), {
    error: 'bad request',
    message: 'name: is required (and 2 more)',
    details: [
      { field: 'name', message: 'is required' },
      { field: 'nam', message: "unknown field; did you mean 'name'?" },
      { field: 'times', message: 'must be an integer' },
    ],
  })
  assert.match((await firm.refusal('greet_client', { name: 'a\0b' })).message, /NUL/)
})

test('a missing record is a result that names the tool which knows the ids', async () => {
  const firm = await api.company()
  const { error, message } = await firm.refusal('rename_company', { name: 'Other', id: 99 })
  assert.deepEqual([error, message], ['not found', 'client 99 not found; find the id with list_clients'])
})

test('an argument that was guessed wrongly is answered with those there are', async () => {
  const firm = await api.company()
  assert.deepEqual(await firm.refusal('greet_client', { name: 'Ana', salutation: 'Dr' }), {
    error: 'bad request',
    message: 'salutation: unknown field; greet_client takes name, times',
    details: [{ field: 'salutation', message: 'unknown field' }],
  })
  assert.match((await firm.refusal('list_clients', { key: 'Ana' })).message, /list_clients takes no arguments$/)
})

test('a call that fails changes nothing and tells nothing of the inside', async () => {
  const firm = await api.company('Kept')
  const { error, message } = await firm.refusal('rename_company', { name: 'Lost', fail: 'secret detail' })
  assert.equal(error, 'internal server error')
  assert.doesNotMatch(message, /secret/)
  const name = () => api.pool.one(sql`select name from companies where id = ${firm.id}`)
  const entries = () => api.pool.many(sql`select activity, actor, channel from audit_log where company_id = ${firm.id}`)
  assert.deepEqual([await name(), await entries()], [{ name: 'Kept' }, []])

  await firm.tool('rename_company', { name: 'Changed' })
  assert.deepEqual(
    [await name(), await entries()],
    [{ name: 'Changed' }, [{ activity: 'company_updated', actor: 'test', channel: 'mcp' }]],
  )
})

test('every call is logged with its outcome and duration, and nothing of its arguments', async () => {
  const firm = await api.company()
  logged.length = 0
  await firm.tool('greet_client', { name: 'Ana Secret' })
  await firm.refusal('greet_client', {})
  const calls = logged.filter(({ msg }) => msg === 'tool called')
  assert.deepEqual(
    calls.map(({ tool, outcome, key, company_id }) => [tool, outcome, key, company_id]),
    [
      ['greet_client', 'ok', 'test', firm.id],
      ['greet_client', 'bad request', 'test', firm.id],
    ],
  )
  for (const { duration_ms } of calls) assert.ok((duration_ms as number) >= 0 && (duration_ms as number) < 5000)
  assert.doesNotMatch(JSON.stringify(logged), /Secret/)
})
