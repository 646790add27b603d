import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'
import { selectMembers } from './membership.ts'

const api = await startApi()
const firm = await api.company()

const newCase = async (fields?: object): Promise<number> => (await firm.ok('POST /v1/cases', casePayload(fields))).id
const newClient = async (): Promise<number> => (await firm.ok('POST /v1/clients', clientPayload())).id
const newList = (fields?: object) => firm.ok('POST /v1/case_lists', { name: 'A list', ...fields })
const members = (id: number) => selectMembers({ db: api.pool, companyId: firm.id }, id, { after: 0, limit: 1000 })
const read = async (id: number) =>
  (await firm.ok('GET /v1/case_lists?page_size=100')).data.find((list: { id: number }) => list.id === id)
const settingId = async (table: 'case_types' | 'case_statuses', name: string): Promise<number> => {
  const rows = await api.pool.many<{ id: number; name: string }>(
    table === 'case_types'
      ? sql`select id, name from case_types where company_id = ${firm.id}`
      : sql`select id, name from case_statuses where company_id = ${firm.id}`,
  )
  return rows.find((row) => row.name === name)!.id
}

async function refused(route: string, body: unknown): Promise<{ field: string; message: string }[]> {
  const { status, body: answer } = await firm.call(route, body)
  assert.equal(status, 400, `${route}: ${JSON.stringify(answer)}`)
  return answer.details
}

test('a case list is created with its fields and answered as it is listed', async () => {
  const kase = await newCase({ court_name: 'North' })
  const list = await newList({
    name: 'Northern cases',
    description: 'all of them',
    external_source: 'clio',
    external_source_id: '7',
    filter: { court_names: ['North'], is_obo: null },
    is_obo: false,
  })
  assert.deepEqual(list, {
    id: list.id,
    name: 'Northern cases',
    description: 'all of them',
    external_source: 'clio',
    external_source_id: '7',
    filter: { court_names: ['North'] },
    is_obo: false,
    case_count: 1,
    origin: 'public_api',
    update_origin: null,
  })
  assert.deepEqual(await read(list.id), list)
  assert.deepEqual(await members(list.id), [kase])
})

test('name is required and not blank, lengths and types are checked, all broken rules are told at once', async () => {
  assert.deepEqual(await refused('POST /v1/case_lists', {}), [{ field: 'name', message: 'is required' }])
  const details = await refused('POST /v1/case_lists', {
    name: ' ',
    description: 'x'.repeat(10_001),
    filter: { case_type_ids: '3', created_from: '2026-02-30' },
    include_ids: [0],
  })
  assert.deepEqual(details.map(({ field }) => field).sort(), [
    'description',
    'filter.case_type_ids',
    'filter.created_from',
    'include_ids[0]',
    'name',
  ])
})

test('a filter key that is not known is refused with the nearest one', async () => {
  const [detail] = await refused('POST /v1/case_lists', { name: 'L', filter: { case_typ_ids: [1] } })
  assert.deepEqual(detail, {
    field: 'filter.case_typ_ids',
    message: "unknown field; did you mean 'case_type_ids'?",
  })
})

test('unknown types, statuses and included cases are named and nothing is saved; another company has its own', async () => {
  const other = await api.company()
  const foreignCase = (await other.ok('POST /v1/cases', casePayload())).id
  const [foreignType] = await api.pool.many<{ id: number }>(
    sql`select id from case_types where company_id = ${other.id}`,
  )
  const { total } = await firm.ok('GET /v1/case_lists')
  assert.deepEqual(
    await refused('POST /v1/case_lists', {
      name: 'L',
      filter: { case_type_ids: [foreignType!.id, 888888], status_ids: [999999] },
      include_ids: [foreignCase, foreignCase],
    }),
    [
      { field: 'filter.case_type_ids', message: `no such case type: ${foreignType!.id}, 888888` },
      { field: 'filter.status_ids', message: 'no such case status: 999999' },
      { field: 'include_ids', message: `no such case: ${foreignCase}` },
    ],
  )
  assert.equal((await firm.ok('GET /v1/case_lists')).total, total)
})

test('an empty array in a filter is refused, as it could be taken for "any"', async () => {
  const [detail] = await refused('POST /v1/case_lists', { name: 'L', filter: { status_ids: [] } })
  assert.deepEqual(detail, { field: 'filter.status_ids', message: 'must not be empty' })
})

test('an empty filter is kept and matches nothing', async () => {
  const list = await newList({ filter: {} })
  assert.deepEqual([list.filter, list.case_count], [{}, 0])
  await newCase()
  assert.equal((await read(list.id)).case_count, 0)
})

test('rule 4 is dropped: include_ids and exclude_ids need no filter on create; excluded wins; unknown exclusions are ignored', async () => {
  const [one, two] = [await newCase(), await newCase()]
  const list = await newList({ include_ids: [one, two, one], exclude_ids: [two, 999999] })
  assert.equal(list.case_count, 1)
  assert.deepEqual(await members(list.id), [one])
})

test('rule 6: a list created with a filter is dynamic: cases enter and leave as they change', async () => {
  const type = await settingId('case_types', 'immigration')
  const { id, case_count } = await newList({ filter: { case_type_ids: [type] } })
  assert.equal(case_count, 0)
  const kase = await firm.ok('POST /v1/cases', casePayload({ type: 'immigration' }))
  assert.deepEqual([await members(id), (await read(id)).case_count], [[kase.id], 1])
  await firm.ok(`PUT /v1/cases/${kase.id}`, { ...kase, type: 'civil' })
  assert.deepEqual([await members(id), (await read(id)).case_count], [[], 0])
  await firm.ok(`PUT /v1/cases/${kase.id}`, kase)
  assert.equal((await read(id)).case_count, 1)
  await firm.ok(`DELETE /v1/cases/${kase.id}`)
  assert.deepEqual([await members(id), (await read(id)).case_count], [[], 0])
})

test('rule 7: the create response carries case_count, of included and matching cases together', async () => {
  const type = await settingId('case_types', 'estate')
  const [matching, included] = [await newCase({ type: 'estate' }), await newCase()]
  const list = await newList({ filter: { case_type_ids: [type] }, include_ids: [included, matching] })
  assert.equal(list.case_count, 2)
})

test('is_obo true marks the members of that moment, and lists that ask for the mark follow', async () => {
  const [unmarked, marked] = [await newCase({ name: 'obo 1' }), await newCase({ name: 'obo 2', is_obo: true })]
  const onBehalf = await newList({ filter: { key: 'obo', is_obo: true } })
  assert.equal(onBehalf.case_count, 1)
  const list = await newList({ include_ids: [unmarked, marked], is_obo: true })
  const record = await firm.ok(`GET /v1/cases/${unmarked}`)
  assert.deepEqual([record.is_obo, record.update_origin], [true, 'public_api'])
  assert.equal((await firm.ok(`GET /v1/cases/${marked}`)).update_origin, null, 'nothing changed')
  assert.equal((await read(onBehalf.id)).case_count, 2)
  const later = await newCase()
  await firm.ok(`PATCH /v1/case_lists/${list.id}/attach`, { include_ids: [later] })
  assert.equal((await firm.ok(`GET /v1/cases/${later}`)).is_obo, null, 'only the members of that moment')
  const entries = await api.pool.many(sql`
    select record_id, changes from audit_log where company_id = ${firm.id} and activity = 'case_updated' and record_id = any(${[String(unmarked), String(marked)]})`)
  assert.deepEqual(entries, [{ record_id: String(unmarked), changes: { is_obo: { from: null, to: true } } }])
})

test('a list whose own filter asks for unmarked cases loses the members it marks', async () => {
  await newCase({ name: 'leaver' })
  const list = await newList({ filter: { key: 'leaver', is_obo: false }, is_obo: true })
  assert.equal(list.case_count, 0)
})

test('listing: newest first, in pages, with the total; a page beyond the end is empty', async () => {
  const own = await api.company()
  const ids: number[] = []
  for (const name of ['Alpha 100%', 'beta', 'ALPHABET', 'gamma'])
    ids.push((await own.ok('POST /v1/case_lists', { name })).id)
  const page = async (query: string) => {
    const { data, ...rest } = await own.ok(`GET /v1/case_lists${query}`)
    return { ids: data.map(({ id }: { id: number }) => id), ...rest }
  }
  const [alpha, beta, alphabet, gamma] = ids
  assert.deepEqual(await page(''), { ids: [gamma, alphabet, beta, alpha], page: 1, total: 4 })
  assert.deepEqual(await page('?page_size=3&page=2'), { ids: [alpha], page: 2, total: 4 })
  assert.deepEqual(await page('?page=3'), { ids: [], page: 3, total: 4 })
  assert.deepEqual(await page('?key=lpha'), { ids: [alphabet, alpha], page: 1, total: 2 })
  assert.deepEqual(await page('?key=100%25'), { ids: [alpha], page: 1, total: 1 })
  assert.deepEqual(await page('?key=_'), { ids: [], page: 1, total: 0 })
  const kase = await own.ok('POST /v1/cases', casePayload())
  await own.ok(`PATCH /v1/case_lists/${beta}/attach`, { include_ids: [kase.id] })
  assert.deepEqual(await page('?hide_empty=true'), { ids: [beta], page: 1, total: 1 })
  assert.deepEqual(await page('?hide_empty=false&page_size=1'), { ids: [gamma], page: 1, total: 4 })
  for (const query of ['page=0', 'page_size=101', 'page_size=0', 'hide_empty=yes', 'pages=1'])
    assert.equal((await own.call(`GET /v1/case_lists?${query}`)).status, 400, query)
})

test('attach adds the named cases and those that match now as included, and lifts their exclusion', async () => {
  const [named, matching, left] = [
    await newCase(),
    await newCase({ name: 'attach me' }),
    await newCase({ name: 'attach me not' }),
  ]
  const list = await newList({ exclude_ids: [named] })
  assert.deepEqual(
    await firm.ok(`PATCH /v1/case_lists/${list.id}/attach`, {
      filter: { key: 'attach me' },
      include_ids: [named],
      exclude_ids: [left],
    }),
    { action: 'attach', list_id: String(list.id) },
  )
  assert.deepEqual(await members(list.id), [named, matching])
  await newCase({ name: 'attach me later' })
  const after = await read(list.id)
  assert.deepEqual([after.case_count, after.filter, after.update_origin], [2, null, 'public_api'])
})

test('detach takes inclusion away, and excludes what the own filter of the list would bring back', async () => {
  const [included, matching, kept] = [
    await newCase(),
    await newCase({ name: 'detach' }),
    await newCase({ name: 'detach not' }),
  ]
  const list = await newList({ filter: { key: 'detach' }, include_ids: [included] })
  const answer = await firm.ok(`PATCH /v1/case_lists/${list.id}/detach`, {
    filter: { key: 'DETACH' },
    include_ids: [included, 999999],
    exclude_ids: [kept],
  })
  assert.deepEqual(answer, { action: 'detach', list_id: String(list.id) })
  assert.deepEqual(await members(list.id), [kept])
  const overrides = await api.pool.many(sql`
    select case_id, kind from case_list_overrides where company_id = ${firm.id} and case_list_id = ${list.id}`)
  assert.deepEqual(overrides, [{ case_id: matching, kind: 'exclude' }])
  await firm.ok(`PATCH /v1/case_lists/${list.id}/attach`, { include_ids: [matching] })
  assert.deepEqual(await members(list.id), [matching, kept])
})

test('attach and detach need a filter or include_ids, exclude_ids needs a filter, and a filter must say something', async () => {
  const { id } = await newList()
  const kase = await newCase()
  for (const how of ['attach', 'detach']) {
    const fields = async (body: object) =>
      (await refused(`PATCH /v1/case_lists/${id}/${how}`, body)).map(({ field }) => field)
    assert.deepEqual(await fields({}), ['filter'])
    assert.deepEqual(await fields({ include_ids: [] }), ['filter'])
    assert.deepEqual(await fields({ include_ids: [kase], exclude_ids: [kase] }), ['exclude_ids'])
    assert.deepEqual(await fields({ filter: {}, include_ids: [kase] }), ['filter'])
    assert.deepEqual(await fields({ filter: { key: null } }), ['filter'])
    assert.deepEqual(await fields({ filter: { status_ids: [999999] } }), ['filter.status_ids'])
  }
  assert.deepEqual(await refused(`PATCH /v1/case_lists/${id}/attach`, { include_ids: [kase, 999999] }), [
    { field: 'include_ids', message: 'no such case: 999999' },
  ])
  assert.deepEqual(await members(id), [])
})

test('rule 2: append attaches all cases of the given clients, remove detaches them', async () => {
  const [client, other] = [await newClient(), await newClient()]
  const cases = [
    await newCase({ client_ids: [client] }),
    await newCase({ client_ids: [client, other] }),
    await newCase({ client_ids: [other] }),
  ]
  const { id } = await newList()
  assert.deepEqual(await firm.ok(`POST /v1/case_lists/${id}/clients/append`, { client_ids: [client, other, client] }), {
    action: 'append',
    list_id: id,
    client_count: 2,
    matched_case_count: 3,
  })
  assert.deepEqual([await members(id), (await read(id)).case_count], [cases, 3])
  assert.deepEqual(await firm.ok(`POST /v1/case_lists/${id}/clients/remove`, { client_ids: [client, 999999] }), {
    action: 'remove',
    list_id: id,
    client_count: 1,
    matched_case_count: 2,
  })
  assert.deepEqual([await members(id), (await read(id)).case_count], [[cases[2]], 1])
  assert.deepEqual(await refused(`POST /v1/case_lists/${id}/clients/append`, { client_ids: [client, 999999] }), [
    { field: 'client_ids', message: 'no such client: 999999' },
  ])
  assert.deepEqual(await members(id), [cases[2]])
  await refused(`POST /v1/case_lists/${id}/clients/append`, { client_ids: [] })
})

test('rule 3: duplicate copies the filter and the case memberships', async () => {
  const [matching, excluded, included] = [
    await newCase({ name: 'twin' }),
    await newCase({ name: 'twin too' }),
    await newCase(),
  ]
  const list = await newList({
    name: '😀'.repeat(252),
    description: 'd',
    external_source: 'clio',
    filter: { key: 'twin' },
    include_ids: [included],
    exclude_ids: [excluded],
  })
  const { status, body } = await firm.call(`POST /v1/case_lists/${list.id}/duplicate`)
  assert.deepEqual([status, body], [201, { id: body.id, original_list_id: String(list.id) }])
  assert.deepEqual(await read(body.id), {
    ...list,
    id: body.id,
    name: `Copy of ${'😀'.repeat(247)}`,
    external_source: null,
  })
  assert.deepEqual(await members(body.id), [matching, included])
  await firm.ok(`PATCH /v1/case_lists/${list.id}/detach`, { include_ids: [included] })
  assert.deepEqual(await members(body.id), [matching, included], 'a list of its own')
  const later = await newCase({ name: 'twin later' })
  assert.deepEqual([await members(body.id), (await read(body.id)).case_count], [[matching, included, later], 3])
})

test('bulk delete answers only the lists that were really deleted, and they are gone', async () => {
  const [one, two] = [await newList(), await newList()]
  const other = await api.company()
  const foreign = await other.ok('POST /v1/case_lists', { name: 'theirs' })
  const ids = [two.id, one.id, two.id, foreign.id, 999999]
  assert.deepEqual(await firm.ok('POST /v1/case_lists/bulk_delete', { ids }), { deleted_ids: [one.id, two.id] })
  assert.deepEqual(await firm.ok('POST /v1/case_lists/bulk_delete', { ids }), { deleted_ids: [] })
  assert.equal(await read(one.id), undefined)
  for (const [route, body] of [
    [`PATCH /v1/case_lists/${one.id}/attach`, { include_ids: [await newCase()] }],
    [`PATCH /v1/case_lists/${foreign.id}/detach`, { include_ids: [1] }],
    [`POST /v1/case_lists/${one.id}/clients/append`, { client_ids: [await newClient()] }],
    [`POST /v1/case_lists/${foreign.id}/clients/remove`, { client_ids: [1] }],
    [`POST /v1/case_lists/${one.id}/duplicate`, undefined],
  ] as const)
    assert.equal((await firm.call(route, body)).status, 404, route)
  assert.equal((await other.ok('GET /v1/case_lists')).total, 1)
  await refused('POST /v1/case_lists/bulk_delete', { ids: [] })
})
