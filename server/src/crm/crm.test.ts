import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { CALL_RESULTS } from '../calls/results.ts'

const api = await startApi()
const firm = await api.company()

const save = (mappings: unknown[]) => firm.call('POST /v1/crm_mappings/fields', { mappings })
const saved = async () => (await firm.ok('GET /v1/crm_mappings/fields')).mappings

test('mappings are created and updated by their kayse_field, and answered as saved in the order sent', async () => {
  const first = await save([
    { kayse_field: 'incident_date', crm_field: 'dateofincident', direction: 'inbound' },
    { kayse_field: 'case_status', crm_field: 'statusid' },
  ])
  assert.equal(first.status, 200)
  assert.deepEqual(first.body, {
    updated: 2,
    mappings: [
      { kayse_field: 'incident_date', crm_field: 'dateofincident', direction: 'inbound' },
      { kayse_field: 'case_status', crm_field: 'statusid', direction: 'bidirectional' },
    ],
  })
  const second = await save([{ kayse_field: 'incident_date', crm_field: 'Incident Date', direction: null }])
  const changed = { kayse_field: 'incident_date', crm_field: 'Incident Date', direction: 'bidirectional' }
  assert.deepEqual(second.body, { updated: 1, mappings: [changed] })
  assert.deepEqual(await saved(), [
    { kayse_field: 'case_status', crm_field: 'statusid', direction: 'bidirectional' },
    changed,
  ])
})

test('the whole POST is checked before anything is saved', async () => {
  const before = await saved()
  const { status, body } = await save([
    { kayse_field: 'fresh', crm_field: 'x' },
    { kayse_field: 'Case Status', crm_field: 'x' },
    { kayse_field: 'fresh.2', crm_field: '', direction: 'sideways' },
  ])
  assert.equal(status, 400)
  assert.deepEqual(
    body.details.map(({ field }: any) => field),
    ['mappings[1].kayse_field', 'mappings[2].crm_field', 'mappings[2].direction'],
  )
  assert.deepEqual(await saved(), before)
})

test('a field twice in one POST is refused', async () => {
  const before = await saved()
  const { status, body } = await save([
    { kayse_field: 'twice', crm_field: 'a' },
    { kayse_field: 'twice', crm_field: 'b' },
  ])
  assert.equal(status, 400)
  assert.deepEqual(body.details, [{ field: 'mappings[1].kayse_field', message: "'twice' is already mappings[0]" }])
  assert.deepEqual(await saved(), before)
})

test('an empty array is refused', async () => {
  assert.equal((await save([])).status, 400)
})

test("another company's mappings are its own", async () => {
  const other = await api.company()
  await save([{ kayse_field: 'shared_name', crm_field: 'ours' }])
  await other.ok('POST /v1/crm_mappings/fields', { mappings: [{ kayse_field: 'shared_name', crm_field: 'theirs' }] })
  assert.deepEqual((await other.ok('GET /v1/crm_mappings/fields')).mappings, [
    { kayse_field: 'shared_name', crm_field: 'theirs', direction: 'bidirectional' },
  ])
  assert.ok((await saved()).some(({ crm_field }: any) => crm_field === 'ours'))
})

test('a mapping that changes nothing leaves no audit entry', async () => {
  const mapping = { kayse_field: 'audited', crm_field: 'a' }
  await save([mapping])
  await save([mapping])
  await save([{ ...mapping, crm_field: 'b' }])
  const entries = await api.pool.many(sql`
    select activity, changes from audit_log
    where company_id = ${firm.id} and record_type = 'crm_mapping' and record_id = 'audited' order by id`)
  assert.deepEqual(entries, [
    { activity: 'crm_mapping_created', changes: null },
    { activity: 'crm_mapping_updated', changes: { crm_field: { from: 'a', to: 'b' } } },
  ])
})

test('integrations are the connections that exist', async () => {
  assert.deepEqual(await firm.ok('GET /v1/crm_integrations'), { integrations: [] })
  const connected_at = '2026-03-02T14:30:00.000Z'
  await api.pool.run(sql`
    insert into crm_integrations (company_id, type, connected_at) values (${firm.id}, 'smartadvocate', ${connected_at})`)
  assert.deepEqual(await firm.ok('GET /v1/crm_integrations'), {
    integrations: [{ type: 'smartadvocate', enabled: true, connected_at }],
  })
})

test('outcome types are all call results but busy and failed', async () => {
  const { outcome_types } = await firm.ok('GET /v1/crm_mappings/outcome_types')
  assert.deepEqual(
    outcome_types.map(({ id }: any) => id),
    CALL_RESULTS.filter((id) => id !== 'busy' && id !== 'failed'),
  )
  for (const { label, description } of outcome_types) assert.ok(label && description)
})
