import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../../test/support/api.ts'
import { clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()

/** A client whose `meta` is nested that deep, the levels around it counted. */
function client(levels: number): string {
  const meta = `${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}`
  return JSON.stringify(clientPayload({ meta: 'META' })).replace('"META"', meta)
}

async function post(url: string, payload: string, headers: Record<string, string> = { 'x-api-key': firm.key }) {
  const type = { 'content-type': 'application/json' }
  const answer = await api.app.inject({ method: 'POST', url, headers: { ...type, ...headers }, payload })
  return { status: answer.statusCode, body: answer.json() }
}

test('a body is nested 100 levels deep at the most', async () => {
  assert.equal((await post('/v1/clients', client(100))).status, 201)
  for (const levels of [101, 10_000, 100_000]) {
    const { status, body } = await post('/v1/clients', client(levels))
    assert.deepEqual([status, body.message], [400, 'The body is nested more than 100 levels deep'])
  }
  const { status } = await post('/v1/clients/bulk', `{"clients":[${client(10_000)}]}`)
  assert.equal(status, 400)
})

test('so is a message to the tools', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_client', arguments: 'CLIENT' } }
  const message = JSON.stringify(call).replace('"CLIENT"', client(10_000))
  const { status, body } = await post('/v1/mcp', message, { authorization: `Bearer ${firm.key}` })
  assert.deepEqual([status, body.error.message], [400, 'Invalid request: nested more than 100 levels deep'])
})
