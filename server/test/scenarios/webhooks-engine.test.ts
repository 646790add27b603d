import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { insertWebhook } from '../../src/webhooks/queries.ts'
import { newSecret } from '../../src/webhooks/signing.ts'
import { startApi } from '../support/api.ts'
import { clockAt, eventually, startTestEngine } from '../support/engine.ts'
import { startReceiver } from '../support/receiver.ts'
import { seedCampaign } from '../support/seed.ts'

const CONTACTS = 150
const clock = clockAt('2026-03-02T14:00:00Z', 20_000)
const api = await startApi({ clock })
const { pool } = api

test('whatever a campaign does reaches the receiver: every event once, in the order of its record', async () => {
  const { companyId, campaignId } = await seedCampaign(pool, { contacts: CONTACTS })
  const mine = sql`company_id = ${companyId}`
  await pool.run(sql`update agents set is_transfer_enabled = true, transfer_number = '+12125550101' where ${mine}`)
  await pool.run(sql`
    insert into campaign_messages (company_id, campaign_id, run_id, position, channel, trigger, delay_minutes, message)
    select company_id, campaign_id, id, 0, 'sms', 'after_successful_call', 0, 'Thank you, {{first_name}}.' from campaign_runs where ${mine}`)
  const receiver = await startReceiver()
  const hook = {
    name: 'All',
    url: receiver.url,
    enabled: true,
    event_types: [],
    case_type_ids: [],
    campaign_ids: [],
    api_key_id: null,
  }
  await insertWebhook({ db: pool, companyId }, hook, newSecret())
  await startTestEngine(api, clock, { allowPrivateWebhooks: true })
  await eventually(async () => receiver.received.some(({ event }) => event.type === 'campaign_completed'), 90)
  await eventually(async () => {
    const { n } = await pool.one<{ n: number }>(sql`select count(*)::int as n from webhook_deliveries where ${mine}`)
    return n === 0
  })

  const events = receiver.received.map(({ event }) => event)
  const ids = new Set(events.map(({ id }) => id))
  assert.equal(ids.size, events.length, 'nothing comes twice while nothing fails')
  const last = new Map<string, number>()
  for (const { event_key, sequence } of events) {
    assert.ok(sequence > (last.get(event_key) ?? 0), `${event_key} is sent in its order`)
    last.set(event_key, sequence)
  }

  const typesOf = Map.groupBy(events, ({ event_key }) => event_key)
  const types = (key: string) => (typesOf.get(key) ?? []).map(({ type }) => type)
  const calls = await pool.many<any>(sql`select * from calls where ${mine} order by id`)
  assert.ok(calls.length >= CONTACTS)
  for (const call of calls) {
    const expected = ['call_started', 'call_ended', ...(call.transcript ? ['call_analyzed'] : [])]
    const told = types(`call:${call.id}`)
    assert.deepEqual(
      told.filter((type) => !type.startsWith('transfer_')),
      expected,
    )
    assert.equal(told.includes('transfer_bridged'), call.result === 'transferred')
  }
  const transferred = calls.filter(({ result }) => result === 'transferred')
  assert.ok(transferred.length > 0)
  const analyzed = events.find(({ type, data }) => type === 'call_analyzed' && data.result === 'converted')
  assert.ok(analyzed.data.summary.length > 0 && analyzed.data.client_id > 0 && analyzed.data.campaign_name === 'Test')

  const messages = await pool.many<any>(sql`select id, status from messages where ${mine}`)
  assert.ok(messages.length > 0)
  const told: Record<string, string[]> = {
    skipped: [''],
    sent: ['message_sent'],
    delivered: ['message_sent message_delivered'],
    // By the provider at once, or by the network later.
    failed: ['message_failed', 'message_sent message_failed'],
  }
  for (const { id, status } of messages)
    assert.ok(told[status]!.includes(types(`message:${id}`).join(' ')), `${status}: ${types(`message:${id}`)}`)
  assert.ok(messages.some(({ status }) => status === 'delivered'))

  const optedOut = await pool.many<any>(sql`select id from clients where ${mine} and voice_calls_opted_out`)
  assert.ok(optedOut.length > 0)
  for (const { id } of optedOut) assert.deepEqual(types(`client:${id}`), ['client_updated', 'client_opt_out_changed'])
  const [change] = typesOf.get(`client:${optedOut[0].id}`)!
  assert.deepEqual([change.data.voice_calls_opted_out, change.previous], [true, { voice_calls_opted_out: false }])

  assert.deepEqual(types(`campaign:${campaignId}`), ['campaign_completed'])
  const audit = await pool.many<any>(
    sql`select distinct activity from audit_log where ${mine} and actor = 'engine' order by 1`,
  )
  for (const activity of ['call_ended', 'call_started', 'campaign_completed', 'client_updated', 'message_sent'])
    assert.ok(
      audit.some((entry) => entry.activity === activity),
      activity,
    )
})
