/** A firm's outreach from nothing to its calls, by the tools alone. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { clockAt, eventually, startTestEngine } from '../support/engine.ts'

// Monday, 10:00 in New York; a day passes in about six seconds.
const clock = clockAt('2026-03-02T15:00:00Z', 15_000)
const api = await startApi({ clock })
await startTestEngine(api, clock)
const { tool, refusal } = await api.company('Marsh & Cole')

const address = { city: 'New York', state: 'NY', postal_code: '10007' }

test('an assistant sets up a campaign, watches it, reads its calls, and asks why somebody was not called', async () => {
  const schema = await tool('describe_schema')
  assert.ok(schema.case_types.includes('civil') && schema.voices.length > 0)

  const type = await tool('create_case_type', { name: 'Asbestos', pronunciation: 'as best os' })
  await tool('create_case_type_custom_field', { id: type.id, key: 'incident_date' })
  const status = await tool('create_case_status', { name: 'Outreach' })
  await tool('create_case_status', { name: 'Second round', parent_id: status.id })

  const people = [
    { first_name: 'Ana', last_name: 'Lee', mobile: '+1 212-555-0100', ...address },
    { first_name: 'Ben', last_name: 'Cole', mobile: '+1 212-555-0103', ...address },
    { first_name: 'Cleo', last_name: 'Diaz', mobile: '+1 212-555-0116', email: 'cleo@example.com', ...address },
    { first_name: 'Dana', last_name: 'Ek', email: 'dana@example.com' },
  ]
  const clients: number[] = []
  const cases: number[] = []
  for (const person of people) {
    const client = await tool('create_client', person)
    const filed = await tool('create_case', { type: 'asbestos', status: 'Outreach', name: `In re ${person.last_name}` })
    await tool('set_case_clients', { case_id: filed.id, client_ids: [client.id] })
    clients.push(client.id)
    cases.push(filed.id)
  }
  const dana = { client_id: clients[3]!, case_id: cases[3]! }

  const list = await tool('create_case_list', { name: 'Asbestos outreach', case_type_id: type.id })
  assert.equal(list.case_count, 4)
  const agent = await tool('create_voice_agent', {
    name: 'Grace',
    voice_id: schema.voices[0].voice_id,
    greeting: 'Hello {{first_name}}, this is {{agent_name}} from {{company_name}}.',
    task: 'Ask whether the client can come to the office this week.',
    post_call_fields: [{ name: 'can_come', type: 'boolean', description: 'Can they come to the office?' }],
  })
  const campaign = await tool('create_campaign', {
    name: 'Office visits',
    agent_id: agent.id,
    case_list_id: list.id,
    runs: [{ start_date: '2026-03-02', end_date: '2026-03-13', start_time: '09:00', end_time: '18:00' }],
    callback_delays: [{ hours: 2 }],
  })
  assert.equal(campaign.status, 'active')

  await eventually(async () => (await tool('get_campaign', { id: campaign.id })).status === 'completed', 60)
  const done = await tool('get_campaign_stats', { id: campaign.id })
  assert.equal(done.total_clients, 4)
  assert.equal(done.called_clients, 3)
  assert.deepEqual(done.not_called, [{ reason: 'number_missing', clients: 1 }])
  assert.equal(done.success_calls + done.failed_calls, done.total_calls)

  const { calls, total_records } = await tool('list_calls', { campaign_id: campaign.id, per_page: 100 })
  assert.equal(total_records, done.total_calls)
  assert.deepEqual(new Set(calls.map((call: any) => call.client_name)), new Set(['Ana Lee', 'Ben Cole', 'Cleo Diaz']))
  const conversations = calls.filter((call: any) => call.sentiment_score !== null)
  assert.ok(conversations.length > 0)
  for (const { id } of conversations) {
    const { summary, transcript, client_phone } = await tool('get_call', { id })
    assert.ok(summary.length > 10 && transcript.length > 1 && client_phone.startsWith('+1212'))
  }
  assert.equal((await tool('list_calls', { case_id: dana.case_id })).total_records, 0)

  const { contacts } = await tool('explain_call', { campaign_id: campaign.id, client_id: dana.client_id })
  const [why] = contacts
  assert.equal(why.allowed, false)
  assert.ok(why.reasons.some(({ rule }: { rule: string }) => rule === 'number_missing'))
  assert.equal(why.settled_reason, 'number_missing')

  await tool('create_note', {
    type: 'case',
    reference_id: dana.case_id,
    body: 'Has no phone number; write instead.',
  })
  assert.match(
    (await refusal('send_sms_to_case', { case_id: dana.case_id, message: 'Hi' })).message,
    /no mobile number/,
  )
  const mail = await tool('send_email_to_case', {
    case_id: dana.case_id,
    subject: 'About {{case_name}}',
    message: 'Dear {{first_name}}, please call {{company_name}}.',
  })
  assert.equal(mail.message_ids.length, 1)
  const text = await tool('send_sms_to_case', { case_id: cases[0]!, message: 'Thank you, {{first_name}}.' })
  assert.equal(text.status, 'sms scheduled')

  const form = await tool('create_form', {
    name: 'Visit',
    due_in: 3,
    tasks: [{ title: 'Came?', response_type: 'yes_no' }],
  })
  const asked = await tool('assign_form', { form_id: form.id, case_id: cases[0] })
  await tool('update_case_task', { id: asked.case_tasks[0].id, answer: true })

  const { audit_logs } = await tool('list_audit_logs', { page_size: 100, actor: 'test' })
  assert.ok(audit_logs.every((entry: any) => entry.channel === 'mcp'))
  for (const activity of ['campaign_created', 'note_created', 'message_scheduled', 'task_completed', 'form_completed'])
    assert.ok(
      audit_logs.some((entry: any) => entry.activity === activity),
      activity,
    )
})
