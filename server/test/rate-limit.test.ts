import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { buildApp } from '../src/app.ts'
import { insertKey, updateKeyEnabled } from '../src/companies/queries.ts'
import { realClock } from '../src/core/clock.ts'
import { operations } from '../src/operations.ts'
import { tools } from '../src/tools.ts'
import { type Answer, startApi } from './support/api.ts'
import { examples } from './support/examples.ts'
import { World } from './support/world.ts'

const LIMIT = 20
const api = await startApi({ rateLimit: LIMIT })
const SETTINGS = 'GET /v1/campaigns/settings'

const remainingOf = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining'])
const limitHeadersOf = ({ headers }: Answer) => Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))

test('every answer to a known key says limit, remaining and reset', async () => {
  const firm = await api.company()
  const before = Math.floor(Date.now() / 1000)
  const first = await firm.call(SETTINGS)
  assert.equal(first.headers['x-ratelimit-limit'], String(LIMIT))
  assert.equal(remainingOf(first), LIMIT - 1)
  const reset = Number(first.headers['x-ratelimit-reset'])
  assert.ok(reset >= before + 3599 && reset <= before + 3602, 'UTC epoch seconds, an hour from the first request')
  const later = await firm.call(SETTINGS)
  assert.equal(Number(later.headers['x-ratelimit-reset']), reset, 'the window is fixed')
  assert.equal(remainingOf(later), LIMIT - 2)
})

test('a request counts whatever its outcome, when the key is known and the path is an operation', async () => {
  const firm = await api.company()
  assert.equal(remainingOf(await firm.call('GET /v1/clients/999999')), LIMIT - 1)
  assert.equal(remainingOf(await firm.call('POST /v1/clients', {})), LIMIT - 2)
  const malformed = await api.app.inject({
    method: 'POST',
    url: '/v1/clients',
    headers: { 'x-api-key': firm.key, 'content-type': 'application/json' },
    payload: '{',
  })
  assert.equal(malformed.headers['x-ratelimit-remaining'], String(LIMIT - 3))
  for (const route of ['GET /v1/nothing', 'DELETE /v1/clients'])
    assert.deepEqual(limitHeadersOf(await firm.call(route)), [], route)
  assert.deepEqual(limitHeadersOf(await firm.call(SETTINGS, undefined, { 'x-api-key': 'dk_wrong' })), [])
  assert.equal(remainingOf(await firm.call(SETTINGS)), LIMIT - 4)
})

test('of parallel requests exactly as many as allowed succeed, the others are 429 with Retry-After', async () => {
  const firm = await api.company()
  const answers = await Promise.all(Array.from({ length: 3 * LIMIT }, () => firm.call(SETTINGS)))
  const good = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 429)
  assert.deepEqual([good.length, refused.length], [LIMIT, 2 * LIMIT])
  assert.deepEqual(
    good.map(remainingOf).sort((a, b) => a - b),
    Array.from({ length: LIMIT }, (_, index) => index),
  )
  for (const { headers, body } of refused) {
    assert.equal(body.error, 'too many requests')
    assert.equal(headers['x-ratelimit-remaining'], '0')
    const wait = Number(headers['retry-after'])
    assert.ok(wait > 3590 && wait <= 3601, `${wait} seconds`)
  }
})

test('the limit is exact across processes', async () => {
  const firm = await api.company()
  const service = { pool: api.pool, clock: realClock, log: pino({ level: 'silent' }) }
  // Each app keeps its own book of what it asks the database, as another process would.
  const apps = Array.from({ length: 3 }, () => buildApp({ service, operations, tools, rateLimit: LIMIT }))
  const answers = await Promise.all(
    Array.from({ length: 3 * LIMIT }, (_, index) =>
      apps[index % 3]!.inject({ method: 'GET', url: '/v1/campaigns/settings', headers: { 'x-api-key': firm.key } }),
    ),
  )
  assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, LIMIT)
  for (const app of apps) await app.close()
})

test('each key has its own allowance', async () => {
  const firm = await api.company()
  await Promise.all(Array.from({ length: LIMIT }, () => firm.call(SETTINGS)))
  assert.equal((await firm.call(SETTINGS)).status, 429)
  const { api_key } = await insertKey({ db: api.pool, companyId: firm.id }, 'second')
  const second = await firm.call(SETTINGS, undefined, { 'x-api-key': api_key })
  assert.deepEqual([second.status, remainingOf(second)], [200, LIMIT - 1])
})

test('a disabled key is refused at once, without a count', async () => {
  const firm = await api.company()
  const { api_key, key_id } = await insertKey({ db: api.pool, companyId: firm.id }, 'second')
  assert.equal((await firm.call(SETTINGS, undefined, { 'x-api-key': api_key })).status, 200)
  await updateKeyEnabled({ db: api.pool, companyId: firm.id }, key_id, false)
  const refused = await firm.call(SETTINGS, undefined, { 'x-api-key': api_key })
  assert.equal(refused.status, 401)
  assert.deepEqual(limitHeadersOf(refused), [])
})

test('a spent allowance is renewed when its hour is over', async () => {
  const firm = await api.company()
  await Promise.all(Array.from({ length: LIMIT + 5 }, () => firm.call(SETTINGS)))
  await api.pool.run(sql`
    update rate_windows set started_at = started_at - interval '59 minutes' where company_id = ${firm.id}`)
  assert.equal((await firm.call(SETTINGS)).status, 429)
  await api.pool.run(sql`
    update rate_windows set started_at = started_at - interval '1 minute' where company_id = ${firm.id}`)
  const renewed = await firm.call(SETTINGS)
  assert.deepEqual([renewed.status, remainingOf(renewed)], [200, LIMIT - 1])
})

for (const op of operations) {
  const route = `${op.method} ${op.path}`

  test(`${route}: carries the headers, and 429 when the allowance is spent, before its input is looked at`, async () => {
    const firm = await api.company()
    const { path, body } = await examples[route]!(new World(api, firm))
    const { api_key } = await insertKey({ db: api.pool, companyId: firm.id }, 'measured')
    const headers = { 'x-api-key': api_key }
    const good = await firm.call(`${op.method} ${path}`, body, headers)
    assert.equal(good.status, op.status)
    assert.equal(limitHeadersOf(good).length, 3)
    await api.pool.run(sql`update rate_windows set used = ${LIMIT} where company_id = ${firm.id}`)
    const spent = await firm.call(`${op.method} ${path}`, body && { surprise: true }, headers)
    assert.equal(spent.status, 429)
    assert.ok(spent.headers['retry-after'])
  })
}

test('with the limit off there are no such headers', async () => {
  const service = { pool: api.pool, clock: realClock, log: pino({ level: 'silent' }) }
  const app = buildApp({ service, operations, tools, rateLimit: 0 })
  const firm = await api.company()
  const headers = { 'x-api-key': firm.key }
  const answers = await Promise.all(
    Array.from({ length: 2 * LIMIT }, () => app.inject({ method: 'GET', url: '/v1/campaigns/settings', headers })),
  )
  for (const answer of answers) {
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['x-ratelimit-limit'], undefined)
  }
  await app.close()
})
