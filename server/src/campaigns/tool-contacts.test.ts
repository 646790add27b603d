import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { agentPayload, casePayload, clientPayload, runPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()
const list = await firm.ok('POST /v1/case_lists', { name: 'All' })
const agent = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload())
const { id } = await firm.ok('POST /v1/campaigns', {
  name: 'Hearing reminders',
  agent_id: agent.id,
  case_list_id: list.id,
  runs: [runPayload()],
})

const DUE = new Date('2026-03-02T16:00:00Z')
const REFUSED = {
  allowed: false,
  reasons: [{ rule: 'number_missing', message: 'the contact has no mobile number', until: null }],
}

/** A contact as the engine leaves it. */
async function contact(fields: { state: string; attempts: number; result?: string; decision?: object; due?: Date }) {
  const { id: client } = await firm.ok('POST /v1/clients', clientPayload())
  const { id: record } = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client] }))
  await api.pool.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, attempts, last_result, last_decision, due_at)
    values (${firm.id}, ${id}, ${client}, ${record}, ${fields.state}, ${fields.attempts}, ${fields.result ?? null},
      ${fields.decision ? JSON.stringify(fields.decision) : null}, ${fields.due ?? null})`)
  return client as number
}

const nobody = await contact({ state: 'settled', attempts: 0, decision: REFUSED })
const waits = await contact({
  state: 'due',
  attempts: 1,
  result: 'busy',
  decision: { allowed: true, reasons: [] },
  due: DUE,
})
const talks = await contact({ state: 'live', attempts: 1 })
const reached = await contact({ state: 'settled', attempts: 2, result: 'converted' })

const ids = async (args: object) =>
  (await firm.tool('list_campaign_contacts', { campaign_id: id, ...args })).contacts.map((each: any) => each.client_id)

test('every contact is listed with where they stand and what was found against a call', async () => {
  const { contacts, total_records } = await firm.tool('list_campaign_contacts', { campaign_id: id })
  assert.equal(total_records, 4)
  assert.deepEqual(
    contacts.map((each: any) => [each.client_id, each.standing, each.attempts, each.last_result, each.next_attempt_at]),
    [
      [nobody, 'done', 0, null, null],
      [waits, 'waiting', 1, 'busy', DUE.toISOString()],
      [talks, 'in_call', 1, null, null],
      [reached, 'done', 2, 'converted', null],
    ],
  )
  assert.deepEqual(contacts[0].reasons, [{ rule: 'number_missing', message: 'the contact has no mobile number' }])
  assert.deepEqual(contacts[1].reasons, [])
})

test('it can be narrowed to who was never called, or to where contacts stand', async () => {
  assert.deepEqual(await ids({ called: false }), [nobody])
  assert.deepEqual(await ids({ called: true }), [waits, talks, reached])
  assert.deepEqual(await ids({ standing: 'done' }), [nobody, reached])
  assert.deepEqual(await ids({ standing: 'done', called: true }), [reached])
  assert.deepEqual(await ids({ per_page: 1, page: 2 }), [waits])
})

test('the results count contacts by their latest call', async () => {
  const { last_results, messages_sent } = await firm.tool('get_campaign_stats', { id })
  assert.deepEqual(last_results, [
    { result: 'busy', clients: 1 },
    { result: 'converted', clients: 1 },
  ])
  assert.equal(messages_sent, 0)
})

test("another company's campaign is not found", async () => {
  const other = await api.company()
  assert.equal((await other.refusal('list_campaign_contacts', { campaign_id: id })).error, 'not found')
})
