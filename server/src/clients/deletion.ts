import sql, { type Sql } from 'sql-template-tag'
import { eraseAddresses } from '../compliance/permissions.ts'
import type { Context, Scope } from '../core/operation.ts'
import { suppress } from './opt-outs.ts'

/** A deleted contact with the cases it was linked to. */
export interface Gone {
  id: number
  case_ids: number[]
}

/** Takes the contacts out of every answer, list, count and campaign. Answers who was really deleted, ascending. */
export async function deleteClients(scope: Scope, ids: number[]): Promise<Gone[]> {
  const { db, companyId } = scope
  const gone = await lockForDeletion(scope, ids, sql`c.deleted_at is null`)
  const goneIds = gone.map(({ id }) => id)
  await suppress(scope, 'system', goneIds)
  for (const statement of [
    sql`update clients set deleted_at = now() where company_id = ${companyId} and id = any(${goneIds})`,
    sql`delete from case_clients where company_id = ${companyId} and client_id = any(${goneIds})`,
    sql`
      update campaign_contacts set state = 'settled', due_at = null, requested_at = null, settled_reason = 'deleted'
      where company_id = ${companyId} and client_id = any(${goneIds}) and state = 'due'`,
  ]) {
    await db.run(statement)
  }
  return gone
}

/**
 * Erases the contacts and what the service knows about them, also those deleted before. A contact in a live call is
 * left out: its call has to be settled first. Answers who was really erased, ascending.
 */
export async function eraseClients(scope: Scope, ids: number[]): Promise<Gone[]> {
  const { db, companyId } = scope
  const erasable = await lockForDeletion(
    scope,
    ids,
    sql`not exists (
      select from calls where calls.company_id = c.company_id and calls.client_id = c.id and calls.state <> 'ended')`,
  )
  const gone = erasable.map(({ id }) => id)
  await suppress(scope, 'system', gone)
  for (const statement of [
    eraseAddresses(companyId, gone),
    sql`
      delete from undeliverable u using clients c
      where c.company_id = ${companyId} and c.id = any(${gone}) and u.company_id = c.company_id
        and u.address in (c.mobile_e164, c.email)`,
    sql`delete from case_clients where company_id = ${companyId} and client_id = any(${gone})`,
    sql`delete from campaign_contacts where company_id = ${companyId} and client_id = any(${gone})`,
    sql`delete from refusals where company_id = ${companyId} and client_id = any(${gone})`,
    sql`delete from messages where company_id = ${companyId} and client_id = any(${gone})`,
    sql`delete from appointments where company_id = ${companyId} and client_id = any(${gone})`,
    // What calls with them left to do.
    sql`
      with asked as (
        delete from case_tasks where company_id = ${companyId} and client_id = any(${gone}) returning task_id
      )
      delete from tasks where company_id = ${companyId} and form_id is null and id in (select task_id from asked)`,
    sql`delete from calls where company_id = ${companyId} and client_id = any(${gone})`,
    // Attachments that no other note shows.
    sql`
      delete from attachments where company_id = ${companyId} and ulid in (
        select unnest(attachment_ulids) from notes where company_id = ${companyId} and client_id = any(${gone})
      ) and ulid not in (
        select unnest(attachment_ulids) from notes
        where company_id = ${companyId} and (client_id is null or client_id <> all(${gone})))`,
    sql`delete from notes where company_id = ${companyId} and client_id = any(${gone})`,
    // What other systems were told, and what they answered.
    sql`
      update webhook_attempts a set response_body = null from events e
      where e.company_id = ${companyId} and e.client_id = any(${gone}) and a.company_id = e.company_id and a.event_id = e.id`,
    sql`
      update events set data = json_build_object('id', split_part(event_key, ':', 2)::bigint), previous = null
      where company_id = ${companyId} and client_id = any(${gone})`,
    sql`delete from clients where company_id = ${companyId} and id = any(${gone})`,
    // The log gives up values, never an entry, and these only when their client is gone.
    sql`
      update audit_log set changes = null
      where company_id = ${companyId} and client_id = any(${gone}) and changes is not null`,
  ]) {
    await db.run(statement)
  }
  return erasable
}

/** Locked so that nobody links a case to them any more; their links are read when that is so. */
async function lockForDeletion({ db, companyId }: Scope, ids: number[], condition: Sql): Promise<Gone[]> {
  const locked = await db.many<{ id: number }>(sql`
    select c.id from clients c where c.company_id = ${companyId} and c.id = any(${ids}) and ${condition}
    order by c.id for update`)
  return db.many<Gone>(sql`
    select w.id, array(
      select l.case_id from case_clients l
      where l.company_id = ${companyId} and l.client_id = w.id
      order by l.case_id) as case_ids
    from unnest(${locked.map(({ id }) => id)}::bigint[]) with ordinality as w (id, position)
    order by w.position`)
}

export function recordDeletions(ctx: Context, gone: Gone[]): void {
  for (const { id, case_ids } of gone) {
    const changes = case_ids.length > 0 ? { case_ids: { from: case_ids, to: [] } } : null
    ctx.record({ activity: 'client_deleted', record_type: 'client', record_id: id, client_id: id, changes })
  }
}
