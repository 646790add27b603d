import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { realClock } from '../../src/core/clock.ts'
import { startApi } from '../support/api.ts'
import { eventually, startTestEngine } from '../support/engine.ts'
import { casePayload, clientPayload } from '../support/payloads.ts'
import { type Received, startReceiver } from '../support/receiver.ts'

const api = await startApi({ allowPrivateWebhooks: true })
await startTestEngine(api, realClock, { allowPrivateWebhooks: true })

const verifiers = { standardwebhooks: Standard, svix: Svix }

/** What a verifier says of a request, with the headers it knows. */
function verified(
  secret: string,
  { headers, body }: Received,
  change: (request: { headers: Record<string, string>; body: string }) => void = () => {},
) {
  return Object.entries(verifiers).map(([name, Verifier]) => {
    const request = { headers: { ...headers }, body }
    change(request)
    try {
      new Verifier(secret).verify(request.body, request.headers)
      return `${name}: good`
    } catch (error) {
      return `${name}: ${(error as Error).message}`
    }
  })
}
const GOOD = ['standardwebhooks: good', 'svix: good']

test('deliveries are verified by the standardwebhooks and svix packages, and nothing else is', async () => {
  const firm = await api.company()
  const receiver = await startReceiver({ secure: true })
  const { id, secret } = await firm.tool('create_webhook', { name: 'Our CRM', url: receiver.url })
  const client = await firm.ok('POST /v1/clients', clientPayload())
  const [first] = await eventually(async () => receiver.received.length > 0 && receiver.received)
  assert.deepEqual(first!.event.data, client)
  assert.deepEqual(verified(secret, first!), GOOD)
  const tampered = verified(secret, first!, (request) => {
    request.body = request.body.replace('client_created', 'client_deleted')
  })
  assert.deepEqual(tampered, ['standardwebhooks: No matching signature found', 'svix: No matching signature found'])
  const old = verified(secret, first!, ({ headers }) => {
    headers['webhook-timestamp'] = String(Number(headers['webhook-timestamp']) - 600)
  })
  assert.deepEqual(old, ['standardwebhooks: Message timestamp too old', 'svix: Message timestamp too old'])

  const { secret: rotated } = await firm.tool('rotate_webhook_secret', { id })
  await firm.tool('test_webhook', { id })
  const second = await eventually(async () => receiver.received[1])
  assert.equal(second.event.type, 'ping')
  assert.deepEqual([verified(secret, second), verified(rotated, second)], [GOOD, GOOD])
  assert.notDeepEqual(verified(rotated, first!), GOOD)
})

test('with api_key_id whoever holds the key can verify', async () => {
  const firm = await api.company()
  const receiver = await startReceiver({ secure: true })
  const { items } = await firm.tool('list_api_keys')
  const created = await firm.tool('create_webhook', { name: 'By key', url: receiver.url, api_key_id: items[0].id })
  assert.equal(created.secret, undefined)
  await firm.tool('test_webhook', { id: created.id, event_type: 'case_updated' })
  const request = await eventually(async () => receiver.received[0])
  const derived = `whsec_${createHash('sha256').update(firm.key).digest('base64')}`
  assert.deepEqual(verified(derived, request), GOOD)
  assert.equal(request.event.event_key, 'case:0')
  assert.match((await firm.refusal('rotate_webhook_secret', { id: created.id })).message, /signs with API key/)
})

test('the whole of it through tools: create, test, break, see retries and the reason, repair, replay', async () => {
  const firm = await api.company()
  const receiver = await startReceiver({ secure: true })
  const { id, secret } = await firm.tool('create_webhook', {
    name: 'Our CRM',
    url: receiver.url,
    event_types: ['case_created', 'case_updated'],
  })
  await firm.tool('test_webhook', { id })
  await eventually(async () => receiver.received.length === 1)
  const [ping] = await eventually(async () => {
    const { items } = await firm.tool('list_webhook_logs', { id })
    return items.length === 1 && items
  })
  assert.deepEqual([ping.event_type, ping.success, ping.triggered_by, ping.http_status], ['ping', true, 'test', 204])

  receiver.answer = (_request, response) => response.writeHead(503, 'Down').end('back soon')
  const record = await firm.ok('POST /v1/cases', casePayload())
  const failed = await eventually(async () => {
    const { items } = await firm.tool('list_webhook_logs', { id })
    return items.length === 3 && items
  })
  assert.deepEqual(
    failed
      .slice(0, 2)
      .map(({ attempt_number, error_message, response_body }: any) => [attempt_number, error_message, response_body]),
    [
      [2, 'http: answered 503 Down', 'back soon'],
      [1, 'http: answered 503 Down', 'back soon'],
    ],
  )
  const wait = Date.parse(failed[0].next_attempt_at) - Date.parse(failed[0].created_at)
  assert.ok(wait > 4 * 60_000 && wait < 6 * 60_000, `the third attempt comes after about five minutes: ${wait} ms`)
  const [item] = (await firm.tool('list_webhooks')).items
  assert.deepEqual([item.last_delivery_status, item.last_http_status], ['failed', 503])
  assert.equal(failed[0].event_key, `case:${record.id}`)
  assert.match(failed[0].request_headers['webhook-signature'], /\*/)

  receiver.answer = (_request, response) => response.writeHead(200).end('thanks')
  const { delivery_id } = await firm.tool('replay_webhook_delivery', { id: failed[0].id })
  const [good] = await eventually(async () => {
    const { items } = await firm.tool('list_webhook_logs', { id })
    return items[0].success && items
  })
  assert.deepEqual([good.delivery_id, good.attempt_number, good.response_body], [delivery_id, 3, 'thanks'])
  const ids = receiver.received.slice(1).map(({ headers }) => headers['webhook-id'])
  assert.deepEqual(new Set(ids).size, 1, 'the webhook-id stays the same')
  assert.deepEqual(verified(secret, receiver.received.at(-1)!), GOOD)
  assert.deepEqual(good.request_payload, receiver.received.at(-1)!.event)
})
