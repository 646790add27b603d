import sql from 'sql-template-tag'
import { assignGiven, type Columns } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import { containing } from '../core/search.ts'
import type { CaseStatus, StatusNode } from './schema.ts'

const records = sql`
  select s.id, s.name, s.description, s.priority, s.parent_id, (
    select count(*)::int from cases k
    where k.company_id = s.company_id and k.status_id = s.id and k.deleted_at is null
  ) as number_of_cases
  from case_statuses s`

export async function selectCaseStatus({ db, companyId }: Scope, id: number): Promise<CaseStatus> {
  const found = await db.maybe<CaseStatus>(sql`${records} where s.company_id = ${companyId} and s.id = ${id}`)
  return found ?? notFound('case status', id)
}

export async function selectCaseStatuses(
  { db, companyId }: Scope,
  { name = '', limit, offset }: { name?: string } & Slice,
): Promise<Found<CaseStatus>> {
  const matching = sql`s.company_id = ${companyId} and s.name ilike ${containing(name)}`
  return findPage<CaseStatus>(
    db,
    sql`case_statuses s where ${matching}`,
    sql`${records} where ${matching} order by s.priority, s.id limit ${limit} offset ${offset}`,
  )
}

/** Every status under its parent, siblings by priority. */
export async function selectStatusTree({ db, companyId }: Scope): Promise<StatusNode[]> {
  const rows = await db.many<Omit<StatusNode, 'children'>>(sql`
    select id, name, description, priority, parent_id from case_statuses
    where company_id = ${companyId} order by priority, id`)
  const nodes = new Map(rows.map((row) => [row.id, { ...row, children: [] as StatusNode[] }]))
  for (const node of nodes.values()) if (node.parent_id !== null) nodes.get(node.parent_id)!.children.push(node)
  return [...nodes.values()].filter(({ parent_id }) => parent_id === null)
}

/** Keeps the hierarchy as it is until the end of the transaction: two moves at once could close a circle. */
export async function lockStatuses({ db, companyId }: Scope): Promise<void> {
  await db.run(sql`select from case_statuses where company_id = ${companyId} order by id for no key update`)
}

/** The status and everything above it, from the status upwards. */
export async function selectAncestry({ db, companyId }: Scope, id: number): Promise<{ id: number; name: string }[]> {
  return db.many(sql`
    with recursive up (id, name, parent_id, height) as (
      select id, name, parent_id, 0 from case_statuses where company_id = ${companyId} and id = ${id}
      union all
      select s.id, s.name, s.parent_id, up.height + 1
      from up join case_statuses s on s.company_id = ${companyId} and s.id = up.parent_id
    )
    select id, name from up order by height`)
}

export interface StatusInput {
  name: string
  description?: string | null
  priority?: number
  parent_id?: number | null
}

/** The name must be free. Without a priority the status comes after the others of its parent. */
export async function insertCaseStatus({ db, companyId }: Scope, input: StatusInput): Promise<number> {
  const { name, description, priority, parent_id } = input
  const { id } = await db.one<{ id: number }>(sql`
    insert into case_statuses (company_id, name, description, priority, parent_id)
    select ${companyId}, ${name}, ${description}, coalesce(${priority}::int, max(priority) + 1, 1), ${parent_id}
    from case_statuses where company_id = ${companyId} and parent_id is not distinct from ${parent_id}::bigint
    returning id`)
  return id
}

const writable: Columns = { name: 'text', description: 'text', priority: 'int', parent_id: 'bigint' }

/** Writes the given fields and leaves the others. */
export async function updateCaseStatus({ db, companyId }: Scope, id: number, given: Partial<StatusInput>) {
  await db.run(sql`
    update case_statuses s set ${assignGiven(writable, 's', 'e.entry')}
    from (select ${JSON.stringify(given)}::jsonb as entry) e
    where s.company_id = ${companyId} and s.id = ${id}`)
}

/** Answers those whose priority changed, as they were. */
export async function updatePriorities(
  { db, companyId }: Scope,
  items: { id: number; priority: number }[],
): Promise<{ id: number; from: number; to: number }[]> {
  return db.many(sql`
    update case_statuses s set priority = i.priority
    from unnest(${items.map(({ id }) => id)}::bigint[], ${items.map(({ priority }) => priority)}::int[]) as i (id, priority)
    join case_statuses was on was.company_id = ${companyId} and was.id = i.id
    where s.company_id = ${companyId} and s.id = i.id and s.priority <> i.priority
    returning s.id, was.priority as "from", s.priority as "to"`)
}

/** The ids that are no statuses of the company, ascending. */
export async function selectMissingStatuses({ db, companyId }: Scope, ids: number[]): Promise<number[]> {
  const rows = await db.many<{ id: number }>(sql`
    select distinct w.id from unnest(${ids}::bigint[]) as w (id)
    where not exists (select from case_statuses s where s.company_id = ${companyId} and s.id = w.id)
    order by w.id`)
  return rows.map(({ id }) => id)
}
