import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import type { Scope } from '../core/operation.ts'
import { asksMore, type Filter, filterCondition, hasFilter, matchesGroup, matchesRest, matchesRow } from './filter.ts'

/** How many of some cases each list holds, by list id; lists that hold none of them are left out. */
export type Membership = ReadonlyMap<number, number>

/** What lists hold of cases that did not exist. */
export const NO_MEMBERSHIP: Membership = new Map()

/**
 * Row by row: the case `k` is a member of the list `l`, both named by their aliases. For joining a few cases with
 * their lists; to go through one list take `selectMembers`.
 */
export function memberPredicate(l: string, k: string): Sql {
  const [list, kase] = [raw(l), raw(k)]
  return sql`(${list}.deleted_at is null and ${kase}.deleted_at is null and coalesce((
    select o.kind = 'include' from case_list_overrides o
    where o.company_id = ${kase}.company_id and o.case_list_id = ${list}.id and o.case_id = ${kase}.id
  ), ${matchesRow(list, kase)}))`
}

/**
 * One chunk of a list's members: their ids, ascending. None of a deleted list. A million members are gone through in
 * 2 s by chunks of 5,000.
 */
export async function selectMembers(
  { db, companyId }: Scope,
  listId: number,
  { after, limit }: Page,
): Promise<number[]> {
  const list = await db.maybe<{ filter: Filter | null }>(
    sql`select filter from case_lists where company_id = ${companyId} and id = ${listId} and deleted_at is null`,
  )
  if (!list) return []
  const k = raw('k')
  const { filter } = list
  // Two branches, each of which can walk an index of its own and stop at the limit: joined by OR they would take none.
  const rows = await db.many<{ id: number }>(sql`
    (select k.id from cases k
      where k.company_id = ${companyId} and k.id > ${after} and k.deleted_at is null and ${filterCondition(filter, k)}
        and not exists (
          select from case_list_overrides o
          where o.company_id = ${companyId} and o.case_list_id = ${listId} and o.case_id = k.id)
      order by k.id limit ${limit})
    union all
    (select o.case_id from case_list_overrides o
      join cases k on k.company_id = ${companyId} and k.id = o.case_id and k.deleted_at is null
      where o.company_id = ${companyId} and o.case_list_id = ${listId} and o.case_id > ${after} and o.kind = 'include'
      order by o.case_id limit ${limit})
    order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

interface Page {
  /** The last id of the chunk before; 0 for the first. */
  after: number
  limit: number
}

/**
 * Before cases change (fields, deletion): what the lists hold of them now. Call it in the transaction of the change
 * and BEFORE locking or writing the cases: it takes the company's guard first and then locks the cases in the order of
 * their ids, and everybody who takes these locks in that order can't deadlock. For creations take `NO_MEMBERSHIP`.
 * `lists` is a condition on lists `l`, where the others can't gain or lose anything.
 */
export async function membershipOf(scope: Scope, caseIds: number[], lists?: Sql): Promise<Membership> {
  const { db, companyId } = scope
  const [, , rows] = await Promise.all([
    holdGuard(scope, 'shared'),
    db.run(sql`
      select from cases where company_id = ${companyId} and id = any(${caseIds}) order by id for no key update`),
    // A statement of its own: under read committed it sees what the locks have waited for.
    byKeptPlan(db, caseIds, () =>
      db.many<{ id: number; held: number }>(sql`${heldNow(companyId, caseIds, lists)} select id, held from held_now`),
    ),
  ])
  return new Map(rows.map(({ id, held }) => [id, held]))
}

/**
 * After the cases have changed: writes down by how much the lists' counts differ from `before`, and tells the planner
 * of the cases.
 */
export async function settleMembership(
  scope: Scope,
  before: Membership,
  caseIds: number[],
  lists?: Sql,
): Promise<void> {
  const { db, companyId } = scope
  await Promise.all([
    holdGuard(scope, 'shared'),
    byKeptPlan(db, caseIds, () =>
      db.run(sql`
      ${heldNow(companyId, caseIds, lists)}, held_before as (
        select * from unnest(${[...before.keys()]}::bigint[], ${[...before.values()]}::bigint[]) as b (id, held)
      ), told as (
        insert into case_changes (company_id, case_id)
        select ${companyId}, id from unnest(${caseIds}::bigint[]) as c (id)
      )
      insert into case_list_count_deltas (company_id, case_list_id, delta)
      select ${companyId}, id, coalesce(n.held, 0) - coalesce(b.held, 0)
      from held_now n full join held_before b using (id)
      where coalesce(n.held, 0) <> coalesce(b.held, 0)`),
    ),
  ])
}

/**
 * Keeps every change of cases, filters and overrides of the company away until the end of the transaction, and waits
 * for those under way: what is counted in the statements after this one can neither miss a change nor count it twice.
 */
export async function lockMembership(scope: Scope): Promise<void> {
  await holdGuard(scope, 'alone')
}

/**
 * The row alone keeps counts right. But PostgreSQL lets sharers of a row pass by one who waits for it alone: under 16
 * writers a list could not be created for more than 10 s. Advisory locks queue, so they see to the turn (7 ms then),
 * and nothing but the turn rests on them.
 */
function holdGuard({ db, companyId }: Scope, how: 'shared' | 'alone'): Promise<number> {
  const [turn, lock] =
    how === 'shared' ? ['pg_advisory_xact_lock_shared', 'key share'] : ['pg_advisory_xact_lock', 'update']
  return db.run(sql`
    with turn as materialized (select ${raw(turn)}(${TURNS}, hashint8(${companyId})))
    select from turn, membership_guards g where g.company_id = ${companyId} for ${raw(lock)} of g`)
}

/** The advisory locks of ours, among those of other programs in the same database; an arbitrary number. */
const TURNS = 1_280_001

/**
 * For few cases the statement takes longer to plan than to run (0.9 ms for one case, 0.4 ms by a kept plan), and by
 * itself PostgreSQL would plan it anew every time.
 */
async function byKeptPlan<T>(db: Database, caseIds: number[], send: () => Promise<T>): Promise<T> {
  if (caseIds.length > 10) return send()
  const mode = (name: string) => db.run(sql`select set_config('plan_cache_mode', ${name}, true)`)
  const [, answer] = await Promise.all([mode('force_generic_plan'), send(), mode('auto')])
  return answer
}

/**
 * `with …, held_now (id, held)`. The cases are grouped by type and status and the lists joined to the groups; only
 * lists that ask for more are tested case by case. Overrides correct the result: an included case that the filter does
 * not match counts one more, an excluded one that it does match one less.
 */
function heldNow(companyId: number, caseIds: number[], lists?: Sql): Sql {
  const [l, g, k] = [raw('l'), raw('g'), raw('k')]
  const only = lists ? sql`and ${lists}` : empty
  return sql`
    with changed as materialized (
      select k.* from cases k where k.company_id = ${companyId} and k.id = any(${caseIds}) and k.deleted_at is null
    ), matching as materialized (
      select l.id as list_id, ${asksMore(l)} as more, g.type_id, g.status_id, g.cases
      from case_lists l
      join (select type_id, status_id, count(*) as cases from changed group by type_id, status_id) g on ${matchesGroup(l, g)}
      where l.company_id = ${companyId} and l.deleted_at is null and ${hasFilter(l)} ${only}
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
        join case_lists l on l.company_id = ${companyId} and l.id = o.case_list_id and l.deleted_at is null ${only}
        where (o.kind = 'include') <> ${matchesRow(l, k)}
      ) as counted
      group by list_id
      having sum(cases) <> 0
    )`
}
