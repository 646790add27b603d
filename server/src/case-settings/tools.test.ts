import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startApi } from '../../test/support/api.ts'

const api = await startApi()

const aCase = (number: string, status: string, type: string) => ({
  case_number: number,
  external_source: 'manual',
  external_source_id: number,
  status,
  type,
})

test('types are listed by name with the number of their cases', async () => {
  const firm = await api.company()
  for (const number of ['1', '2']) await firm.ok('POST /v1/cases', aCase(number, 'new', 'civil'))
  const gone = await firm.ok('POST /v1/cases', aCase('3', 'new', 'civil'))
  await firm.ok(`DELETE /v1/cases/${gone.id}`)
  const { case_types, total_records } = await firm.tool('list_case_types')
  const names = case_types.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, names.toSorted())
  assert.equal(total_records, 7)
  assert.equal(case_types.find(({ name }: { name: string }) => name === 'civil').number_of_cases, 2)
  const found = await firm.tool('list_case_types', { name: 'CRIM' })
  assert.deepEqual(
    found.case_types.map(({ name }: { name: string }) => name),
    ['criminal'],
  )
  assert.equal((await firm.tool('list_case_types', { name: '%' })).total_records, 0)
})

test('names of types and statuses are unique whatever their capitals', async () => {
  const firm = await api.company()
  for (const what of ['case_type', 'case_status']) {
    const made = await firm.tool(`create_${what}`, { name: 'Mass Tort' })
    const again = await firm.refusal(`create_${what}`, { name: 'mass TORT' })
    assert.match(again.message, new RegExp(`'Mass Tort' is already the name of .* ${made.id}`))
    const other = await firm.tool(`create_${what}`, { name: 'Other' })
    assert.equal((await firm.refusal(`update_${what}`, { id: other.id, name: 'MASS tort' })).error, 'bad request')
    assert.equal((await firm.tool(`update_${what}`, { id: made.id, name: 'MASS TORT' })).name, 'MASS TORT')
  }
})

test('an update changes only the given fields; a new name shows on the cases', async () => {
  const firm = await api.company()
  const type = await firm.tool('create_case_type', {
    name: 'Asbestos',
    description: 'Dust',
    pronunciation: 'as best os',
  })
  const kase = await firm.ok('POST /v1/cases', aCase('1', 'new', 'asbestos'))
  const updated = await firm.tool('update_case_type', { id: type.id, name: 'Mesothelioma', description: null })
  assert.deepEqual(updated, { ...type, name: 'Mesothelioma', description: null, number_of_cases: 1 })
  assert.equal((await firm.ok(`GET /v1/cases/${kase.id}`)).type, 'Mesothelioma')
  assert.equal((await firm.refusal('update_case_type', { id: 999_999, name: 'x' })).error, 'not found')
})

test('custom fields have keys that are unique in their type whatever their capitals', async () => {
  const firm = await api.company()
  const [{ id }, { id: other }] = (await firm.tool('list_case_types')).case_types
  const field = await firm.tool('create_case_type_custom_field', { id, key: 'incident_date' })
  assert.deepEqual([field.key, field.source], ['incident_date', 'manual'])
  assert.match((await firm.refusal('create_case_type_custom_field', { id, key: 'Incident_Date' })).message, /already/)
  await firm.tool('create_case_type_custom_field', { id: other, key: 'incident_date' })
  assert.deepEqual(await firm.tool('list_case_type_custom_fields', { id }), { items: [field] })
  const stranger = await api.company()
  assert.equal((await stranger.refusal('list_case_type_custom_fields', { id })).error, 'not found')
})

test('statuses form a tree whose siblings are ordered by priority', async () => {
  const firm = await api.company()
  const parent = await firm.tool('create_case_status', { name: 'Litigation' })
  const add = (name: string, priority?: number) =>
    firm.tool('create_case_status', { name, parent_id: parent.id, ...(priority === undefined ? {} : { priority }) })
  const [late, early] = [await add('Trial', 9), await add('Filed', 1)]
  const last = await add('Appeal')
  assert.equal(last.priority, 10, 'without a priority a status comes last')
  const { items } = await firm.tool('list_hierarchical_case_statuses')
  const node = items.at(-1)
  assert.deepEqual([node.name, node.parent_id], ['Litigation', null])
  assert.deepEqual(
    node.children.map(({ id }: { id: number }) => id),
    [early.id, late.id, last.id],
  )
  await firm.tool('reorder_case_statuses', {
    items: [
      { id: late.id, priority: 1 },
      { id: early.id, priority: 2 },
    ],
  })
  const again = (await firm.tool('list_hierarchical_case_statuses')).items.at(-1)
  assert.deepEqual(
    again.children.map(({ name }: { name: string }) => name),
    ['Trial', 'Filed', 'Appeal'],
  )
})

test('a status cannot stand under itself, under its own child or under one that is not there', async () => {
  const firm = await api.company()
  const a = await firm.tool('create_case_status', { name: 'A' })
  const b = await firm.tool('create_case_status', { name: 'B', parent_id: a.id })
  const c = await firm.tool('create_case_status', { name: 'C', parent_id: b.id })
  const move = (id: number, parent_id: number) => firm.refusal('update_case_status', { id, parent_id })
  assert.match((await move(a.id, a.id)).message, /under itself/)
  assert.match((await move(a.id, c.id)).message, /'C' stands under this status already/)
  assert.match((await move(a.id, 999_999)).message, /no such case status: 999999/)
  await firm.tool('update_case_status', { id: c.id, parent_id: null })
  assert.equal((await firm.tool('update_case_status', { id: a.id, parent_id: c.id })).parent_id, c.id)
})

test('two moves at once cannot close a circle', async () => {
  const firm = await api.company()
  const [a, b] = [
    await firm.tool('create_case_status', { name: 'A' }),
    await firm.tool('create_case_status', { name: 'B' }),
  ]
  const move = (id: number, parent_id: number) =>
    firm.rpc('tools/call', { name: 'update_case_status', arguments: { id, parent_id } })
  const answers = await Promise.all([move(a.id, b.id), move(b.id, a.id)])
  assert.equal(answers.filter(({ body }) => body.result.isError).length, 1)
})

test('reordering is all or nothing', async () => {
  const firm = await api.company()
  const [first] = (await firm.tool('list_case_statuses')).statuses
  const items = [
    { id: first.id, priority: 50 },
    { id: 999_999, priority: 1 },
    { id: first.id, priority: 2 },
  ]
  const { details } = await firm.refusal('reorder_case_statuses', { items })
  assert.deepEqual(
    details.map(({ field }) => field),
    ['items[1].id', 'items[2].id'],
  )
  assert.deepEqual((await firm.tool('get_case_status', { id: first.id })).priority, first.priority)
})

test('whatever is moved where, no status ever stands above itself', async () => {
  const firm = await api.company()
  const ids: number[] = []
  for (const name of ['A', 'B', 'C', 'D']) ids.push((await firm.tool('create_case_status', { name })).id)
  const parents = new Map<number, number | null>(ids.map((id) => [id, null]))
  const above = (id: number): number[] =>
    parents.get(id) == null ? [] : [parents.get(id)!, ...above(parents.get(id)!)]
  const place = fc.nat({ max: 3 })
  await fc.assert(
    fc.asyncProperty(place, fc.option(place), async (which, under) => {
      const [id, parent_id] = [ids[which]!, under === null ? null : ids[under]!]
      const { body } = await firm.rpc('tools/call', { name: 'update_case_status', arguments: { id, parent_id } })
      const closes = parent_id !== null && (parent_id === id || above(parent_id).includes(id))
      assert.equal(body.result.isError === true, closes)
      if (!closes) parents.set(id, parent_id)
    }),
    { numRuns: 60 },
  )
})
