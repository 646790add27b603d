import sql, { join, raw, type Sql } from 'sql-template-tag'
import Type, { type Static } from 'typebox'
import type { Columns } from '../core/columns.ts'
import { Id, OptionalArray, OptionalBoolean, OptionalDate, OptionalText, Text } from '../core/fields.ts'
import { containing } from '../core/search.ts'

// An empty array is refused and not taken for "any": a script that found no ids must not end up calling everybody.
const some = { minItems: 1, maxItems: 1000 }

/** The keys by which cases are chosen, for whatever chooses cases. A key that is null is as if left out. */
export const filterFields = {
  case_type_ids: OptionalArray(Id('A case type id'), 'Cases of one of these types', some),
  status_ids: OptionalArray(Id('A case status id'), 'Cases in one of these statuses', some),
  external_sources: OptionalArray(Text(255, 'A source system'), 'Cases from one of these source systems', some),
  jurisdictions: OptionalArray(Text(255, 'A jurisdiction'), 'Cases in one of these jurisdictions', some),
  court_names: OptionalArray(Text(255, 'A court'), 'Cases at one of these courts', some),
  is_obo: OptionalBoolean('true: cases on behalf of another party; false: all others'),
  created_from: OptionalDate('Created on this day or later: by `created_date`, or the day (UTC) the record was made'),
  created_to: OptionalDate('Created on this day or earlier'),
  court_date_from: OptionalDate('Next court date on this day or later'),
  court_date_to: OptionalDate('Next court date on this day or earlier'),
  key: OptionalText(255, 'Name or case number contains this text, without regard to case'),
}

const AnyFilter = Type.Object(filterFields)

/** Keys combine with AND, the values inside one key with OR. Without any key it matches nothing. */
export type Filter = Static<typeof AnyFilter>

type Key = keyof Filter
type Test = (k: Sql, f: Sql) => Sql

const createdOn = (k: Sql) => sql`coalesce(${k}.created_date, (${k}.created_at at time zone 'UTC')::date)`

/** For each key the type of its column in `case_lists` and what a case `k` must be; `f` is the column or the value. */
const KEYS: Record<Key, [type: string, test: Test]> = {
  case_type_ids: ['bigint[]', (k, f) => sql`${k}.type_id = any(${f})`],
  status_ids: ['bigint[]', (k, f) => sql`${k}.status_id = any(${f})`],
  external_sources: ['text[]', (k, f) => sql`${k}.external_source = any(${f})`],
  jurisdictions: ['text[]', (k, f) => sql`${k}.jurisdiction = any(${f})`],
  court_names: ['text[]', (k, f) => sql`${k}.court_name = any(${f})`],
  is_obo: ['boolean', (k, f) => sql`coalesce(${k}.is_obo, false) = ${f}`],
  created_from: ['date', (k, f) => sql`${createdOn(k)} >= ${f}`],
  created_to: ['date', (k, f) => sql`${createdOn(k)} <= ${f}`],
  court_date_from: ['date', (k, f) => sql`${k}.court_date >= ${f}`],
  court_date_to: ['date', (k, f) => sql`${k}.court_date <= ${f}`],
  key: ['text', (k, f) => sql`(${k}.name ilike ${f} or ${k}.case_number ilike ${f})`],
}

/** Types and statuses: what the changed cases of a transaction are grouped by before anything else is tested. */
const GROUPED: Key[] = ['case_type_ids', 'status_ids']
const FURTHER = (Object.keys(KEYS) as Key[]).filter((key) => !GROUPED.includes(key))

const column = (l: Sql, key: Key) => sql`${l}.${raw(`f_${key}`)}`

const rowTests = (keys: Key[], l: Sql, k: Sql) =>
  join(
    keys.map((key) => sql`(${column(l, key)} is null or ${KEYS[key][1](k, column(l, key))})`),
    ' and ',
  )

/** What is left of a filter without the keys that are null. */
export function givenKeys(filter: Filter): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null))
}

/** A filter taken apart, as the `f_…` columns keep it. `{}` and no filter look the same here. */
export function filterRow(filter: Filter | null): Record<string, unknown> {
  const entries = Object.keys(KEYS).map((key) => [`f_${key}`, columnValue(filter ?? {}, key as Key) ?? null])
  return Object.fromEntries(entries)
}

export const filterColumns: Columns = Object.fromEntries(
  Object.entries(KEYS).map(([key, [type]]) => [`f_${key}`, type]),
)

const columnValue = (filter: Filter, key: Key) => (key === 'key' && filter.key ? containing(filter.key) : filter[key])

/**
 * A filter as a condition on cases `k`, with its values as parameters, so that the planner sees which index to take.
 * Deleted cases are not looked at by it.
 */
export function filterCondition(filter: Filter | null, k: Sql): Sql {
  const tests = Object.entries(KEYS).flatMap(([key, [type, test]]) => {
    const value = columnValue(filter ?? {}, key as Key)
    return value === undefined ? [] : [test(k, sql`${value}::${raw(type)}`)]
  })
  return tests.length > 0 ? sql`(${join(tests, ' and ')})` : sql`false`
}

/** The filter asks for types and statuses only: such lists are counted together. */
export const isGrouped = (filter: Filter) => (Object.keys(filter) as Key[]).every((key) => GROUPED.includes(key))

/** Row by row: the filter of list `l` asks for a type and a status that `k` has, or for none. */
export const matchesGroup = (l: Sql, k: Sql) => rowTests(GROUPED, l, k)

/** Row by row: everything else that the filter of list `l` asks of case `k`. */
export const matchesRest = (l: Sql, k: Sql) => rowTests(FURTHER, l, k)

export const asksMore = (l: Sql) => sql`num_nonnulls(${join(FURTHER.map((key) => column(l, key)))}) > 0`

export const hasFilter = (l: Sql) => sql`${l}.filter <> '{}'`

/** Row by row: the filter of list `l` matches case `k`; never null. */
export const matchesRow = (l: Sql, k: Sql) =>
  sql`coalesce(${hasFilter(l)} and ${matchesGroup(l, k)} and ${matchesRest(l, k)}, false)`
