import sql from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'
import { bodyOf, type Delivery, type Trigger } from './deliveries.ts'
import type { Attempt } from './schema.ts'
import { maskedHeaders, webhookId } from './signing.ts'

interface Row extends Omit<Attempt, 'delivery_id' | 'event_type' | 'request_headers' | 'request_payload'> {
  event: Pick<Delivery, 'uid' | 'type' | 'happened_at' | 'data' | 'previous' | 'event_id'>
}

/** The latest attempts of a webhook, newest first. */
export async function selectAttempts({ db, companyId }: Scope, webhook: number, limit: number): Promise<Attempt[]> {
  const rows = await db.many<Row & Delivery>(sql`
    select a.id, a.destination_url, a.triggered_by, a.attempt_number, a.http_status, a.duration_ms, a.success, a.error_message,
      a.response_body, a.next_attempt_at, a.created_at, e.id as event_id, e.uid, e.type, e.event_key, e.happened_at,
      e.data::text as data, e.previous::text as previous
    from webhook_attempts a join events e on e.company_id = a.company_id and e.id = a.event_id
    where a.company_id = ${companyId} and a.webhook_id = ${webhook}
    order by a.id desc limit ${limit}`)
  return rows.map((row) => {
    const delivery_id = webhookId(row.uid, webhook)
    return {
      id: row.id,
      delivery_id,
      event_type: row.type,
      event_key: row.event_key,
      destination_url: row.destination_url,
      triggered_by: row.triggered_by,
      attempt_number: row.attempt_number,
      http_status: row.http_status,
      duration_ms: row.duration_ms,
      success: row.success,
      error_message: row.error_message,
      request_headers: maskedHeaders(delivery_id, Math.floor(row.created_at.getTime() / 1000)),
      request_payload: JSON.parse(bodyOf(row)),
      response_body: row.response_body,
      next_attempt_at: row.next_attempt_at,
      created_at: row.created_at,
    }
  })
}

/** Sends an event to one webhook, whatever its filters are. Answers the delivery's id. */
export async function insertTestEvent(
  { db, companyId }: Scope,
  webhook: number,
  event: { type: string; event_key: string; data: unknown; previous?: unknown },
): Promise<string> {
  const { type, event_key, data, previous = null } = event
  const { uid } = await db.one<{ uid: string }>(sql`
    with written as (
      insert into events (company_id, type, event_key, data, previous)
      values (${companyId}, ${type}, ${event_key}, ${JSON.stringify(data)}, ${previous && JSON.stringify(previous)})
      returning id, uid
    ), queued as (
      insert into webhook_deliveries (company_id, webhook_id, event_id, triggered_by)
      select ${companyId}, ${webhook}, id, 'test' from written
    )
    select uid from written`)
  return webhookId(uid, webhook)
}

const replayed: Trigger = 'replay'

/**
 * Sends the event of a log entry once more, now, under the same webhook-id. One that still waits for a retry has that
 * brought forward. Answers the webhook and the delivery; undefined where there is no such entry.
 */
export async function replayAttempt(
  { db, companyId }: Scope,
  attempt: number,
): Promise<{ webhook_id: number; delivery_id: string } | undefined> {
  const row = await db.maybe<{ webhook_id: number; uid: string }>(sql`
    with asked as (
      select a.company_id, a.webhook_id, a.event_id, e.uid, (
        select max(attempt_number) from webhook_attempts m
        where m.company_id = a.company_id and m.event_id = a.event_id and m.webhook_id = a.webhook_id) as attempts
      from webhook_attempts a
      join events e on e.company_id = a.company_id and e.id = a.event_id
      join webhooks w on w.company_id = a.company_id and w.id = a.webhook_id and w.deleted_at is null
      where a.company_id = ${companyId} and a.id = ${attempt}
    ), queued as (
      insert into webhook_deliveries as d (company_id, webhook_id, event_id, triggered_by, attempts)
      select company_id, webhook_id, event_id, ${replayed}, attempts from asked
      on conflict (company_id, webhook_id, event_id) do update set
        triggered_by = case when d.state = 'pending' then d.triggered_by else excluded.triggered_by end,
        state = 'pending', next_attempt_at = now()
    )
    select webhook_id, uid from asked`)
  return row && { webhook_id: row.webhook_id, delivery_id: webhookId(row.uid, row.webhook_id) }
}

/** Everything that happened since then and was given up, or cancelled when the webhook was switched off. Answers how many. */
export function replayFailed({ db, companyId }: Scope, webhook: number, since: Date): Promise<number> {
  return db.run(sql`
    update webhook_deliveries d set state = 'pending', triggered_by = ${replayed}, next_attempt_at = now()
    from events e
    where d.company_id = ${companyId} and d.webhook_id = ${webhook} and d.state in ('failed', 'cancelled')
      and e.company_id = d.company_id and e.id = d.event_id and e.happened_at >= ${since}`)
}
