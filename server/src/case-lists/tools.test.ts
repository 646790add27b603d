import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Company, startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()

const typeId = async (firm: Company, name: string): Promise<number> =>
  (await firm.tool('list_case_types', { name })).case_types[0].id

const newCase = async (firm: Company, fields?: object): Promise<number> =>
  (await firm.ok('POST /v1/cases', casePayload(fields))).id

test('case_type_id is the filter of that one type', async () => {
  const firm = await api.company()
  const [civil, family] = [await typeId(firm, 'civil'), await typeId(firm, 'family')]
  await newCase(firm)
  const list = await firm.tool('create_case_list', { name: 'Civil', description: 'All of them', case_type_id: civil })
  assert.deepEqual([list.filter, list.case_type_id, list.case_count], [{ case_type_ids: [civil] }, civil, 1])
  assert.deepEqual([list.origin, list.update_origin], ['mcp', null])
  const moved = await firm.tool('update_case_list', { id: list.id, case_type_id: family })
  assert.deepEqual([moved.case_type_id, moved.case_count, moved.update_origin], [family, 0, 'mcp'])
  const none = await firm.tool('update_case_list', { id: list.id, case_type_id: null })
  assert.deepEqual([none.filter, none.case_type_id], [null, null])
  assert.match(
    (await firm.refusal('create_case_list', { name: 'x', case_type_id: 999_999 })).message,
    /list_case_types/,
  )
  assert.equal((await firm.refusal('update_case_list', { id: list.id, case_type_id: 999_999 })).error, 'bad request')
})

test('update_case_list keeps the rest of the filter, and what was attached or detached', async () => {
  const firm = await api.company()
  const [civil, family] = [await typeId(firm, 'civil'), await typeId(firm, 'family')]
  const [inside, outside] = [await newCase(firm, { jurisdiction: 'NY' }), await newCase(firm, { type: 'estate' })]
  const filter = { case_type_ids: [civil], jurisdictions: ['NY'] }
  const { id } = await firm.ok('POST /v1/case_lists', {
    name: 'A',
    filter,
    include_ids: [outside],
    exclude_ids: [inside],
  })
  const renamed = await firm.tool('update_case_list', { id, name: 'B', description: null })
  assert.deepEqual([renamed.name, renamed.filter, renamed.case_count], ['B', filter, 1])
  const retyped = await firm.tool('update_case_list', { id, case_type_id: family })
  assert.deepEqual([retyped.filter, retyped.case_count], [{ case_type_ids: [family], jurisdictions: ['NY'] }, 1])
})

test('lists are found by name and by the type they ask for', async () => {
  const firm = await api.company()
  const civil = await typeId(firm, 'civil')
  await firm.tool('create_case_list', { name: 'Civil', case_type_id: civil })
  await firm.tool('create_case_list', { name: 'By hand' })
  const find = async (args: object) =>
    (await firm.tool('list_case_lists', args)).case_lists.map((each: any) => each.name)
  assert.deepEqual(await find({}), ['By hand', 'Civil'])
  assert.deepEqual(await find({ case_type_id: civil }), ['Civil'])
  assert.deepEqual(await find({ key: 'HAND' }), ['By hand'])
  assert.equal((await firm.refusal('list_case_lists', { case_type_id: 999_999 })).error, 'not found')
})

test('cases are attached, detached and appended by client', async () => {
  const firm = await api.company()
  const { id: client } = await firm.ok('POST /v1/clients', clientPayload())
  const [a, b, c] = [
    await newCase(firm),
    await newCase(firm, { client_ids: [client] }),
    await newCase(firm, { type: 'family' }),
  ]
  const { id } = await firm.tool('create_case_list', { name: 'A' })
  assert.equal((await firm.tool('attach_to_case_list', { id, include_ids: [a] })).case_count, 1)
  const byFilter = { filter: { case_type_ids: [await typeId(firm, 'family')] } }
  assert.equal((await firm.tool('attach_to_case_list', { id, ...byFilter })).case_count, 2)
  assert.deepEqual(await firm.tool('append_clients_to_case_list', { id, client_ids: [client, client] }), {
    list_id: id,
    client_count: 1,
    matched_case_count: 1,
    case_count: 3,
  })
  assert.equal((await firm.tool('detach_from_case_list', { id, include_ids: [b, c, 999_999] })).case_count, 1)
  assert.match((await firm.refusal('attach_to_case_list', { id })).message, /filter: is required unless include_ids/)
  assert.match((await firm.refusal('attach_to_case_list', { id, filter: {} })).message, /at least one criterion/)
  assert.match(
    (await firm.refusal('attach_to_case_list', { id, include_ids: [999_999] })).message,
    /no such case: 999999/,
  )
  assert.match((await firm.refusal('append_clients_to_case_list', { id, client_ids: [999_999] })).message, /999999/)
})
