import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'

let engineIsReady = true
const { app, pool, company } = await startApi({ engineReady: () => engineIsReady })
const firm = await company()
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

test('/healthz tells that the process is alive', async () => {
  const { statusCode, body } = await get('/healthz')
  assert.equal(statusCode, 200)
  assert.equal(body, '{"status":"alive"}')
})

test('/readyz is 200 with a database and an engine, and 503 with the reason without', async () => {
  assert.equal((await get('/readyz')).statusCode, 200)
  engineIsReady = false
  const answer = await get('/readyz')
  assert.equal(answer.statusCode, 503)
  assert.equal(answer.json().error, 'service unavailable')
  assert.deepEqual(answer.json().details, [{ field: 'engine', message: 'is not running' }])
  engineIsReady = true
  const { one } = pool
  pool.one = () => Promise.reject(new Error('connect ECONNREFUSED'))
  assert.match((await get('/readyz')).json().message, /database is out of reach/)
  pool.one = one
})

test('/metrics counts requests by operation and status, and their time', async () => {
  await firm.call('GET /v1/clients/999')
  await firm.call('GET /v1/clients/998')
  await get('/nowhere')
  const { headers, body } = await get('/metrics')
  assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/)
  assert.match(body, /^http_requests_total\{operation="GET \/v1\/clients\/:id",status="404"\} 2$/m)
  assert.match(body, /^http_requests_total\{operation="none",status="404"\} 1$/m)
  assert.match(body, /^http_request_duration_seconds_bucket\{le="10",operation="GET \/v1\/clients\/:id"\} 2$/m)
  assert.match(body, /^http_request_duration_seconds_count\{operation="GET \/v1\/clients\/:id"\} 2$/m)
  const sum = /^http_request_duration_seconds_sum\{operation="GET \/v1\/clients\/:id"\} (.+)$/m.exec(body)
  assert.ok(Number(sum![1]) > 0)
  assert.match(body, /^process_resident_memory_bytes \d/m)
})

test("/metrics tells the time of the engine, which may be the sandbox's", async () => {
  const now = new Date('2026-03-02T14:30:00Z')
  const { app } = await startApi({ clock: { speed: 60, now: () => now, sleep: async () => {} } })
  assert.match((await app.inject('/metrics')).body, /^docketcall_clock_seconds 1772461800$/m)
})

test('/metrics tells calls, messages and jobs by state, and goes on when the database does not', async () => {
  const fresh = await startApi()
  await fresh.pool.run(sql`select graphile_worker.add_job('later', run_at => now() + interval '1 day')`)
  const { body } = await fresh.app.inject('/metrics')
  assert.match(body, /^docketcall_calls\{state="live"\} 0$/m)
  assert.match(body, /^docketcall_calls\{state="ended"\} 0$/m)
  assert.match(body, /^docketcall_messages\{state="put_off"\} 0$/m)
  assert.match(body, /^docketcall_jobs\{state="scheduled"\} 1$/m)
  assert.match(body, /^docketcall_database_up 1$/m)
  const broken = await startApi()
  broken.pool.one = () => Promise.reject(new Error('connect ECONNREFUSED'))
  assert.match((await broken.app.inject('/metrics')).body, /^docketcall_database_up 0$/m)
})

test('/docs loads nothing from elsewhere and sends nothing elsewhere', async () => {
  const page = await get('/docs')
  assert.equal(page.statusCode, 200)
  const policy = String(page.headers['content-security-policy'])
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'"])
    assert.ok(policy.includes(rule), policy)
  const sources = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
  assert.deepEqual(sources, ['/docs/scalar.js', '/docs/start.js'])
  for (const source of sources) {
    const { statusCode, headers } = await get(source)
    assert.equal(statusCode, 200)
    assert.match(String(headers['content-type']), /^text\/javascript/)
  }
  assert.match((await get('/docs/start.js')).body, /createApiReference\(.*url: '\/openapi\.json'/s)
})

test("the reference page's program is sent zipped where that is taken, and once", async () => {
  const plain = await get('/docs/scalar.js')
  assert.match(plain.body, /createApiReference/)
  const zipped = await get('/docs/scalar.js', { 'accept-encoding': 'gzip, br' })
  assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body)
  assert.equal((await get('/docs/scalar.js', { 'if-none-match': String(plain.headers.etag) })).statusCode, 304)
})

for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'])
  test(`a wrong method on ${path} is 405 with Allow`, async () => {
    const { statusCode, headers } = await app.inject({ method: 'DELETE', url: path })
    assert.equal(statusCode, 405)
    assert.equal(headers.allow, 'GET')
  })

test('every answer carries a request id and is not sniffed', async () => {
  for (const url of ['/healthz', '/v1/clients/1', '/nowhere']) {
    const { headers } = await get(url, { 'x-request-id': 'mine-1' })
    assert.equal(headers['x-request-id'], 'mine-1', url)
    assert.equal(headers['x-content-type-options'], 'nosniff', url)
  }
})
