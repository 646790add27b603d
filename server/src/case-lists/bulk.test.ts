import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql, { type Sql } from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { casePayload } from '../../test/support/payloads.ts'
import { selectMembers } from './membership.ts'

const api = await startApi()
const firm = await api.company()

const newCase = async (fields?: object): Promise<number> => (await firm.ok('POST /v1/cases', casePayload(fields))).id
const newList = (fields?: object) => firm.ok('POST /v1/case_lists', { name: 'A list', ...fields })
const bulk = async (lists: unknown[]) => (await firm.ok('POST /v1/case_lists/bulk', { lists })).results
const members = (id: number) => selectMembers({ db: api.pool, companyId: firm.id }, id, { after: 0, limit: 1000 })
const all = () => firm.ok('GET /v1/case_lists?page_size=100')
const read = async (id: number) => (await all()).data.find((list: { id: number }) => list.id === id)

async function refused(lists: unknown[]) {
  const before = await all()
  const { status, body } = await firm.call('POST /v1/case_lists/bulk', { lists })
  assert.equal(status, 400)
  assert.deepEqual(await all(), before, 'nothing is saved')
  assert.equal(body.details.length, 1, 'only the first error is answered')
  return { message: body.message, field: body.details[0].field }
}

test('entries without id are created, entries with id updated, results in input order', async () => {
  const old = await newList({ name: 'old', description: 'kept', filter: { key: 'nobody' } })
  const results = await bulk([{ name: 'first' }, { id: old.id, name: 'new' }, { id: null, name: 'third', filter: {} }])
  const [first, , third] = results
  assert.deepEqual(results, [
    { id: first.id, action: 'created' },
    { id: old.id, action: 'updated' },
    { id: third.id, action: 'created' },
  ])
  assert.deepEqual(await read(old.id), { ...old, name: 'new', update_origin: 'public_api' })
  assert.deepEqual([(await read(first.id)).name, (await read(third.id)).name], ['first', 'third'])
})

test('rule 5: an update replaces the members by the filter result plus the overrides of the entry', async () => {
  const [before, after, attached, excluded] = [
    await newCase({ name: 'filter a' }),
    await newCase({ name: 'filter b' }),
    await newCase(),
    await newCase({ name: 'filter b too' }),
  ]
  const list = await newList({ filter: { key: 'filter a' }, include_ids: [attached] })
  assert.deepEqual(await members(list.id), [before, attached])
  await bulk([{ id: list.id, filter: { key: 'filter b' }, include_ids: [before], exclude_ids: [excluded] }])
  assert.deepEqual([await members(list.id), (await read(list.id)).case_count], [[before, after], 2])
})

test('rule 5: without a filter in the entry the stored one is re-applied', async () => {
  const [matching, attached] = [await newCase({ name: 'stored filter' }), await newCase()]
  const list = await newList({ filter: { key: 'stored filter' } })
  await firm.ok(`PATCH /v1/case_lists/${list.id}/attach`, { include_ids: [attached] })
  await firm.ok(`PATCH /v1/case_lists/${list.id}/detach`, { include_ids: [matching] })
  assert.deepEqual(await members(list.id), [attached])
  await bulk([{ id: list.id, description: 'again' }])
  assert.deepEqual([await members(list.id), (await read(list.id)).case_count], [[matching], 1])
})

test('a list without a filter keeps its cases when it is renamed or sent back as it was read', async () => {
  const [one, two] = [await newCase(), await newCase()]
  const list = await newList({ include_ids: [one] })
  await bulk([{ id: list.id, name: 'Renamed' }])
  await bulk([await read(list.id)])
  assert.deepEqual(await members(list.id), [one])
  await bulk([{ id: list.id, include_ids: [two] }])
  assert.deepEqual([await members(list.id), (await read(list.id)).case_count], [[two], 1])
})

test('filter null takes the filter away, and what it matched with it', async () => {
  const kase = await newCase({ name: 'taken away' })
  const list = await newList({ filter: { key: 'taken away' }, description: 'text' })
  await bulk([{ id: list.id, filter: null, description: null, include_ids: [] }])
  const after = await read(list.id)
  assert.deepEqual([after.filter, after.description, after.case_count], [null, null, 0])
  await bulk([{ id: list.id, include_ids: [kase] }])
  assert.deepEqual(await members(list.id), [kase])
})

test('is_obo true marks the members that a list has after the update', async () => {
  const [before, after] = [await newCase({ name: 'mark a' }), await newCase({ name: 'mark b' })]
  const list = await newList({ filter: { key: 'mark a' } })
  await bulk([{ id: list.id, is_obo: true, filter: { key: 'mark b' } }])
  assert.deepEqual((await firm.ok(`GET /v1/cases/${after}`)).is_obo, true)
  assert.deepEqual((await firm.ok(`GET /v1/cases/${before}`)).is_obo, null)
})

test('all or nothing: the first error, by the place of its entry', async () => {
  const list = await newList()
  const broken = async (...lists: unknown[]) => (await refused([{ name: 'good' }, ...lists])).field
  assert.equal(await broken({}), 'lists[1].name')
  assert.equal(await broken({ id: list.id, name: null }), 'lists[1].name')
  assert.equal(await broken({ id: 999999 }), 'lists[1].id')
  assert.equal(await broken({ id: list.id }, { id: list.id }), 'lists[2].id')
  assert.equal(await broken('text'), 'lists[1]')
  assert.equal(await broken({ name: 'NUL \0' }), 'lists[1].name')
  assert.equal(await broken({ name: 'x', filtr: {} }), 'lists[1].filtr')
  // The schema refuses entry 2, the database entry 1.
  assert.equal(await broken({ name: 'x', include_ids: [999999] }, { nonsense: true }), 'lists[1].include_ids')
  assert.equal(
    (await refused([{ id: list.id, filter: { status_ids: [999999] } }])).message,
    'lists[0]: filter.status_ids: no such case status: 999999',
  )
})

test('lists that are saved together are each counted by their own filter', async () => {
  const own = await api.company()
  const at = (type: string, status: string) => casePayload({ type, status })
  const cases = [at('civil', 'open'), at('civil', 'open'), at('civil', 'closed'), at('family', 'open')]
  await own.ok('POST /v1/cases/bulk', { cases })
  const types = await settingIds(own.id, sql`case_types`)
  const statuses = await settingIds(own.id, sql`case_statuses`)
  const [civil, family] = [types.get('civil'), types.get('family')]
  const filters: [object | null, number][] = [
    [{ case_type_ids: [civil] }, 3],
    [{ status_ids: [statuses.get('open')] }, 3],
    [{ case_type_ids: [civil, family], status_ids: [statuses.get('closed')] }, 1],
    [{ case_type_ids: [family], status_ids: [statuses.get('closed')] }, 0],
    [{ case_type_ids: [family], key: 'CV' }, 1],
    [{}, 0],
    [null, 0],
  ]
  await own.ok('POST /v1/case_lists/bulk', { lists: filters.map(([filter]) => ({ name: 'L', filter })) })
  const { data } = await own.ok('GET /v1/case_lists')
  assert.deepEqual(
    data.map(({ case_count }: { case_count: number }) => case_count).reverse(),
    filters.map(([, count]) => count),
  )
})

async function settingIds(companyId: number, table: Sql): Promise<Map<string, number>> {
  const rows = await api.pool.many<{ id: number; name: string }>(
    sql`select id, name from ${table} where company_id = ${companyId}`,
  )
  return new Map(rows.map(({ id, name }) => [name, id]))
}

test('an empty batch and one of more than 5,000 entries are refused', async () => {
  for (const lists of [[], Array(5001).fill({ name: 'x' })])
    assert.equal((await firm.call('POST /v1/case_lists/bulk', { lists })).status, 400)
})
