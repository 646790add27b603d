import sql, { empty, join, raw } from 'sql-template-tag'
import { type Columns, columnList, entryRows } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Channel, Scope } from '../core/operation.ts'
import { containing } from '../core/search.ts'
import { type Filter, filterColumns, filterRow, givenKeys } from './filter.ts'
import type { CaseList } from './schema.ts'

const shown: Columns = {
  name: 'text',
  description: 'text',
  external_source: 'text',
  external_source_id: 'text',
  filter: 'jsonb',
  is_obo: 'boolean',
}

const writable: Columns = { ...shown, ...filterColumns }

const caseCount = sql`l.counted + coalesce((
  select sum(d.delta)::bigint from case_list_count_deltas d where d.company_id = l.company_id and d.case_list_id = l.id), 0)`

const record = sql`l.id, ${columnList(shown, 'l')}, ${caseCount} as case_count, l.origin, l.update_origin`

/** The fields of a list that are kept in its own row. */
export interface CaseListFields {
  id?: number
  name: string
  description?: string | null
  external_source?: string | null
  external_source_id?: string | null
  filter?: Filter | null
  is_obo?: boolean | null
}

function toRow({ filter, ...fields }: CaseListFields): Record<string, unknown> {
  const given = filter ? givenKeys(filter) : null
  return { ...fields, filter: given, ...filterRow(given) }
}

export async function selectCaseList({ db, companyId }: Scope, id: number): Promise<CaseList> {
  const found = await db.maybe<CaseList>(sql`
    select ${record} from case_lists l
    where l.company_id = ${companyId} and l.id = ${id} and l.deleted_at is null`)
  return found ?? notFound('case list', id)
}

/** In the order of their ids. */
export function selectCaseLists({ db, companyId }: Scope, ids: number[]): Promise<CaseList[]> {
  return db.many<CaseList>(sql`
    select ${record} from case_lists l
    where l.company_id = ${companyId} and l.id = any(${ids}) and l.deleted_at is null
    order by l.id`)
}

interface Wanted {
  /** Anywhere in the name, without regard to case. */
  key?: string | null
  hide_empty?: boolean
  /** Among the types that the filter asks for. */
  case_type_id?: number
}

/** One page of the lists, newest first, and how many there are in all. */
export async function selectCaseListPage(
  { db, companyId }: Scope,
  { key, hide_empty, case_type_id }: Wanted,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ total: number; rows: CaseList[] }> {
  const rows = await db.many<CaseList & { total: number }>(sql`
    with found as materialized (
      select l.id from case_lists l
      where l.company_id = ${companyId} and l.deleted_at is null
        ${key == null ? empty : sql`and l.name ilike ${containing(key)}`} ${hide_empty ? sql`and ${caseCount} > 0` : empty}
        ${case_type_id === undefined ? empty : sql`and ${case_type_id} = any(l.f_case_type_ids)`}
    ), page as (
      select l.* from case_lists l
      where l.company_id = ${companyId} and l.id in (select id from found order by id desc limit ${limit} offset ${offset})
    )
    select t.total, ${record}
    from (select count(*) as total from found) t left join page l on true
    order by l.id desc`)
  // A page beyond the end is one row that holds the total alone.
  const found = rows.filter(({ id }) => id !== null)
  return { total: rows[0]!.total, rows: found.map(({ total: _, ...list }) => list) }
}

/** Answers the ids in the order of the rows. */
export async function insertCaseLists(
  { db, companyId }: Scope,
  origin: Channel,
  lists: CaseListFields[],
): Promise<number[]> {
  const inserted = await db.many<{ id: number }>(sql`
    with inserted as (
      insert into case_lists (company_id, ${columnList(writable)}, origin)
      select ${companyId}, ${columnList(writable, 'e')}, ${origin}
      from ${entryRows(lists.map(toRow), writable)} as e
      order by e.ordinality
      returning id
    )
    select id from inserted order by id`)
  return inserted.map(({ id }) => id)
}

/** Writes the whole row of each list. */
export async function updateCaseLists(
  { db, companyId }: Scope,
  origin: Channel,
  lists: CaseListFields[],
): Promise<void> {
  const assign = join(Object.keys(writable).map((name) => sql`${raw(name)} = e.${raw(name)}`))
  await db.run(sql`
    update case_lists l set ${assign}, update_origin = ${origin}, updated_at = now()
    from ${entryRows(lists.map(toRow), { id: 'bigint', ...writable })} as e
    where l.company_id = ${companyId} and l.id = e.id`)
}

/** Notes that the list was changed; a list that is changed all the time this way is written once. */
export async function updateOrigin({ db, companyId }: Scope, origin: Channel, id: number): Promise<void> {
  await db.run(sql`
    update case_lists set update_origin = ${origin}, updated_at = now()
    where company_id = ${companyId} and id = ${id} and update_origin is distinct from ${origin}`)
}

/**
 * Copies the list with its filter and its overrides, after `lockMembership`. The copy is no record of the origin system,
 * so it carries no identifier there.
 */
export async function copyCaseList({ db, companyId }: Scope, origin: Channel, id: number): Promise<number> {
  const kept = columnList({ description: 'text', filter: 'jsonb', is_obo: 'boolean', ...filterColumns })
  const copy = await db.maybe<{ id: number }>(sql`
    with copy as (
      insert into case_lists (company_id, name, ${kept}, counted, origin)
      select company_id, left('Copy of ' || name, 255), ${kept}, ${caseCount}, ${origin} from case_lists l
      where company_id = ${companyId} and id = ${id} and deleted_at is null
      returning id
    ), overrides as (
      insert into case_list_overrides (company_id, case_list_id, case_id, kind)
      select ${companyId}, copy.id, o.case_id, o.kind
      from copy, case_list_overrides o where o.company_id = ${companyId} and o.case_list_id = ${id}
    )
    select id from copy`)
  return copy?.id ?? notFound('case list', id)
}

/** Answers which lists were really deleted. */
export async function deleteCaseLists(
  { db, companyId }: Scope,
  ids: number[],
): Promise<{ id: number; name: string }[]> {
  // No campaign can be created on them between this and the look at their campaigns.
  const found = await db.many<{ id: number; name: string }>(sql`
    select id, name from case_lists
    where company_id = ${companyId} and id = any(${ids}) and deleted_at is null order by id for update`)
  await db.run(sql`
    update case_lists set deleted_at = now() where company_id = ${companyId} and id = any(${found.map(({ id }) => id)})`)
  return found
}
