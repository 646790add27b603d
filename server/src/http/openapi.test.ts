import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startApi } from '../../test/support/api.ts'
import { checker } from '../core/validate.ts'
import { operations } from '../operations.ts'
import type { Shape } from './example.ts'

const { app } = await startApi({ publicUrl: 'https://calls.firm.test' })
const document = (await app.inject('/openapi.json')).json()

const described = (path: string, method: string) =>
  document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]

test('the linter finds nothing', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'docketcall-openapi-'))
  const file = path.join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(document, null, 2))
  const redocly = path.resolve('node_modules/.bin/redocly')
  const options = ['lint', file, '--extends=recommended', '--format=json']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout } = await promisify(execFile)(redocly, options, { env, cwd: folder }).catch((failed) => failed)
  await rm(folder, { recursive: true })
  const { totals, problems } = JSON.parse(stdout)
  assert.deepEqual(
    totals,
    { errors: 0, warnings: 0, ignored: 0 },
    problems.map((each: { message: string }) => each.message).join('\n'),
  )
})

test('every operation is there under a name of its own', () => {
  const names = operations.map(({ method, path }) => described(path, method)?.operationId)
  assert.ok(names.every((name) => /^[a-z][A-Za-z]+$/.test(name)))
  assert.equal(new Set(names).size, operations.length)
})

test('every field of every request and answer is described', () => {
  const blank: string[] = []
  const look = (schema: Shape, at: string) => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (!field.description && !('title' in field)) blank.push(`${at}.${name}`)
      look(field, `${at}.${name}`)
    }
    for (const part of [schema.items, ...(schema.anyOf ?? [])]) if (part) look(part, `${at}[]`)
  }
  for (const { method, path, input, output } of operations) {
    look(input as Shape, `${method} ${path} request`)
    if (output) look(output as Shape, `${method} ${path} answer`)
  }
  assert.deepEqual(blank, [])
})

for (const { method, path, input, output, pathParameters, status } of operations) {
  test(`${method} ${path}: the examples keep to the schemas`, () => {
    const { parameters = [], requestBody, responses } = described(path, method)
    const sent = { ...requestBody?.content['application/json'].example }
    for (const { name, in: place, example } of parameters) if (place === 'path') sent[name] = example
    assert.deepEqual(checker(input).check(structuredClone(sent)), [])
    assert.deepEqual(
      Object.keys(sent)
        .filter((name) => pathParameters.includes(name))
        .sort(),
      pathParameters.toSorted(),
    )
    const example = responses[status].content?.['application/json'].example
    if (output) assert.deepEqual(checker(output).check(structuredClone(example)), [])
    else assert.equal(example, undefined)
    assert.ok(!JSON.stringify([sent, example]).includes('"…"'), 'every text in an example says something')
  })
}

test('every error that may happen is there, with its shape, an example and the headers', () => {
  for (const { method, path, pathParameters } of operations) {
    const { responses } = described(path, method)
    for (const status of [400, 401, 429, 500, 503]) assert.ok(responses[status], `${method} ${path} ${status}`)
    const named = pathParameters.length > 0 || path === '/v1/calls' || path.includes('/communication/')
    assert.equal(responses[404] !== undefined, named, `${method} ${path} 404`)
  }
  for (const [name, { headers, content }] of Object.entries<any>(document.components.responses)) {
    const { schema, example } = content['application/json']
    assert.equal(schema.$ref, '#/components/schemas/Error')
    assert.ok(example.message && example.request_id, name)
    assert.ok(headers['X-Request-Id'], name)
  }
  assert.ok(document.components.responses.TooManyRequests.headers['Retry-After'])
})

test('rate limits, idempotency and both ways to send a key are described', () => {
  const { parameters, responses } = described('/v1/clients', 'POST')
  assert.deepEqual(parameters, [{ $ref: '#/components/parameters/IdempotencyKey' }])
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Idempotent-Replayed'])
    assert.ok(responses[201].headers[name], name)
  const { ApiKey, Bearer } = document.components.securitySchemes
  assert.deepEqual([ApiKey.name, Bearer.scheme], ['X-API-KEY', 'bearer'])
})

test('fields that only the service sets are marked, and records are described once', () => {
  const { schema } = described('/v1/clients', 'POST').requestBody.content['application/json']
  assert.equal(schema.properties.origin.readOnly, true)
  const { schema: answer } = described('/v1/clients', 'POST').responses[201].content['application/json']
  assert.deepEqual(answer, { $ref: '#/components/schemas/Client' })
})

test('the server is PUBLIC_URL, and without it the address that was asked', async () => {
  assert.deepEqual(document.servers, [{ url: 'https://calls.firm.test' }])
  const plain = await startApi()
  const { servers } = (await plain.app.inject({ url: '/openapi.json', headers: { host: 'localhost:8080' } })).json()
  assert.deepEqual(servers, [{ url: 'http://localhost:8080' }])
})
