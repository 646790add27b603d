import sql from 'sql-template-tag'
import { membershipOf, settleMembership } from '../case-lists/membership.ts'
import { deleteClients, recordDeletions } from '../clients/deletion.ts'
import type { Context, Scope } from '../core/operation.ts'
import { lockForDeletion } from './queries.ts'

/**
 * Takes the cases out of every answer, list, count and campaign; their numbers are free again. With `withClients` the
 * clients linked to no other case go too. Answers the ids of the cases that were really deleted, ascending.
 */
export async function deleteCases(ctx: Context, ids: number[], withClients: boolean): Promise<number[]> {
  const { db, companyId } = ctx
  const [membership, gone] = await Promise.all([membershipOf(ctx, ids), lockForDeletion(ctx, ids)])
  if (gone.length === 0) return []
  const clients = await selectLinkedClients(ctx, gone)
  if (withClients) {
    const exclusive = await selectExclusiveClients(ctx, gone, [...new Set([...clients.values()].flat())])
    if (exclusive.length > 0) recordDeletions(ctx, await deleteClients(ctx, exclusive))
  }
  await db.run(sql`update cases set deleted_at = now() where company_id = ${companyId} and id = any(${gone})`)
  await db.run(sql`delete from case_clients where company_id = ${companyId} and case_id = any(${gone})`)
  await settleContacts(ctx, gone)
  await settleMembership(ctx, membership, gone)
  for (const id of gone) {
    const client_ids = clients.get(id)
    const changes = client_ids ? { client_ids: { from: client_ids, to: [] } } : null
    ctx.record({ activity: 'case_deleted', record_type: 'case', record_id: id, case_id: id, changes })
  }
  return gone
}

async function selectLinkedClients({ db, companyId }: Scope, caseIds: number[]): Promise<Map<number, number[]>> {
  const rows = await db.many<{ case_id: number; client_ids: number[] }>(sql`
    select case_id, array_agg(client_id order by client_id) as client_ids from case_clients
    where company_id = ${companyId} and case_id = any(${caseIds})
    group by case_id`)
  return new Map(rows.map(({ case_id, client_ids }) => [case_id, client_ids]))
}

/** Locked before their links are looked at: nobody can link them to another case in between. */
async function selectExclusiveClients(
  { db, companyId }: Scope,
  caseIds: number[],
  clientIds: number[],
): Promise<number[]> {
  await db.run(
    sql`select from clients where company_id = ${companyId} and id = any(${clientIds}) order by id for update`,
  )
  const rows = await db.many<{ id: number }>(sql`
    select w.id from unnest(${clientIds}::bigint[]) as w (id)
    where not exists (
      select from case_clients l
      where l.company_id = ${companyId} and l.client_id = w.id and l.case_id <> all(${caseIds}))`)
  return rows.map(({ id }) => id)
}

/** Contacts that waited to be called for a deleted case. The planner looks whether another of their cases is a member. */
async function settleContacts({ db, companyId }: Scope, caseIds: number[]): Promise<void> {
  await db.run(sql`
    with settled as (
      update campaign_contacts set state = 'settled', due_at = null, requested_at = null, settled_reason = 'deleted'
      where company_id = ${companyId} and case_id = any(${caseIds}) and state = 'due'
      returning client_id
    )
    insert into case_changes (company_id, case_id)
    select distinct ${companyId}::bigint, l.case_id from settled s
    join case_clients l on l.company_id = ${companyId} and l.client_id = s.client_id`)
}
