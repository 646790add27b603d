import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { type Company, startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'
import { World } from '../../test/support/world.ts'

const api = await startApi()
const url = 'https://hooks.example.com/'

const eventsOf = (firm: Company) =>
  api.pool.many<any>(sql`
    select e.type, e.event_key, e.data, e.previous, e.id as sequence, count(d.webhook_id)::int as webhooks from events e
    left join webhook_deliveries d on d.company_id = e.company_id and d.event_id = e.id
    where e.company_id = ${firm.id} group by e.company_id, e.id order by e.id`)

/** The company's events since the last look, as `type event_key`. */
function follow(firm: Company) {
  let seen = 0
  return async () => {
    const all = await eventsOf(firm)
    const news = all.slice(seen)
    seen = all.length
    return news
  }
}
const short = (events: any[]) => events.map(({ type, event_key }) => `${type} ${event_key}`)

test('each kind of event that applies to a change is emitted once, with the record as REST shows it', async () => {
  const firm = await api.company()
  await firm.tool('create_webhook', { name: 'All', url })
  const news = follow(firm)
  const payload = clientPayload()
  const client = await firm.ok('POST /v1/clients', payload)
  assert.deepEqual(short(await news()), [`client_created client:${client.id}`])

  await firm.ok(`PUT /v1/clients/${client.id}`, payload)
  assert.deepEqual(await news(), [], 'an update that changes nothing')

  await firm.ok(`PUT /v1/clients/${client.id}`, { ...payload, city: 'Reno', sms_opted_out: true })
  const updates = await news()
  assert.deepEqual(short(updates), [`client_updated client:${client.id}`, `client_opt_out_changed client:${client.id}`])
  assert.deepEqual(updates[0].data, await firm.ok(`GET /v1/clients/${client.id}`))
  assert.deepEqual(updates[0].previous, { city: null, sms_opted_out: false })

  const casePay = casePayload({ client_ids: [client.id] })
  const record = await firm.ok('POST /v1/cases', casePay)
  const created = await news()
  assert.deepEqual(short(created), [`case_created case:${record.id}`], 'links belong to the record that is named')
  assert.deepEqual(created[0].data, await firm.ok(`GET /v1/cases/${record.id}`))

  await firm.ok(`PUT /v1/cases/${record.id}`, { ...casePay, status: 'closed' })
  const closed = await news()
  assert.deepEqual(short(closed), [`case_updated case:${record.id}`, `case_status_changed case:${record.id}`])
  assert.deepEqual(closed[1].previous, { status: 'active' })

  await firm.ok(`PUT /v1/cases/${record.id}`, { ...casePay, status: 'closed', opt_out_voice_calls: true })
  assert.deepEqual(short(await news()).sort(), [
    `case_updated case:${record.id}`,
    `client_opt_out_changed client:${client.id}`,
    `client_updated client:${client.id}`,
  ])

  await firm.tool('update_case', { id: record.id, status: 'brand new' })
  assert.deepEqual(short(await news()), [`case_updated case:${record.id}`, `case_status_changed case:${record.id}`])

  await firm.ok('POST /v1/cases/bulk_delete', { ids: [record.id], with_clients: true })
  assert.deepEqual(short(await news()).sort(), [`case_deleted case:${record.id}`, `client_deleted client:${client.id}`])
})

test('campaigns, tasks and forms tell of themselves', async () => {
  const firm = await api.company()
  await firm.tool('create_webhook', { name: 'All', url })
  const world = new World(api, firm)
  const news = follow(firm)
  const runs = [{ start_date: '2026-01-01', end_date: '2099-12-31', start_time: '09:00', end_time: '17:00' }]
  const { id } = await firm.ok('POST /v1/campaigns', {
    name: 'Now',
    agent_id: await world.agent(),
    case_list_id: await world.list(),
    runs,
  })
  const [started] = await news()
  assert.deepEqual([started.type, started.event_key], ['campaign_started', `campaign:${id}`])
  const [listed] = await firm.ok('GET /v1/campaigns')
  assert.deepEqual(started.data, { ...listed, status: 'active' })
  await firm.tool('pause_campaign', { id, reason: 'holiday' })
  const [paused] = await news()
  assert.deepEqual([paused.type, paused.data.status, paused.previous.status], ['campaign_paused', 'paused', 'active'])
  await firm.tool('resume_campaign', { id })
  assert.deepEqual(short(await news()), [`campaign_started campaign:${id}`])

  const record = await world.case()
  await news()
  const form = await firm.tool('create_form', { name: 'Intake', tasks: [{ title: 'Hurt?', response_type: 'yes_no' }] })
  await firm.tool('assign_form', { form_id: form.id, case_id: record })
  const { id: instance } = await api.pool.one<{ id: number }>(
    sql`select id from case_tasks where company_id = ${firm.id}`,
  )
  await firm.tool('update_case_task', { id: instance, answer: true })
  const [task, whole] = await news()
  assert.deepEqual([task.type, task.data.case_id, task.data.answer], ['task_completed', record, true])
  assert.deepEqual([whole.type, whole.event_key, whole.data.case_id], ['form_completed', `form:${form.id}`, record])
})

test('what is rolled back emits nothing', async () => {
  const firm = await api.company()
  await firm.tool('create_webhook', { name: 'All', url })
  const refused = await firm.call('POST /v1/cases/bulk', { cases: [casePayload(), casePayload({ type: 'unknown' })] })
  assert.equal(refused.status, 400)
  assert.deepEqual(await eventsOf(firm), [])
})

test('bulk work emits one event per record, once for all webhooks', async () => {
  const firm = await api.company()
  for (const name of ['One', 'Two']) await firm.tool('create_webhook', { name, url })
  await firm.tool('create_webhook', { name: 'Off', url, enabled: false })
  const clients = Array.from({ length: 5000 }, () => clientPayload())
  const { successful_ids } = await firm.ok('POST /v1/clients/bulk', { clients })
  const events = await eventsOf(firm)
  assert.deepEqual(
    events.map(({ event_key, webhooks }) => [event_key, webhooks]),
    successful_ids.map((id: number) => [`client:${id}`, 2]),
  )
})

test('filters by type, case type and campaign decide what is delivered, and what nobody wants is not kept', async () => {
  const firm = await api.company()
  const world = new World(api, firm)
  const { id: civil } = await api.pool.one<{ id: number }>(
    sql`select id from case_types where company_id = ${firm.id} and name = 'civil'`,
  )
  await firm.tool('create_webhook', { name: 'Civil', url, case_type_ids: [civil] })
  await firm.ok('POST /v1/clients', clientPayload())
  await firm.ok('POST /v1/cases', casePayload({ type: 'criminal' }))
  const record = await firm.ok('POST /v1/cases', casePayload({ type: 'civil' }))
  assert.deepEqual(short(await eventsOf(firm)), [`case_created case:${record.id}`])

  const news = follow(firm)
  await news()
  const [mine, other] = [await world.campaign(), await world.campaign()]
  await firm.tool('create_webhook', { name: 'Mine', url, event_types: ['campaign_paused'], campaign_ids: [mine] })
  for (const id of [mine, other]) await firm.tool('pause_campaign', { id })
  assert.deepEqual(short(await news()), [`campaign_paused campaign:${mine}`])
})

test('the sequence grows per record, however many change it at once', async () => {
  const firm = await api.company()
  await firm.tool('create_webhook', { name: 'All', url })
  const payload = clientPayload()
  const { id } = await firm.ok('POST /v1/clients', payload)
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => firm.ok(`PUT /v1/clients/${id}`, { ...payload, city: `C${n}` })),
  )
  const updates = (await eventsOf(firm)).slice(1)
  assert.equal(updates.length, 30)
  for (const [index, { previous }] of updates.entries())
    assert.equal(previous.city, index === 0 ? null : updates[index - 1].data.city, 'each follows on the one before')
})

test('erasing a client takes what is known of it out of the events', async () => {
  const firm = await api.company()
  await firm.tool('create_webhook', { name: 'All', url })
  const { id } = await firm.ok('POST /v1/clients', clientPayload({ first_name: 'Zebulon' }))
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id], force: true })
  const events = await eventsOf(firm)
  assert.deepEqual(
    events.map(({ type, data }) => [type, data]),
    [
      ['client_created', { id }],
      ['client_deleted', { id }],
    ],
  )
})
