import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { type Company, startApi } from '../../test/support/api.ts'
import { eventually, startTestEngine } from '../../test/support/engine.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'
import { type Receiver, startReceiver } from '../../test/support/receiver.ts'
import { realClock } from '../core/clock.ts'
import { deleteOldEvents } from './forget.ts'

const api = await startApi({ allowPrivateWebhooks: true })
await startTestEngine(api, realClock, { allowPrivateWebhooks: true })

async function hooked(fields: object = {}): Promise<{ firm: Company; receiver: Receiver; id: number }> {
  const [firm, receiver] = [await api.company(), await startReceiver()]
  const { id } = await firm.tool('create_webhook', { name: 'Receiver', url: receiver.url, ...fields })
  return { firm, receiver, id }
}

/** The log as soon as it has so many entries, newest first. */
const logged = (firm: Company, id: number, count: number): Promise<any[]> =>
  eventually(async () => {
    const { items } = await firm.tool('list_webhook_logs', { id })
    return items.length >= count && items
  })

const webhookOf = (firm: Company, id: number) =>
  api.pool.one<any>(sql`select * from webhooks where company_id = ${firm.id} and id = ${id}`)

test('410 switches a webhook off, with an event for the others and an audit entry; what waited can be replayed', async () => {
  const { firm, receiver, id } = await hooked()
  receiver.answer = (_request, response) => response.writeHead(410).end()
  const watcher = await startReceiver()
  await firm.tool('create_webhook', { name: 'Watcher', url: watcher.url, event_types: ['webhook_disabled'] })
  await firm.ok('POST /v1/clients', clientPayload())
  const { event } = await eventually(async () => watcher.received[0])
  assert.deepEqual([event.type, event.event_key, event.data.enabled], ['webhook_disabled', `webhook:${id}`, false])
  assert.match(event.data.reason, /410/)
  assert.equal((await firm.tool('get_webhook', { id })).enabled, false)
  const { audit_logs } = await firm.tool('list_audit_logs', { activity: 'webhook_disabled' })
  assert.deepEqual([audit_logs[0].actor, audit_logs[0].record_id], ['engine', String(id)])

  await firm.ok('POST /v1/clients', clientPayload())
  receiver.answer = (_request, response) => response.writeHead(200).end()
  await firm.tool('test_webhook', { id })
  await eventually(async () => receiver.received.length === 2)
  assert.equal(receiver.received[1]!.event.type, 'ping', 'tests go to a disabled webhook, events do not')

  const { count } = await firm.tool('replay_failed_webhook_deliveries', { id, since: '2026-01-01' })
  assert.equal(count, 1)
  const [replay] = await logged(firm, id, 3)
  assert.deepEqual([replay.triggered_by, replay.success, replay.event_type], ['replay', true, 'client_created'])
  assert.equal(receiver.received[2]!.headers['webhook-id'], receiver.received[0]!.headers['webhook-id'])
})

test('five days of nothing but failures switch a webhook off; one success starts them anew', async () => {
  const { firm, receiver, id } = await hooked()
  receiver.answer = (_request, response) => response.writeHead(500).end()
  const failingFor = (days: number) =>
    api.pool.run(sql`
      update webhooks set failing_since = now() - make_interval(hours => ${Math.round(days * 24)}) where company_id = ${firm.id} and id = ${id}`)
  await failingFor(4.9)
  await firm.ok('POST /v1/clients', clientPayload())
  await logged(firm, id, 1)
  assert.equal((await webhookOf(firm, id)).enabled, true)
  // Its retry would come in between.
  await api.pool.run(sql`delete from webhook_deliveries where company_id = ${firm.id}`)
  await failingFor(5.1)
  receiver.answer = (_request, response) => response.writeHead(200).end()
  await firm.ok('POST /v1/clients', clientPayload())
  await logged(firm, id, 2)
  assert.equal((await webhookOf(firm, id)).failing_since, null)
  await failingFor(5.1)
  receiver.answer = (_request, response) => response.writeHead(500).end()
  await firm.tool('test_webhook', { id })
  await logged(firm, id, 3)
  assert.equal((await webhookOf(firm, id)).enabled, true, 'a test does not touch the record of failures')
  await firm.ok('POST /v1/clients', clientPayload())
  await eventually(async () => !(await webhookOf(firm, id)).enabled)
})

test('Retry-After puts off everything for the receiver that asks for it', async () => {
  const { firm, receiver, id } = await hooked()
  receiver.answer = (_request, response) => response.writeHead(429, { 'retry-after': '100' }).end()
  await firm.ok('POST /v1/clients', clientPayload())
  const [entry] = await logged(firm, id, 1)
  const wait = (Date.parse(entry.next_attempt_at) - Date.parse(entry.created_at)) / 1000
  assert.ok(wait >= 100 && wait < 105, `${wait} s`)
  await firm.ok('POST /v1/clients', clientPayload())
  await new Promise((resolve) => setTimeout(resolve, 600))
  assert.equal(receiver.received.length, 1)
})

test('redirects are failures and are not followed; answers are cut at 16 KB', async () => {
  const { firm, receiver, id } = await hooked()
  const elsewhere = await startReceiver()
  receiver.answer = (_request, response) =>
    response.writeHead(307, { location: elsewhere.url }).end('x'.repeat(100_000))
  await firm.ok('POST /v1/clients', clientPayload())
  const [entry] = await logged(firm, id, 1)
  assert.match(entry.error_message, /answered 307, a redirect/)
  assert.equal(entry.response_body.length, 16 * 1024)
  assert.equal(elsewhere.received.length, 0)
})

test('what goes wrong is said in words', async () => {
  const words = async (url: string) => {
    const firm = await api.company()
    const { id } = await firm.tool('create_webhook', { name: 'Nobody', url })
    await firm.tool('test_webhook', { id })
    const [{ error_message, http_status, success }] = await logged(firm, id, 1)
    assert.deepEqual([http_status, success], [null, false])
    return error_message
  }
  const closed = await startReceiver()
  await closed.close()
  assert.match(await words(closed.url), /^connect: .*ECONNREFUSED/)
  assert.match(await words('http://does-not-exist.invalid/'), /^dns: does-not-exist.invalid could not be resolved/)
  const plain = await startReceiver()
  assert.match(await words(plain.url.replace('http:', 'https:')), /^tls: /)
})

test('changes of one record arrive in their order', async () => {
  const { firm, receiver } = await hooked({ event_types: ['case_created', 'case_updated'] })
  receiver.answer = (_request, response) => void setTimeout(() => response.writeHead(204).end(), Math.random() * 20)
  const payload = casePayload()
  const { id } = await firm.ok('POST /v1/cases', payload)
  for (let n = 0; n < 40; n++) await firm.ok(`PUT /v1/cases/${id}`, { ...payload, description: `Version ${n}` })
  await eventually(async () => receiver.received.length === 41)
  const order = receiver.received.map(({ event }) => event.sequence)
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  )
})

test('events and their logs go when their time is over, the rest stays', async () => {
  const { firm, id } = await hooked()
  for (let n = 0; n < 3; n++) await firm.tool('test_webhook', { id })
  await logged(firm, id, 3)
  await api.pool.run(sql`
    update events set happened_at = now() - interval '91 days'
    where company_id = ${firm.id} and id in (select id from events where company_id = ${firm.id} order by id limit 2)`)
  assert.equal(await deleteOldEvents(api.pool, 90), 2)
  assert.equal((await firm.tool('list_webhook_logs', { id })).items.length, 1)
  assert.equal(await deleteOldEvents(api.pool, 90), 0)
})

test('a second process shares the work and sends nothing twice', async () => {
  await startTestEngine(api, realClock, { allowPrivateWebhooks: true, alone: false })
  const hooks = await Promise.all(Array.from({ length: 6 }, () => hooked({ event_types: ['client_created'] })))
  const clients = Array.from({ length: 300 }, () => clientPayload())
  for (let wave = 0; wave < 4; wave++) {
    await Promise.all(hooks.map(({ firm }) => firm.ok('POST /v1/clients/bulk', { clients })))
    await new Promise((resolve) => setTimeout(resolve, 700))
  }
  await eventually(async () => hooks.every(({ receiver }) => receiver.received.length >= 1200))
  for (const { receiver } of hooks) {
    assert.equal(receiver.received.length, 1200)
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1200)
  }
})
