import sql, { raw, type Sql } from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'
import { type Filter, filterCondition, givenKeys, matchesRow } from './filter.ts'

/** Cases chosen by their ids and by a filter as it matches now, less the excluded ones. */
export interface Selection {
  filter: Filter | null
  include_ids: number[]
  exclude_ids: number[]
}

const chosen = (companyId: number, { filter, include_ids, exclude_ids }: Selection): Sql => sql`
  k.company_id = ${companyId} and k.deleted_at is null and k.id <> all(${exclude_ids}::bigint[]) and k.id in (
    select unnest(${include_ids}::bigint[])
    union all
    select k.id from cases k
    where k.company_id = ${companyId} and k.deleted_at is null and ${filterCondition(filter && givenKeys(filter), raw('k'))})`

/** Includes the chosen cases and lifts their exclusion; answers for how many that was new. */
export function attachCases({ db, companyId }: Scope, listId: number, selection: Selection): Promise<number> {
  return db.run(sql`
    insert into case_list_overrides as o (company_id, case_list_id, case_id, kind)
    select ${companyId}, ${listId}, k.id, 'include' from cases k where ${chosen(companyId, selection)} order by k.id
    on conflict (company_id, case_list_id, case_id) do update set kind = 'include' where o.kind <> 'include'`)
}

/**
 * Takes the inclusion of the chosen cases away, and excludes those that the list's own filter would bring back; answers
 * for how many that was new.
 */
export async function detachCases({ db, companyId }: Scope, listId: number, selection: Selection): Promise<number> {
  const included = sql`o.company_id = ${companyId} and o.case_list_id = ${listId} and o.kind = 'include'`
  const { changed } = await db.one<{ changed: number }>(sql`
    with matching as materialized (
      select k.id from cases k join case_lists l on l.company_id = ${companyId} and l.id = ${listId}
      where ${matchesRow(raw('l'), raw('k'))} and ${chosen(companyId, selection)}
    ), taken as (
      delete from case_list_overrides o
      where ${included} and not exists (select from matching m where m.id = o.case_id)
        and o.case_id in (select k.id from cases k where ${chosen(companyId, selection)})
      returning 1
    ), excluded as (
      insert into case_list_overrides as o (company_id, case_list_id, case_id, kind)
      select ${companyId}, ${listId}, id, 'exclude' from matching order by id
      on conflict (company_id, case_list_id, case_id) do update set kind = 'exclude' where o.kind <> 'exclude'
      returning 1
    )
    select (select count(*) from taken) + (select count(*) from excluded) as changed`)
  return changed
}

export interface Overrides {
  case_list_id: number
  include_ids: number[]
  exclude_ids: number[]
}

/** Makes these the only overrides of their lists. A case that is both included and excluded is excluded. */
export async function replaceOverrides({ db, companyId }: Scope, lists: Overrides[]): Promise<void> {
  const rows = lists.flatMap(({ case_list_id, include_ids, exclude_ids }) => [
    ...exclude_ids.map((case_id) => ({ case_list_id, case_id, kind: 'exclude' })),
    ...include_ids.map((case_id) => ({ case_list_id, case_id, kind: 'include' })),
  ])
  await db.run(sql`
    delete from case_list_overrides
    where company_id = ${companyId} and case_list_id = any(${lists.map(({ case_list_id }) => case_list_id)})`)
  if (rows.length === 0) return
  await db.run(sql`
    insert into case_list_overrides (company_id, case_list_id, case_id, kind)
    select ${companyId}, w.case_list_id, w.case_id, min(w.kind) -- 'exclude' comes before 'include'
    from unnest(${rows.map((row) => row.case_list_id)}::bigint[], ${rows.map((row) => row.case_id)}::bigint[], ${rows.map((row) => row.kind)}::text[])
      as w (case_list_id, case_id, kind)
    join cases k on k.company_id = ${companyId} and k.id = w.case_id and k.deleted_at is null
    group by w.case_list_id, w.case_id
    order by w.case_list_id, w.case_id`)
}
