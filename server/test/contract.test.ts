/** What holds for every operation, tested over the list of operations. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InjectOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { insertKey, updateKeyEnabled } from '../src/companies/queries.ts'
import type { Operation } from '../src/core/operation.ts'
import { checker } from '../src/core/validate.ts'
import { operations } from '../src/operations.ts'
import { startApi } from './support/api.ts'
import { type Example, examples } from './support/examples.ts'
import { World } from './support/world.ts'

const api = await startApi()
const firm = await api.company()
const routeOf = ({ method, path }: Operation) => `${method} ${path}`
const takesBody = ({ method }: Operation) => method !== 'GET' && method !== 'DELETE'
const exampleOf = (op: Operation): Promise<Example> => examples[routeOf(op)]!(new World(api, firm))
const send = (op: Operation, { path, body }: Example, headers?: Record<string, string>) =>
  firm.call(`${op.method} ${path}`, body, headers)

/** Without what `call` does for its callers. */
async function bare(op: Operation, path: string, options: Omit<InjectOptions, 'method' | 'url'>) {
  const { statusCode, body, headers } = await api.app.inject({ method: op.method, url: path, ...options })
  return { status: statusCode, body: body ? JSON.parse(body) : undefined, headers }
}

function assertError(answer: { status: number; body: any; headers: any }, status: number, error: string, why?: string) {
  assert.equal(answer.status, status, why)
  assert.deepEqual(Object.keys(answer.body), ['error', 'message', 'details', 'request_id'])
  assert.equal(answer.body.error, error)
  assert.equal(answer.body.request_id, answer.headers['x-request-id'])
}

test('every operation has a good example, and every example an operation', () => {
  assert.deepEqual(Object.keys(examples).sort(), operations.map(routeOf).sort())
})

test('the operations are the 37 of the specification', () => {
  assert.equal(new Set(operations.map(routeOf)).size, 37)
})

for (const op of operations) {
  const route = routeOf(op)

  test(`${route}: a good call answers ${op.status} and fits its schema, with nothing beyond it`, async () => {
    const { status, body } = await send(op, await exampleOf(op))
    assert.equal(status, op.status, JSON.stringify(body))
    if (!op.output) return assert.equal(body, undefined)
    assert.deepEqual(checker(op.output).check(structuredClone(body)), [])
    assert.deepEqual(undeclared(op.output, body), [])
  })

  test(`${route}: no key, a wrong key and a disabled key are 401`, async () => {
    const { path, body } = await exampleOf(op)
    const scope = { db: api.pool, companyId: firm.id }
    const disabled = await insertKey(scope, 'disabled')
    await updateKeyEnabled(scope, disabled.key_id, false)
    for (const headers of [{}, { 'x-api-key': 'dk_wrong' }, { 'x-api-key': '' }, { 'x-api-key': disabled.api_key }])
      assertError(await bare(op, path, { headers, ...(body && { payload: body }) }), 401, 'unauthorized')
  })

  test(`${route}: the key is also taken from X-Public-Api-Key`, async () => {
    const { path, body } = await exampleOf(op)
    const answer = await bare(op, path, { headers: { 'x-public-api-key': firm.key }, ...(body && { payload: body }) })
    assert.equal(answer.status, op.status)
  })

  test(`${route}: a wrong method is 405 with Allow, before the key is looked at`, async () => {
    const { path } = await exampleOf(op)
    const [plain] = path.split('?')
    const allowed = operations.filter((other) => other.path === op.path).map(({ method }) => method)
    const wrong = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter((method) => !allowed.includes(method))
    for (const method of wrong) {
      const answer = await bare({ ...op, method }, plain!, {})
      assertError(answer, 405, 'method not allowed', method)
      assert.deepEqual(String(answer.headers.allow).split(', ').sort(), [...allowed].sort())
    }
  })

  test(`${route}: an unknown query parameter is 400 and named`, async () => {
    const { path, body } = await exampleOf(op)
    const answer = await send(op, { path: `${path}${path.includes('?') ? '&' : '?'}surprise=1`, body })
    assertError(answer, 400, 'bad request')
    assert.ok(answer.body.details.some(({ field }: any) => field === 'surprise'))
  })

  test(`${route}: the request id is taken over when it is well-formed, and replaced otherwise`, async () => {
    const good = await send(op, await exampleOf(op), { 'x-request-id': 'Order-7.a_B' })
    assert.equal(good.headers['x-request-id'], 'Order-7.a_B')
    for (const odd of ['with blank', 'x'.repeat(129), 'ümlaut']) {
      const { headers } = await send(op, await exampleOf(op), { 'x-request-id': odd })
      assert.match(String(headers['x-request-id']), /^[\w.-]{1,128}$/)
    }
    const { path, body } = await exampleOf(op)
    const refused = await bare(op, path, { headers: { 'x-request-id': 'Order-8' }, ...(body && { payload: body }) })
    assert.equal(refused.body.request_id, 'Order-8')
  })

  if (takesBody(op)) {
    test(`${route}: an unknown field is 400 and named`, async () => {
      const { path, body } = await exampleOf(op)
      const answer = await send(op, { path, body: { ...body, surprise: 1 } })
      assertError(answer, 400, 'bad request')
      assert.ok(answer.body.details.some(({ field }: any) => field === 'surprise'))
      assert.match(answer.body.message, /surprise/)
    })

    test(`${route}: malformed JSON, another content type and a body that is no object are 400`, async () => {
      const { path, body } = await exampleOf(op)
      const key = { 'x-api-key': firm.key }
      const json = { ...key, 'content-type': 'application/json' }
      const text = JSON.stringify(body)
      const bodies: [string, Omit<InjectOptions, 'method' | 'url'>][] = [
        ['cut off', { headers: json, payload: '{"name": "Ana' }],
        ['an array', { headers: json, payload: '[]' }],
        ['a text', { headers: json, payload: '"text"' }],
        ['null', { headers: json, payload: 'null' }],
        ['plain text', { headers: { ...key, 'content-type': 'text/plain' }, payload: text }],
        ['a form', { headers: { ...key, 'content-type': 'application/x-www-form-urlencoded' }, payload: 'a=1' }],
        ['no content type', { headers: key, payload: text }],
      ]
      for (const [what, options] of bodies) assertError(await bare(op, path, options), 400, 'bad request', what)
    })

    test(`${route}: every required field is missed by name`, async () => {
      const { path } = await exampleOf(op)
      const required = (op.input.required ?? []).filter((name) => !op.pathParameters.includes(name))
      if (required.length === 0) return
      const { status, body } = await send(op, { path, body: {} })
      assert.equal(status, 400)
      const missed = body.details.map(({ field }: any) => field)
      for (const field of required) assert.ok(missed.includes(field), `${field} in ${missed}`)
    })
  }

  if (op.pathParameters.includes('id')) {
    test(`${route}: a path id that is no positive safe integer is 400`, async () => {
      const { body } = await exampleOf(op)
      for (const id of ['0', '-1', '1.5', 'x1', '9007199254740993', '99999999999999999999']) {
        const answer = await send(op, { path: op.path.replace(':id', id), body })
        assertError(answer, 400, 'bad request', id)
        assert.ok(answer.body.details.some(({ field }: any) => field === 'id'))
      }
    })
  }
}

test('an unknown path is 404, with and without a key', async () => {
  assertError(await firm.call('GET /v1/nothing'), 404, 'not found')
  assertError(await bare(operations[0]!, '/v2/clients', {}), 404, 'not found')
})

test('a literal path wins over a pattern: GET /v1/clients/bulk is a wrong method, not the client "bulk"', async () => {
  const literal = operations.filter(({ path }) => !path.includes(':'))
  const shadowed = literal.filter(({ path }) => operations.some((op) => op.path !== path && matches(op, path)))
  assert.ok(shadowed.some(({ path }) => path === '/v1/clients/bulk'))
  for (const { path } of shadowed)
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const answer = await firm.call(`${method} ${path}`, method === 'PUT' ? {} : undefined)
      assertError(answer, 405, 'method not allowed', `${method} ${path}`)
      assert.equal(answer.headers.allow, 'POST')
    }
})

const matches = ({ path }: Operation, url: string) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`).test(url)

/** The paths of what an answer holds and its schema doesn't tell of. */
function undeclared(schema: TSchema, value: unknown, at = ''): string[] {
  const { items, properties, additionalProperties } = schema as {
    items?: TSchema
    properties?: Record<string, TSchema>
    additionalProperties?: unknown
  }
  if (Array.isArray(value))
    return items ? value.flatMap((each, index) => undeclared(items, each, `${at}[${index}]`)) : []
  if (value === null || typeof value !== 'object' || !properties || additionalProperties === true) return []
  return Object.entries(value).flatMap(([name, each]) =>
    properties[name] ? undeclared(properties[name], each, `${at}.${name}`) : [`${at}.${name}`],
  )
}
