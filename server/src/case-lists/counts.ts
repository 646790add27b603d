import sql, { raw } from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import type { Scope } from '../core/operation.ts'
import { type Filter, filterCondition, isGrouped, matchesGroup, matchesRow } from './filter.ts'

/**
 * Counts lists anew, after `lockMembership`. A million members take 0.1 s by type and status, 0.3 s by a filter that no
 * index serves.
 */
export async function recount({ db, companyId }: Scope, listIds: number[]): Promise<void> {
  // The rows are locked before the deltas are touched, here and in `foldCountDeltas`: a fold can't slip in between.
  const lists = await db.many<{ id: number; filter: Filter | null }>(sql`
    select id, filter from case_lists
    where company_id = ${companyId} and id = any(${listIds}) and deleted_at is null
    order by id for no key update`)
  const matching = new Map(lists.map(({ id }) => [id, 0]))
  const dynamic = lists.filter(({ filter }) => filter && Object.keys(filter).length > 0)
  const grouped = dynamic.filter(({ filter }) => isGrouped(filter!)).map(({ id }) => id)
  // One list is counted by its filter: it need not walk through all types.
  const together = new Set(grouped.length > 1 ? grouped : [])
  if (together.size > 0)
    for (const { id, cases } of await countGrouped({ db, companyId }, [...together])) matching.set(id, cases)
  for (const { id, filter } of dynamic) {
    if (together.has(id)) continue
    const { cases } = await db.one<{ cases: number }>(sql`
      select count(*) as cases from cases k
      where k.company_id = ${companyId} and k.deleted_at is null and ${filterCondition(filter, raw('k'))}`)
    matching.set(id, cases)
  }
  await db.run(sql`
    with overridden as (
      select l.id, sum(case o.kind when 'include' then 1 else -1 end) as cases
      from case_lists l
      join case_list_overrides o on o.company_id = l.company_id and o.case_list_id = l.id
      join cases k on k.company_id = l.company_id and k.id = o.case_id and k.deleted_at is null
      where l.company_id = ${companyId} and l.id = any(${listIds}) and (o.kind = 'include') <> ${matchesRow(raw('l'), raw('k'))}
      group by l.id
    ), gone as (
      delete from case_list_count_deltas where company_id = ${companyId} and case_list_id = any(${listIds})
    )
    update case_lists l set counted = m.cases + coalesce(o.cases, 0)
    from unnest(${[...matching.keys()]}::bigint[], ${[...matching.values()]}::bigint[]) as m (id, cases)
    left join overridden o using (id)
    where l.company_id = ${companyId} and l.id = m.id`)
}

/** Lists that ask for types and statuses only share one walk through the index. */
function countGrouped({ db, companyId }: Scope, listIds: number[]): Promise<{ id: number; cases: number }[]> {
  const [l, g] = [raw('l'), raw('g')]
  return db.many(sql`
    with g as materialized (
      select type_id, status_id, count(*) as cases from cases
      where company_id = ${companyId} and deleted_at is null
      group by type_id, status_id
    )
    select l.id, sum(g.cases)::bigint as cases
    from case_lists l join g on ${matchesGroup(l, g)}
    where l.company_id = ${companyId} and l.id = any(${listIds})
    group by l.id`)
}

/**
 * Adds up to `limit` deltas into the counts of their lists; answers how many. Any number of processes may do so at once,
 * beside those who change cases and lists: what a reader sees as the sum never changes by it.
 */
export async function foldCountDeltas(db: Database, limit: number): Promise<number> {
  const { folded } = await db.one<{ folded: number }>(sql`
    with due as materialized (
      select company_id, case_list_id, id from case_list_count_deltas
      order by company_id, case_list_id, id limit ${limit}
    ), lists as materialized (
      select l.company_id, l.id from case_lists l
      where exists (select from due d where d.company_id = l.company_id and d.case_list_id = l.id)
      order by l.company_id, l.id for no key update skip locked
    ), gone as (
      delete from case_list_count_deltas d using due, lists l
      where d.company_id = due.company_id and d.case_list_id = due.case_list_id and d.id = due.id
        and l.company_id = d.company_id and l.id = d.case_list_id
      returning d.company_id, d.case_list_id, d.delta
    ), sums as (
      select company_id, case_list_id, sum(delta) as delta from gone group by company_id, case_list_id
    ), added as (
      update case_lists l set counted = l.counted + s.delta
      from sums s where l.company_id = s.company_id and l.id = s.case_list_id
    )
    select count(*) as folded from gone`)
  return folded
}
