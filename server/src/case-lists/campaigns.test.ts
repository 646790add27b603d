import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { agentPayload, casePayload, runPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()

const { id: agent_id } = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload())
const newCase = async (fields?: object): Promise<number> => (await firm.ok('POST /v1/cases', casePayload(fields))).id
const newList = async (fields?: object): Promise<number> =>
  (await firm.ok('POST /v1/case_lists', { name: 'A list', ...fields })).id

/** A campaign whose planner has gone through the whole list. */
async function plannedCampaign(case_list_id: number, status = 'active'): Promise<number> {
  const { id } = await firm.ok('POST /v1/campaigns', { name: 'C', agent_id, case_list_id, runs: [runPayload()] })
  await api.pool.run(
    sql`update campaigns set plan_cursor = null, status = ${status} where company_id = ${firm.id} and id = ${id}`,
  )
  return id
}

const campaign = (id: number) =>
  api.pool.one<{ status: string; pause_reason: string | null; plan_cursor: number | null }>(
    sql`select status, pause_reason, plan_cursor from campaigns where company_id = ${firm.id} and id = ${id}`,
  )

const changedCases = async () =>
  (
    await api.pool.many<{ case_id: number }>(
      sql`delete from case_changes where company_id = ${firm.id} returning case_id`,
    )
  ).map(({ case_id }) => case_id)

test('a changed filter makes open campaigns on the list plan anew, and no others', async () => {
  await newCase({ name: 'planned' })
  const [list, otherList] = [await newList(), await newList()]
  const open = await Promise.all(['scheduled', 'active', 'paused'].map((status) => plannedCampaign(list, status)))
  const others = [await plannedCampaign(list, 'completed'), await plannedCampaign(otherList)]
  const cursors = async (ids: number[]) => (await Promise.all(ids.map(campaign))).map(({ plan_cursor }) => plan_cursor)
  const steps: [string, object][] = [
    ['POST /v1/case_lists/bulk', { lists: [{ id: list, filter: { key: 'nobody' } }] }],
    [`PATCH /v1/case_lists/${list}/attach`, { filter: { key: 'planned' } }],
    [`PATCH /v1/case_lists/${list}/detach`, { filter: { key: 'planned' } }],
  ]
  for (const [route, body] of steps) {
    await firm.ok(route, body)
    assert.deepEqual(await cursors(open), [0, 0, 0], route)
    assert.deepEqual(await cursors(others), [null, null], route)
    await api.pool.run(sql`update campaigns set plan_cursor = null where company_id = ${firm.id} and id = any(${open})`)
  }
})

test('named cases that are attached or detached are told to the planner one by one', async () => {
  const [one, two] = [await newCase(), await newCase()]
  const list = await newList()
  const id = await plannedCampaign(list)
  await changedCases()
  await firm.ok(`PATCH /v1/case_lists/${list}/attach`, { include_ids: [one, two] })
  assert.deepEqual(await changedCases(), [one, two])
  await firm.ok(`PATCH /v1/case_lists/${list}/attach`, { include_ids: [one] })
  assert.deepEqual(await changedCases(), [], 'nothing changed')
  await firm.ok(`PATCH /v1/case_lists/${list}/detach`, { include_ids: [two] })
  assert.deepEqual(await changedCases(), [two])
  assert.equal((await campaign(id)).plan_cursor, null)
})

test('a case that is created or changed is told to the planner', async () => {
  await changedCases()
  const id = await newCase()
  assert.deepEqual(await changedCases(), [id])
  await firm.ok('POST /v1/cases/bulk_delete', { ids: [id] })
  assert.ok((await changedCases()).includes(id))
})

test('campaigns on a deleted list are paused with the reason, and it is in the audit log', async () => {
  const list = await newList({ name: 'Old clients' })
  const [active, scheduled, completed] = [
    await plannedCampaign(list),
    await plannedCampaign(list, 'scheduled'),
    await plannedCampaign(list, 'completed'),
  ]
  await firm.ok('POST /v1/case_lists/bulk_delete', { ids: [list] })
  for (const id of [active, scheduled]) {
    const { status, pause_reason } = await campaign(id)
    assert.deepEqual([status, pause_reason], ['paused', "its case list 'Old clients' was deleted"])
  }
  assert.equal((await campaign(completed)).status, 'completed')
  const entries = await api.pool.many(sql`
    select activity, record_id from audit_log
    where company_id = ${firm.id} and activity in ('campaign_paused', 'case_list_deleted') order by id`)
  assert.deepEqual(entries, [
    { activity: 'case_list_deleted', record_id: String(list) },
    { activity: 'campaign_paused', record_id: String(active) },
    { activity: 'campaign_paused', record_id: String(scheduled) },
  ])
})

test('what changes the members is in the audit log, and what changes nothing is not', async () => {
  const [one, two] = [await newCase({ name: 'audited' }), await newCase()]
  const list = await newList()
  await firm.ok(`PATCH /v1/case_lists/${list}/attach`, { include_ids: [two] })
  await firm.ok(`PATCH /v1/case_lists/${list}/attach`, { include_ids: [two] })
  await firm.ok(`PATCH /v1/case_lists/${list}/attach`, { filter: { key: 'audited' } })
  await firm.ok(`PATCH /v1/case_lists/${list}/detach`, { include_ids: [one, two] })
  await firm.ok('POST /v1/case_lists/bulk', { lists: [{ id: list, name: 'Renamed' }] })
  await firm.ok('POST /v1/case_lists/bulk', { lists: [{ id: list, name: 'Renamed' }] })
  const entries = await api.pool.many(sql`
    select activity, changes from audit_log
    where company_id = ${firm.id} and record_type = 'case_list' and record_id = ${String(list)} order by id`)
  assert.deepEqual(entries, [
    { activity: 'case_list_created', changes: null },
    { activity: 'case_list_attached', changes: { attached: { from: null, to: { cases: 1, include_ids: [two] } } } },
    {
      activity: 'case_list_attached',
      changes: { attached: { from: null, to: { cases: 1, filter: { key: 'audited' } } } },
    },
    {
      activity: 'case_list_detached',
      changes: { detached: { from: null, to: { cases: 2, include_ids: [one, two] } } },
    },
    { activity: 'case_list_updated', changes: { name: { from: 'A list', to: 'Renamed' } } },
  ])
})
