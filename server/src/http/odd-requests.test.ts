/** What no well-behaved client sends, and some do: each is answered in the one error shape, with a status of the contract. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startApi } from '../../test/support/api.ts'
import { clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()
const url = await api.app.listen({ port: 0, host: '127.0.0.1' })

/** What comes back for these bytes: status and body. */
async function raw(...parts: (string | Buffer)[]): Promise<{ status: number; body: any }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text) => (answer += text))
  for (const part of parts) socket.write(part)
  await once(socket, 'close')
  const [head, body] = answer.split('\r\n\r\n')
  return { status: Number(head!.split(' ')[1]), body: JSON.parse(body!) }
}

const request = (line: string, headers: string[] = []) =>
  `${[`${line} HTTP/1.1`, 'Host: here', `X-API-KEY: ${firm.key}`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`

function assertError({ status, body }: { status: number; body: any }, expected: number, error: string): void {
  assert.equal(status, expected, JSON.stringify(body))
  assert.deepEqual(Object.keys(body), ['error', 'message', 'details', 'request_id'])
  assert.equal(body.error, error)
  assert.match(body.request_id, /^[\w.-]{1,128}$/)
}

test('path and method are looked at before the body', async () => {
  for (const [type, body] of [
    ['application/json', '{"cut off'],
    ['text/plain', 'text'],
  ]) {
    const headers = [`Content-Type: ${type}`, `Content-Length: ${body!.length}`]
    assertError(await raw(request('POST /v1/nothing', headers), body!), 404, 'not found')
    assertError(await raw(request('PUT /v1/campaigns', headers), body!), 405, 'method not allowed')
  }
  assertError(await raw(request('QUERY /v1/campaigns')), 405, 'method not allowed')
})

test('a path that is no text, and an id of any length, are bad requests', async () => {
  assertError(await raw(request('GET /v1/clients/%zz')), 400, 'bad request')
  for (const digits of [100, 1000, 10_000]) {
    const answer = await raw(request(`GET /v1/clients/${'1'.repeat(digits)}`))
    assertError(answer, 400, 'bad request')
    assert.deepEqual(answer.body.details, [{ field: 'id', message: 'must be an integer' }])
  }
  assertError(
    await raw(request(`GET /v1/agent_builder/campaign_agents/${'a'.repeat(1000)}/config`)),
    400,
    'bad request',
  )
})

test('what is no HTTP, and headers without end, are bad requests', async () => {
  assertError(await raw('GARBAGE\r\n\r\n'), 400, 'bad request')
  const answer = await raw(request('GET /v1/campaigns', [`X-Long: ${'a'.repeat(20_000)}`]))
  assertError(answer, 400, 'bad request')
  assert.match(answer.body.message, /headers/)
})

test('a body that is not UTF-8 is refused, not saved with other letters', async () => {
  const body = Buffer.from(JSON.stringify(clientPayload({ first_name: 'José' })), 'latin1')
  for (const type of ['application/json', 'application/json; charset=iso-8859-1']) {
    const head = request('POST /v1/clients', [`Content-Type: ${type}`, `Content-Length: ${body.length}`])
    const answer = await raw(head, body)
    assertError(answer, 400, 'bad request')
    assert.match(answer.body.message, /UTF-8/)
  }
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_cases","arguments":{"key":"Jos\xe9"}}}`
  const bytes = Buffer.from(call, 'latin1')
  const head = request('POST /v1/mcp', [
    `Authorization: Bearer ${firm.key}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
  ])
  const { status, body: said } = await raw(head, bytes)
  assert.deepEqual([status, said.error.code], [400, -32700])
})

test('a number beyond what can be kept is refused by name, not saved as null', async () => {
  const client = JSON.stringify(clientPayload({ meta: { tier: 'HUGE' } })).replace('"HUGE"', '1e999')
  const send = (route: string, payload: string) =>
    api.app.inject({
      method: 'POST',
      url: route,
      headers: { 'x-api-key': firm.key, 'content-type': 'application/json' },
      payload,
    })
  const one = await send('/v1/clients', client)
  assert.equal(one.statusCode, 400)
  assert.deepEqual(one.json().details, [{ field: 'meta.tier', message: 'is a number too large to be kept' }])
  const bulk = await send('/v1/clients/bulk', `{"clients":[${client}]}`)
  assert.equal(bulk.json().failed[0].message, 'meta.tier: is a number too large to be kept')
})

test('null leaves an option of a bulk delete at its default', async () => {
  const client = await firm.ok('POST /v1/clients', clientPayload())
  const { deleted_ids } = await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [client.id], force: null })
  assert.deepEqual(deleted_ids, [client.id])
  assert.deepEqual(await firm.ok('POST /v1/cases/bulk_delete', { ids: [1], with_clients: null }), { deleted_ids: [] })
})
