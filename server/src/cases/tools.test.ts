import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { isValid } from 'ulid'
import { type Company, startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()

const audit = (firm: Company, id: number) =>
  api.pool.many<{ activity: string; changes: any }>(sql`
    select activity, changes from audit_log
    where company_id = ${firm.id} and record_type = 'case' and record_id = ${String(id)} order by id`)

test('what create_case is not told is made up: type, status, name, number, source', async () => {
  const firm = await api.company()
  const made = await firm.tool('create_case', { type: 'mass tort', status: 'Intake', representative: 'Bea Cole' })
  assert.match(made.case_number, /^C-\d{4}-[0-9A-Z]{6}$/)
  assert.equal(made.name, `Mass tort case ${made.case_number}`)
  assert.deepEqual([made.type, made.status, made.representative], ['mass tort', 'Intake', 'Bea Cole'])
  assert.equal(made.external_source, 'manual')
  assert.ok(isValid(made.external_source_id))
  const again = await firm.tool('create_case', { type: 'MASS Tort', status: 'intake', name: null, case_number: ' ' })
  assert.deepEqual([again.type, again.status], ['mass tort', 'Intake'], 'found without regard to case')
  assert.notEqual(again.case_number, made.case_number)
  const shown = await firm.ok(`GET /v1/cases/${made.id}`)
  assert.deepEqual([shown.origin, shown.update_origin], ['mcp', null])
  const { audit_logs } = await firm.tool('list_audit_logs', { page_size: 100 })
  const activities = audit_logs.map((entry: any) => entry.activity)
  for (const [activity, times] of [
    ['case_type_created', 1],
    ['case_status_created', 1],
    ['case_created', 2],
  ] as const)
    assert.equal(activities.filter((each: string) => each === activity).length, times, activity)
})

test('two cases with the same new type at once share it', async () => {
  const firm = await api.company()
  const create = () => firm.tool('create_case', { type: 'Mass tort', status: 'new' })
  const made = await Promise.all([create(), create(), create(), create()])
  assert.deepEqual(new Set(made.map(({ type }) => type)), new Set(['Mass tort']))
  assert.equal((await firm.tool('list_case_types', { name: 'mass tort' })).total_records, 1)
})

test('a case number is taken once', async () => {
  const firm = await api.company()
  const { id } = await firm.tool('create_case', { type: 'civil', status: 'new', case_number: 'A-1' })
  const other = await firm.tool('create_case', { type: 'civil', status: 'new', case_number: 'A-2' })
  const args = { type: 'civil', status: 'new', case_number: 'A-1' }
  assert.match((await firm.refusal('create_case', args)).message, new RegExp(`already the number of case ${id}`))
  assert.equal((await firm.refusal('update_case', { id: other.id, case_number: 'A-1' })).error, 'bad request')
  assert.equal((await firm.tool('update_case', { id, case_number: 'A-1' })).case_number, 'A-1')
})

test('update_case changes only what is given, where REST replaces', async () => {
  const firm = await api.company()
  const created = await firm.ok(
    'POST /v1/cases',
    casePayload({ name: 'Lee v. Acme', court_name: 'SDNY', is_obo: true }),
  )
  const updated = await firm.tool('update_case', {
    id: created.id,
    status: 'Trial',
    court_name: null,
    representative: 'Bea',
  })
  assert.deepEqual(
    [updated.status, updated.court_name, updated.representative, updated.name, updated.is_obo],
    ['Trial', null, 'Bea', 'Lee v. Acme', true],
  )
  const shown = await firm.ok(`GET /v1/cases/${created.id}`)
  assert.equal(shown.update_origin, 'mcp')
  await firm.tool('update_case', { id: created.id, name: 'Lee v. Acme' })
  const [, entry, ...more] = await audit(firm, created.id)
  assert.deepEqual(entry, {
    activity: 'case_updated',
    changes: {
      status: { from: 'active', to: 'Trial' },
      court_name: { from: 'SDNY', to: null },
      representative: { from: null, to: 'Bea' },
    },
  })
  assert.deepEqual(more, [], 'an update that changes nothing is none')
  await firm.ok(`PUT /v1/cases/${created.id}`, casePayload())
  assert.equal((await firm.tool('get_case', { id: created.id })).representative, 'Bea', 'REST does not know of it')
})

test('a case that changes its type leaves and enters lists by itself', async () => {
  const firm = await api.company()
  const type = await firm.tool('create_case_type', { name: 'Asbestos' })
  const list = await firm.tool('create_case_list', { name: 'Asbestos', case_type_id: type.id })
  const count = async () => (await firm.tool('get_case_list', { id: list.id })).case_count
  const { id } = await firm.tool('create_case', { type: 'asbestos', status: 'new' })
  assert.equal(await count(), 1)
  await firm.tool('update_case', { id, type: 'civil' })
  assert.equal(await count(), 0)
})

test('cases are found by name and number, newest first, page by page', async () => {
  const firm = await api.company()
  for (const [name, case_number] of [
    ['Lee v. Acme', 'A-100'],
    ['Cole v. 100% Juice', 'B-1'],
    ['Doe', 'a-1000'],
  ])
    await firm.ok('POST /v1/cases', casePayload({ name, case_number }))
  const find = async (args: object) => {
    const { cases, ...envelope } = await firm.tool('list_cases', args)
    return [cases.map((each: any) => each.case_number), envelope] as const
  }
  assert.deepEqual((await find({ key: 'a-100' }))[0], ['a-1000', 'A-100'])
  assert.deepEqual((await find({ key: '100%' }))[0], ['B-1'])
  assert.deepEqual(await find({ page: 2, per_page: 2 }), [
    ['A-100'],
    { current_page: 2, total_pages: 2, total_records: 3 },
  ])
  assert.deepEqual((await find({ page: 9 }))[0], [])
  assert.match((await firm.refusal('list_cases', { per_page: 101 })).message, /per_page: must be at most 100/)
  assert.match((await firm.refusal('list_cases', { page: 0 })).message, /page: must be at least 1/)
})

test('set_case_clients replaces the links, and a wrong one changes nothing', async () => {
  const firm = await api.company()
  const client = async () => (await firm.ok('POST /v1/clients', clientPayload())).id as number
  const [a, b] = [await client(), await client()]
  const { id } = await firm.ok('POST /v1/cases', casePayload({ client_ids: [a] }))
  assert.deepEqual(await firm.tool('set_case_clients', { case_id: id, client_ids: [b, b] }), {
    case_id: id,
    client_ids: [b],
  })
  assert.deepEqual((await firm.tool('get_client', { id: b })).case_ids, [id])
  assert.match((await firm.refusal('set_case_clients', { case_id: id, client_ids: [a, 999_999] })).message, /999999/)
  assert.deepEqual((await firm.tool('get_case', { id })).client_ids, [b])
  assert.deepEqual((await audit(firm, id)).at(-1)!.changes, { client_ids: { from: [a], to: [b] } })
  assert.equal((await firm.ok(`GET /v1/cases/${id}`)).update_origin, 'mcp')
})

test('a client linked to a case whose calls are opted out is opted out too', async () => {
  const firm = await api.company()
  const { id: client } = await firm.ok('POST /v1/clients', clientPayload())
  const { id } = await firm.ok('POST /v1/cases', casePayload({ opt_out_voice_calls: true }))
  await firm.tool('set_case_clients', { case_id: id, client_ids: [client] })
  assert.equal((await firm.tool('get_client', { id: client })).voice_calls_opted_out, true)
  const { audit_logs } = await firm.tool('list_audit_logs', { client_id: client, activity: 'client_updated' })
  assert.deepEqual(audit_logs[0].changes, { voice_calls_opted_out: { from: false, to: true } })
})
