import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()

const newCase = async (client_ids: number[] = []): Promise<number> =>
  (await firm.ok('POST /v1/cases', casePayload({ client_ids }))).id
const newClient = async (): Promise<number> => (await firm.ok('POST /v1/clients', clientPayload())).id
const remove = async (body: object) => (await firm.ok('POST /v1/cases/bulk_delete', body)).deleted_ids
const status = async (route: string) => (await firm.call(route)).status
const deletions = (ids: number[], type: 'case' | 'client') =>
  api.pool.many<{ record_id: number; changes: object | null }>(sql`
    select record_id::bigint, changes from audit_log
    where company_id = ${firm.id} and activity = ${`${type}_deleted`} and record_id = any(${ids.map(String)}) order by id`)

test('a deleted case is gone from every answer, and its number is free again', async () => {
  const client = await newClient()
  const { id, case_number } = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client] }))
  assert.deepEqual(await firm.call(`DELETE /v1/cases/${id}`).then(({ status, body }) => ({ status, body })), {
    status: 200,
    body: { message: 'case deleted successfully' },
  })
  assert.equal(await status(`GET /v1/cases/${id}`), 404)
  assert.deepEqual((await firm.ok(`GET /v1/clients/${client}`)).case_ids, [])
  assert.equal((await firm.ok('POST /v1/cases', casePayload({ case_number }))).case_number, case_number)
  const payload = clientPayload({ case_ids: [id] })
  assert.equal((await firm.call('POST /v1/clients', payload)).body.details[0].message, `no such case: ${id}`)
})

test('rule 5: an audit log entry is written per deleted case, with the links it had', async () => {
  const client = await newClient()
  const ids = [await newCase([client]), await newCase(), await newCase()]
  assert.deepEqual(await remove({ ids }), ids)
  assert.deepEqual(await deletions(ids, 'case'), [
    { record_id: ids[0], changes: { client_ids: { from: [client], to: [] } } },
    { record_id: ids[1], changes: null },
    { record_id: ids[2], changes: null },
  ])
  assert.equal(await status(`GET /v1/clients/${client}`), 200)
})

test('rule 5: with_clients also deletes clients linked exclusively to the deleted cases', async () => {
  const [exclusive, shared, both, elsewhere] = [
    await newClient(),
    await newClient(),
    await newClient(),
    await newClient(),
  ]
  const [a, b, kept] = [
    await newCase([exclusive, shared, both]),
    await newCase([both]),
    await newCase([shared, elsewhere]),
  ]
  assert.deepEqual(await remove({ ids: [b, a], with_clients: true }), [a, b])
  const found = await Promise.all([exclusive, both, shared, elsewhere].map((id) => status(`GET /v1/clients/${id}`)))
  assert.deepEqual(found, [404, 404, 200, 200])
  assert.deepEqual((await firm.ok(`GET /v1/cases/${kept}`)).client_ids, [shared, elsewhere])
  assert.deepEqual(await deletions([exclusive, both], 'client'), [
    { record_id: exclusive, changes: { case_ids: { from: [a], to: [] } } },
    { record_id: both, changes: { case_ids: { from: [a, b], to: [] } } },
  ])
})

test('ids that are unknown, foreign, deleted or repeated are left out of deleted_ids', async () => {
  const other = await api.company()
  const foreign = (await other.ok('POST /v1/cases', casePayload())).id
  const [deleted, mine] = [await newCase(), await newCase()]
  await remove({ ids: [deleted] })
  assert.deepEqual(await remove({ ids: [mine, foreign, deleted, 987_654_321, mine] }), [mine])
  assert.deepEqual(await remove({ ids: [mine] }), [])
  await other.ok(`GET /v1/cases/${foreign}`)
  assert.equal((await deletions([mine], 'case')).length, 1)
})

test('at most 500 ids per request', async () => {
  const ids = Array.from({ length: 501 }, (_, index) => index + 1)
  const { status, body } = await firm.call('POST /v1/cases/bulk_delete', { ids })
  assert.equal(status, 400)
  assert.deepEqual(body.details, [{ field: 'ids', message: 'must have at most 500 entries' }])
  assert.equal((await firm.call('POST /v1/cases/bulk_delete', { ids: [] })).status, 400)
})

test('contacts waiting to be called for a deleted case are settled, and the planner hears of their other cases', async () => {
  const [client, busy] = [await newClient(), await newClient()]
  const [first, second] = [await newCase([client, busy]), await newCase([client])]
  const { id: campaign } = await api.pool.one<{ id: number }>(sql`
    with list as (
      insert into case_lists (company_id, name, origin) values (${firm.id}, 'l', 'system') returning id
    )
    insert into campaigns (company_id, name, case_list_id, callback_delays, status, origin)
    select ${firm.id}, 'c', id, '[]', 'active', 'system' from list returning id`)
  await api.pool.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, due_at) values
      (${firm.id}, ${campaign}, ${client}, ${first}, 'due', now()), (${firm.id}, ${campaign}, ${busy}, ${first}, 'live', null)`)
  await api.pool.run(sql`delete from case_changes where company_id = ${firm.id}`)
  await remove({ ids: [first] })
  const contacts = await api.pool.many(sql`
    select client_id, state, settled_reason, due_at from campaign_contacts
    where company_id = ${firm.id} and campaign_id = ${campaign} order by client_id`)
  assert.deepEqual(contacts, [
    { client_id: client, state: 'settled', settled_reason: 'deleted', due_at: null },
    // The call that runs comes to its end and is settled then.
    { client_id: busy, state: 'live', settled_reason: null, due_at: null },
  ])
  const told = await api.pool.many<{ case_id: number }>(sql`
    select distinct case_id from case_changes where company_id = ${firm.id} order by case_id`)
  assert.deepEqual(
    told.map(({ case_id }) => case_id),
    [first, second],
  )
})

test('a client that is being linked while its case is deleted is never linked to a deleted case', async () => {
  for (let round = 0; round < 10; round++) {
    const [id, client] = [await newCase(), await newClient()]
    await Promise.all([
      firm.call(`PUT /v1/clients/${client}`, clientPayload({ case_ids: [id] })),
      firm.call('POST /v1/clients', clientPayload({ case_ids: [id] })),
      firm.call(`DELETE /v1/cases/${id}`),
    ])
    const links = await api.pool.many(sql`select from case_clients where company_id = ${firm.id} and case_id = ${id}`)
    assert.equal(links.length, 0)
  }
})

test('a client that is being linked to another case is not deleted with its cases', async () => {
  for (let round = 0; round < 10; round++) {
    const client = await newClient()
    const [doomed, kept] = [await newCase([client]), await firm.ok('POST /v1/cases', casePayload())]
    const [linked] = await Promise.all([
      firm.call(`PUT /v1/cases/${kept.id}`, { ...kept, client_ids: [client] }),
      firm.call('POST /v1/cases/bulk_delete', { ids: [doomed], with_clients: true }),
    ])
    // Whoever was first: either the client is linked and lives, or it is gone and the link was refused.
    assert.equal(await status(`GET /v1/clients/${client}`), linked.status === 200 ? 200 : 404)
    assert.deepEqual((await firm.ok(`GET /v1/cases/${kept.id}`)).client_ids, linked.status === 200 ? [client] : [])
  }
})
