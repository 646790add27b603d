import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause, realClock } from '../../src/core/clock.ts'
import { startApi } from '../support/api.ts'
import { eventually, startTestEngine } from '../support/engine.ts'
import { clientPayload } from '../support/payloads.ts'
import { startReceiver } from '../support/receiver.ts'

const EVENTS = 5000
const BATCH = 50

const api = await startApi({ allowPrivateWebhooks: true })

test('a dead receiver and one that hangs delay nobody else, and hold no more than a few connections', async (t) => {
  const firm = await api.company()
  const [dead, slow, healthy] = [await startReceiver(), await startReceiver(), await startReceiver()]
  await dead.close()
  slow.answer = () => {}
  for (const { url } of [dead, slow, healthy])
    await firm.tool('create_webhook', { name: 'Receiver', url, event_types: ['client_created'] })
  await startTestEngine(api, realClock, { allowPrivateWebhooks: true })

  for (let sent = 0; sent < EVENTS; sent += BATCH) {
    const began = Date.now()
    await firm.ok('POST /v1/clients/bulk', { clients: Array.from({ length: BATCH }, () => clientPayload()) })
    await pause(200 - (Date.now() - began))
  }
  await eventually(async () => healthy.received.length >= EVENTS, 30)
  const delays = healthy.received.map(({ event, at }) => at - Date.parse(event.timestamp)).sort((a, b) => a - b)
  t.diagnostic(
    `median ${delays[EVENTS / 2]} ms, 99 % ${delays[Math.floor(EVENTS * 0.99)]} ms; ${JSON.stringify(slow.connections)}`,
  )
  assert.equal(new Set(healthy.received.map(({ event }) => event.id)).size, EVENTS)
  // Far below the 15 s that the hanging receiver takes each time. On a quiet machine it is 64 to 200 ms, which the
  // diagnostic shows: a number to aim at is for the bench, not for a test beside others.
  assert.ok(delays[EVENTS / 2]! < 3000, `half of the events arrive within ${delays[EVENTS / 2]} ms`)
  assert.ok(slow.connections.most <= 8, `${slow.connections.most} connections to the receiver that hangs`)
  assert.ok(healthy.connections.opened < 50, `${healthy.connections.opened} connections for ${EVENTS} deliveries`)
  const { items } = await firm.tool('list_webhooks')
  assert.deepEqual(items.map((item: any) => item.last_delivery_status)[2], 'success')
  assert.equal(items[0].last_delivery_status, 'failed')
})
