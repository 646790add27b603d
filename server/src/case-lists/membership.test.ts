import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { type Company, startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'
import { foldCountDeltas } from './counts.ts'
import type { Filter } from './filter.ts'
import { memberPredicate, selectMembers } from './membership.ts'

const api = await startApi()

interface CaseFields {
  type: string
  status: string
  external_source: string
  jurisdiction: string | null
  court_name: string | null
  name: string | null
  is_obo: boolean | null
  created_date: string | null
  court_date: string | null
}

interface Case extends CaseFields {
  case_number: string
  client_ids: number[]
}

interface List {
  filter: Filter | null
  included: Set<number>
  excluded: Set<number>
}

const TYPES = ['civil', 'criminal', 'family']
const STATUSES = ['new', 'open', 'closed']
const TODAY = new Date().toISOString().slice(0, 10)

const day = fc.constantFrom('2025-12-31', '2026-01-01', '2026-01-02', TODAY)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const some = <T>(...values: T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 })

const caseFields: fc.Arbitrary<CaseFields> = fc.record({
  type: fc.constantFrom(...TYPES),
  status: fc.constantFrom(...STATUSES),
  external_source: fc.constantFrom('manual', 'import'),
  jurisdiction: maybe(fc.constantFrom('NY', 'CA')),
  court_name: maybe(fc.constantFrom('North', 'South')),
  name: maybe(fc.constantFrom('Ana_1', 'ana 100%', 'Anna \\ Co', 'Lee')),
  is_obo: maybe(fc.boolean()),
  created_date: maybe(day),
  court_date: maybe(day),
})

/** Types and statuses by their names here; their ids are known at run time only. */
const filters: { [Key in keyof Filter]-?: fc.Arbitrary<unknown> } = {
  case_type_ids: some(...TYPES),
  status_ids: some(...STATUSES),
  external_sources: some('manual', 'import'),
  jurisdictions: some('NY', 'CA', 'TX'),
  court_names: some('North', 'South'),
  is_obo: fc.boolean(),
  created_from: day,
  created_to: day,
  court_date_from: day,
  court_date_to: day,
  key: fc.constantFrom('a', 'ANA', '_', '%', '\\', 'e', '-1'),
}
/** None to three keys, so that something is matched now and then. */
const filter = fc
  .uniqueArray(fc.constantFrom(...(Object.keys(filters) as (keyof Filter)[])), { maxLength: 3 })
  .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, filters[key]]))) as fc.Arbitrary<Filter>)

/** Places in the model's list of cases, lists or clients, taken modulo its length. */
const place = fc.nat({ max: 1000 })
const places = fc.array(place, { maxLength: 4 })

const chosen = { filter: maybe(filter), include: places, exclude: places }

const given = {
  saveCases: { replaced: places, fields: fc.array(caseFields, { minLength: 1, maxLength: 4 }), clients: places },
  saveCase: { replaced: maybe(place), fields: caseFields, clients: places },
  deleteCases: { cases: places },
  createList: { ...chosen, is_obo: fc.boolean() },
  updateList: {
    list: place,
    filter: fc.option(maybe(filter), { nil: undefined }),
    members: fc.option(fc.record({ include: places, exclude: places }), { nil: undefined }),
    is_obo: fc.boolean(),
  },
  attach: { list: place, ...chosen },
  detach: { list: place, ...chosen },
  append: { list: place, clients: places },
  remove: { list: place, clients: places },
  duplicate: { list: place },
  deleteList: { list: place },
  fold: { limit: fc.constantFrom(1, 100) },
}
type Kind = keyof typeof given
type Step = {
  [K in Kind]: {
    kind: K
    given: { [Name in keyof (typeof given)[K]]: (typeof given)[K][Name] extends fc.Arbitrary<infer T> ? T : never }
  }
}[Kind]

const WEIGHTS: Partial<Record<Kind, number>> = { saveCase: 4, saveCases: 3, createList: 3, attach: 3, detach: 3 }
const step = fc.oneof(
  ...(Object.keys(given) as Kind[]).map((kind) => ({
    weight: WEIGHTS[kind] ?? 1,
    arbitrary: fc.record({ kind: fc.constant(kind), given: fc.record<object>(given[kind]) }),
  })),
) as fc.Arbitrary<Step>

/** Does every step through the front door and, naively, in memory. */
class World {
  firm: Company
  clients: number[]
  settingIds: Map<string, number>
  cases = new Map<number, Case>()
  lists = new Map<number, List>()

  constructor(firm: Company, clients: number[], settingIds: Map<string, number>) {
    this.firm = firm
    this.clients = clients
    this.settingIds = settingIds
  }

  static async create() {
    const firm = await api.company()
    const { clients } = await firm.ok('POST /v1/clients/bulk', {
      clients: [clientPayload(), clientPayload(), clientPayload()],
    })
    const settings = await api.pool.many<{ id: number; name: string }>(sql`
      select id, name from case_types where company_id = ${firm.id} union all select id, name from case_statuses where company_id = ${firm.id}`)
    return new World(
      firm,
      clients.map(({ id }: { id: number }) => id),
      new Map(settings.map(({ id, name }) => [name, id])),
    )
  }

  at<T>(all: Iterable<T>, places: number[]): T[] {
    const values = [...all]
    return values.length === 0 ? [] : [...new Set(places.map((place) => values[place % values.length]!))]
  }

  sent(filter: Filter | null | undefined) {
    const ids = (names: unknown) => (names as string[]).map((name) => this.settingIds.get(name))
    const { case_type_ids, status_ids, ...rest } = filter ?? {}
    return (
      filter && {
        ...rest,
        ...(case_type_ids && { case_type_ids: ids(case_type_ids) }),
        ...(status_ids && { status_ids: ids(status_ids) }),
      }
    )
  }

  matching(filter: Filter | null): number[] {
    return [...this.cases].flatMap(([id, kase]) => (filter && matches(filter, kase) ? id : []))
  }

  members(id: number): number[] {
    const { filter, included, excluded } = this.lists.get(id)!
    const all = new Set([...this.matching(filter), ...[...included].filter((kase) => this.cases.has(kase))])
    return [...all].filter((kase) => !excluded.has(kase)).sort((a, b) => a - b)
  }

  mark(list: number) {
    for (const id of this.members(list)) this.cases.get(id)!.is_obo = true
  }

  async saveCases(replaced: number[], fields: CaseFields[], clientPlaces: number[]) {
    const ids = this.at(this.cases.keys(), replaced)
    const client_ids = this.at(this.clients, clientPlaces)
    const payloads = fields.map((each, index) => {
      const kept =
        ids[index] === undefined ? {} : { id: ids[index], case_number: this.cases.get(ids[index])!.case_number }
      return casePayload({ ...each, ...kept, client_ids })
    })
    const { cases } = await this.firm.ok('POST /v1/cases/bulk', { cases: payloads })
    for (const kase of cases) this.cases.set(kase.id, kase)
  }

  async run({ kind, given }: Step): Promise<void> {
    const { firm, lists, cases } = this
    const listId = 'list' in given ? this.at(lists.keys(), [given.list])[0] : undefined
    const list = lists.get(listId!)
    if ('list' in given && !list) return
    switch (kind) {
      case 'saveCases':
        return this.saveCases(given.replaced, given.fields, given.clients)
      case 'saveCase': {
        const [id] = given.replaced === null ? [] : this.at(cases.keys(), [given.replaced])
        if (id === undefined) return this.saveCases([], [given.fields], given.clients)
        const { case_number } = cases.get(id)!
        const payload = casePayload({ ...given.fields, case_number, client_ids: this.at(this.clients, given.clients) })
        cases.set(id, await firm.ok(`PUT /v1/cases/${id}`, payload))
        return
      }
      case 'deleteCases': {
        const ids = this.at(cases.keys(), given.cases)
        if (ids.length > 0) await firm.ok('POST /v1/cases/bulk_delete', { ids })
        for (const id of ids) cases.delete(id)
        return
      }
      case 'createList': {
        const include_ids = this.at(cases.keys(), given.include)
        const exclude_ids = this.at(cases.keys(), given.exclude)
        const created = await firm.ok('POST /v1/case_lists', {
          name: 'A list',
          filter: this.sent(given.filter),
          include_ids,
          exclude_ids,
          is_obo: given.is_obo,
        })
        lists.set(created.id, { filter: given.filter, included: new Set(include_ids), excluded: new Set(exclude_ids) })
        // Marked on behalf, a member may leave the very list that marked it: the answer counts who is left.
        if (given.is_obo) this.mark(created.id)
        assert.equal(created.case_count, this.members(created.id).length, 'case_count of the answer')
        return
      }
      case 'updateList': {
        const include_ids = given.members && this.at(cases.keys(), given.members.include)
        const exclude_ids = given.members && this.at(cases.keys(), given.members.exclude)
        const entry = { id: listId, filter: this.sent(given.filter), include_ids, exclude_ids, is_obo: given.is_obo }
        await firm.ok('POST /v1/case_lists/bulk', { lists: [entry] })
        const untouched = !list!.filter && !given.filter && !given.members
        if (given.filter !== undefined) list!.filter = given.filter
        if (!untouched) {
          list!.included = new Set(include_ids)
          list!.excluded = new Set(exclude_ids)
        }
        if (given.is_obo) this.mark(listId!)
        return
      }
      case 'attach':
      case 'detach': {
        const exclude_ids = given.filter ? this.at(cases.keys(), given.exclude) : undefined
        const include_ids = this.at(cases.keys(), given.include)
        const says = given.filter ? Object.keys(given.filter).length > 0 : include_ids.length > 0
        const { status } = await firm.call(`PATCH /v1/case_lists/${listId}/${kind}`, {
          filter: this.sent(given.filter),
          include_ids,
          exclude_ids,
        })
        assert.equal(status, says ? 200 : 400)
        if (!says) return
        const ids = [...include_ids, ...this.matching(given.filter)].filter((id) => !exclude_ids?.includes(id))
        for (const id of ids) this[kind](list!, id)
        return
      }
      case 'append':
      case 'remove': {
        const client_ids = this.at(this.clients, given.clients)
        if (client_ids.length === 0) return
        const answer = await firm.ok(`POST /v1/case_lists/${listId}/clients/${kind}`, { client_ids })
        const theirs = [...cases].filter(([, kase]) => kase.client_ids.some((id) => client_ids.includes(id)))
        assert.deepEqual(answer, {
          action: kind,
          list_id: listId,
          client_count: client_ids.length,
          matched_case_count: theirs.length,
        })
        for (const [id] of theirs) this[kind === 'append' ? 'attach' : 'detach'](list!, id)
        return
      }
      case 'duplicate': {
        const { id } = await firm.ok(`POST /v1/case_lists/${listId}/duplicate`)
        lists.set(id, { ...list!, included: new Set(list!.included), excluded: new Set(list!.excluded) })
        return
      }
      case 'deleteList':
        await firm.ok('POST /v1/case_lists/bulk_delete', { ids: [listId] })
        lists.delete(listId!)
        return
      case 'fold':
        await foldCountDeltas(api.pool, given.limit)
    }
  }

  attach({ included, excluded }: List, id: number) {
    included.add(id)
    excluded.delete(id)
  }

  detach({ filter, included, excluded }: List, id: number) {
    included.delete(id)
    if (filter && matches(filter, this.cases.get(id)!)) excluded.add(id)
  }

  /** Membership by both forms of the predicate, and the counts. */
  async check(): Promise<void> {
    const { data } = await this.firm.ok('GET /v1/case_lists?page_size=100')
    assert.deepEqual(
      data.map(({ id }: { id: number }) => id),
      [...this.lists.keys()].sort((a, b) => b - a),
    )
    const scope = { db: api.pool, companyId: this.firm.id }
    const joined = await api.pool.many<{ list: number; member: number }>(sql`
      select l.id as list, k.id as member from case_lists l join cases k on k.company_id = l.company_id and ${memberPredicate('l', 'k')}
      where l.company_id = ${this.firm.id} order by k.id`)
    for (const { id, case_count } of data) {
      const expected = this.members(id)
      const scanned: number[] = []
      for (let page: number[] = [-1]; page.length > 0; scanned.push(...page))
        page = await selectMembers(scope, id, { after: scanned.at(-1) ?? 0, limit: 3 })
      assert.deepEqual(scanned, expected, `members of list ${id}, scanned`)
      assert.deepEqual(
        joined.flatMap(({ list, member }) => (list === id ? member : [])),
        expected,
        `members of list ${id}, row by row`,
      )
      assert.equal(case_count, expected.length, `case_count of list ${id}`)
    }
    assert.ok(
      joined.every(({ list }) => this.lists.has(list)),
      'a deleted list has no members',
    )
    const empty = await this.firm.ok('GET /v1/case_lists?hide_empty=true&page_size=100')
    assert.equal(empty.total, [...this.lists.keys()].filter((id) => this.members(id).length > 0).length)
  }
}

function matches(filter: Filter, kase: Case): boolean {
  const created = kase.created_date ?? TODAY
  const among = (values: unknown, value: string | null) => value !== null && (values as string[]).includes(value)
  const tests: Record<keyof Filter, () => boolean> = {
    case_type_ids: () => among(filter.case_type_ids, kase.type),
    status_ids: () => among(filter.status_ids, kase.status),
    external_sources: () => among(filter.external_sources, kase.external_source),
    jurisdictions: () => among(filter.jurisdictions, kase.jurisdiction),
    court_names: () => among(filter.court_names, kase.court_name),
    is_obo: () => (kase.is_obo ?? false) === filter.is_obo,
    created_from: () => created >= filter.created_from!,
    created_to: () => created <= filter.created_to!,
    court_date_from: () => kase.court_date !== null && kase.court_date >= filter.court_date_from!,
    court_date_to: () => kase.court_date !== null && kase.court_date <= filter.court_date_to!,
    key: () => `${kase.name ?? ''}\n${kase.case_number}`.toLowerCase().includes(filter.key!.toLowerCase()),
  }
  const keys = Object.keys(filter) as (keyof Filter)[]
  return keys.length > 0 && keys.every((key) => tests[key]())
}

test('lists hold and count what a naive model says, whatever is done to cases, filters and members', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
      const world = await World.create()
      for (const each of steps) {
        await world.run(each)
        await world.check()
      }
    }),
    { numRuns: 10 },
  )
})
