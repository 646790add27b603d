import sql from 'sql-template-tag'
import { suppress } from '../clients/opt-outs.ts'
import type { Channel, Scope } from '../core/operation.ts'

export interface Link {
  case_id: number
  client_id: number
}

/** The column of the record whose list of links is replaced. */
export type Owner = 'case_id' | 'client_id'

/**
 * Makes `wanted` the only links of the given owners. Both ends must exist. A client that is newly linked to a case
 * whose `opt_out_voice_calls` is set is opted out of voice calls; the planner is told of every case whose links changed.
 * Answers the clients who were opted out by it.
 */
export async function replaceLinks(
  scope: Scope,
  origin: Channel,
  owner: Owner,
  owners: number[],
  wanted: Link[],
): Promise<number[]> {
  const { db, companyId } = scope
  const owned = owner === 'case_id' ? sql`l.case_id` : sql`l.client_id`
  const optedOut = await db.many<{ id: number }>(sql`
    with wanted as (
      select distinct case_id, client_id
      from unnest(${wanted.map((link) => link.case_id)}::bigint[], ${wanted.map((link) => link.client_id)}::bigint[]) as w (case_id, client_id)
    ), gone as (
      delete from case_clients l
      where l.company_id = ${companyId} and ${owned} = any(${owners}::bigint[])
        and not exists (select from wanted w where w.case_id = l.case_id and w.client_id = l.client_id)
      returning l.case_id
    ), added as (
      insert into case_clients (company_id, case_id, client_id)
      select ${companyId}, case_id, client_id from wanted order by case_id, client_id
      on conflict (company_id, case_id, client_id) do nothing
      returning case_id, client_id
    ), told as (
      insert into case_changes (company_id, case_id)
      select ${companyId}, case_id from (select case_id from gone union select case_id from added) as changed
    )
    update clients c set voice_calls_opted_out = true, update_origin = ${origin}, updated_at = now()
    from (
      select distinct a.client_id
      from added a join cases k on k.company_id = ${companyId} and k.id = a.case_id and k.opt_out_voice_calls
    ) as opted
    where c.company_id = ${companyId} and c.id = opted.client_id and not c.voice_calls_opted_out
    returning c.id`)
  const ids = optedOut.map(({ id }) => id)
  await suppress(scope, origin, ids)
  return ids
}

/**
 * The ids that are no cases of the company, ascending. Those that are can't be deleted before the end of the
 * transaction, so that what is linked to them is never linked to a deleted case.
 */
export async function selectMissingCases({ db, companyId }: Scope, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await db.many<{ id: number }>(sql`
    select id from cases where company_id = ${companyId} and id = any(${ids}) and deleted_at is null
    order by id for key share`)
  return missing(ids, rows)
}

export function missing(wanted: number[], found: { id: number }[]): number[] {
  const there = new Set(found.map(({ id }) => id))
  return [...new Set(wanted)].filter((id) => !there.has(id)).sort((a, b) => a - b)
}
