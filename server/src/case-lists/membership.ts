import sql, { raw, type Sql } from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'
import { asksMore, hasFilter, matchesGroup, matchesRest, matchesRow } from './filter.ts'

/** How many of some cases each list holds, by list id; lists that hold none of them are left out. */
export type Membership = ReadonlyMap<number, number>

/** What lists hold of cases that did not exist. */
export const NO_MEMBERSHIP: Membership = new Map()

/**
 * Row by row: the case `k` is a member of the list `l`, both named by their aliases. For joining a few cases with
 * their lists; to go through one list take `memberScan`.
 */
export function memberPredicate(l: string, k: string): Sql {
  const [list, kase] = [raw(l), raw(k)]
  return sql`(${list}.deleted_at is null and ${kase}.deleted_at is null and coalesce((
    select o.kind = 'include' from case_list_overrides o
    where o.company_id = ${kase}.company_id and o.case_list_id = ${list}.id and o.case_id = ${kase}.id
  ), ${matchesRow(list, kase)}))`
}

/**
 * Before cases change (fields, deletion): what the lists hold of them now. Call it in the transaction of the change
 * and BEFORE locking or writing the cases: it takes the company's guard first and then locks the cases in the order of
 * their ids, and everybody who takes these locks in that order can't deadlock. For creations take `NO_MEMBERSHIP`.
 */
export async function membershipOf(scope: Scope, caseIds: number[]): Promise<Membership> {
  const { db, companyId } = scope
  const [, , rows] = await Promise.all([
    holdGuard(scope),
    db.run(sql`
      select from cases where company_id = ${companyId} and id = any(${caseIds}) order by id for no key update`),
    // A statement of its own: under read committed it sees what the locks have waited for.
    db.many<{ id: number; held: number }>(sql`${heldNow(companyId, caseIds)} select id, held from held_now`),
  ])
  return new Map(rows.map(({ id, held }) => [id, held]))
}

/**
 * After the cases have changed: writes down by how much the lists' counts differ from `before`, and tells the planner
 * of the cases.
 */
export async function settleMembership(scope: Scope, before: Membership, caseIds: number[]): Promise<void> {
  const { db, companyId } = scope
  await Promise.all([
    holdGuard(scope),
    db.run(sql`
      ${heldNow(companyId, caseIds)}, held_before as (
        select * from unnest(${[...before.keys()]}::bigint[], ${[...before.values()]}::bigint[]) as b (id, held)
      ), told as (
        insert into case_changes (company_id, case_id)
        select ${companyId}, id from unnest(${caseIds}::bigint[]) as c (id)
      )
      insert into case_list_count_deltas (company_id, case_list_id, delta)
      select ${companyId}, id, coalesce(n.held, 0) - coalesce(b.held, 0)
      from held_now n full join held_before b using (id)
      where coalesce(n.held, 0) <> coalesce(b.held, 0)`),
  ])
}

/** Whoever counts a list anew excludes this and waits for it, so a count and a change can't miss each other. */
function holdGuard({ db, companyId }: Scope): Promise<number> {
  return db.run(sql`select from membership_guards where company_id = ${companyId} for key share`)
}

/**
 * `with …, held_now (id, held)`. The cases are grouped by type and status and the lists joined to the groups; only
 * lists that ask for more are tested case by case. Overrides correct the result: an included case that the filter does
 * not match counts one more, an excluded one that it does match one less.
 */
function heldNow(companyId: number, caseIds: number[]): Sql {
  const [l, g, k] = [raw('l'), raw('g'), raw('k')]
  return sql`
    with changed as materialized (
      select k.* from cases k where k.company_id = ${companyId} and k.id = any(${caseIds}) and k.deleted_at is null
    ), matching as materialized (
      select l.id as list_id, ${asksMore(l)} as more, g.type_id, g.status_id, g.cases
      from case_lists l
      join (select type_id, status_id, count(*) as cases from changed group by type_id, status_id) g on ${matchesGroup(l, g)}
      where l.company_id = ${companyId} and l.deleted_at is null and ${hasFilter(l)}
    ), held_now as (
      select list_id as id, sum(cases)::bigint as held from (
        select list_id, cases from matching where not more
        union all
        select l.id, 1
        from matching m
        join case_lists l on l.company_id = ${companyId} and l.id = m.list_id
        join changed k on k.type_id = m.type_id and k.status_id = m.status_id
        where m.more and ${matchesRest(l, k)}
        union all
        select l.id, case o.kind when 'include' then 1 else -1 end
        from changed k
        join case_list_overrides o on o.company_id = ${companyId} and o.case_id = k.id
        join case_lists l on l.company_id = ${companyId} and l.id = o.case_list_id and l.deleted_at is null
        where (o.kind = 'include') <> ${matchesRow(l, k)}
      ) as counted
      group by list_id
      having sum(cases) <> 0
    )`
}
