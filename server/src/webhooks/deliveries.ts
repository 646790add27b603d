import sql from 'sql-template-tag'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'

/** How long a process may keep a webhook without saying that it still works on it; longer than any attempt takes. */
export const LEASE_SECONDS = 60

export interface WebhookRef {
  company_id: number
  webhook_id: number
}

export type Trigger = 'event' | 'test' | 'replay'

/** A delivery that is due, with all that an attempt needs. */
export interface Delivery extends WebhookRef {
  event_id: number
  triggered_by: Trigger
  /** Made so far. */
  attempts: number
  uid: string
  type: string
  event_key: string
  happened_at: Date
  /** JSON, as it is sent. */
  data: string
  previous: string | null
  url: string
  /** The one that signs, and those that it replaced not long ago. */
  secrets: Buffer[]
}

/** The body of an event, the same for every webhook and every attempt. */
export function bodyOf(
  event: Pick<Delivery, 'uid' | 'type' | 'event_key' | 'happened_at' | 'data' | 'previous' | 'event_id'>,
): string {
  const { uid, type, event_key, happened_at, data, previous, event_id } = event
  const before = previous === null ? '' : `"previous":${previous},`
  return `{"id":"evt_${uid.replaceAll('-', '')}","type":"${type}","event_key":"${event_key}","timestamp":"${happened_at.toISOString()}","data":${data},${before}"sequence":${event_id}}`
}

/**
 * Takes webhooks with due deliveries that no living process works on. Hops over the index of what is pending, webhook
 * by webhook, so that neither a long queue nor webhooks with nothing to do cost anything.
 */
export function claimWebhooks(db: Database, nodeId: string, limit: number): Promise<WebhookRef[]> {
  return db.many<WebhookRef>(sql`
    with recursive waiting as (
      (select company_id, webhook_id from webhook_deliveries where state = 'pending' order by company_id, webhook_id limit 1)
      union all
      select n.company_id, n.webhook_id from waiting l cross join lateral (
        select company_id, webhook_id from webhook_deliveries d
        where d.state = 'pending' and (d.company_id, d.webhook_id) > (l.company_id, l.webhook_id)
        order by d.company_id, d.webhook_id limit 1
      ) n
    ), free as (
      select w.company_id, w.id from waiting l
      join webhooks w on w.company_id = l.company_id and w.id = l.webhook_id
      where (w.node_id is null or w.leased_until < now() or not exists (select from engine_nodes n where n.id = w.node_id))
        and (w.hold_until is null or w.hold_until <= now())
        and (
          select d.next_attempt_at from webhook_deliveries d
          where d.company_id = w.company_id and d.webhook_id = w.id and d.state = 'pending'
          order by d.next_attempt_at limit 1) <= now()
      limit ${limit}
      for update of w skip locked
    )
    update webhooks w set node_id = ${nodeId}, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from free where w.company_id = free.company_id and w.id = free.id
    returning w.company_id, w.id as webhook_id`)
}

/** Answers whether it is still this process's to work on. */
export async function renewLease(
  db: Database,
  { company_id, webhook_id }: WebhookRef,
  nodeId: string,
): Promise<boolean> {
  const renewed = await db.run(sql`
    update webhooks set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where company_id = ${company_id} and id = ${webhook_id} and node_id = ${nodeId}`)
  return renewed > 0
}

export async function releaseWebhook(
  db: Database,
  { company_id, webhook_id }: WebhookRef,
  nodeId: string,
): Promise<void> {
  await db.run(sql`
    update webhooks set node_id = null, leased_until = null
    where company_id = ${company_id} and id = ${webhook_id} and node_id = ${nodeId}`)
}

/** The earliest due deliveries of a webhook, without those in hand. */
export function selectDue(
  db: Database,
  { company_id, webhook_id }: WebhookRef,
  inHand: number[],
  limit: number,
): Promise<Delivery[]> {
  return db.many<Delivery>(sql`
    select d.company_id, d.webhook_id, d.event_id, d.triggered_by, d.attempts, e.uid, e.type, e.event_key, e.happened_at,
      e.data::text as data, e.previous::text as previous, w.url,
      case when k.hash is null then w.secret else k.hash end || array(
        select decode(r ->> 'secret', 'base64') from jsonb_array_elements(w.retired_secrets) r
        where (r ->> 'until')::timestamptz > now()) as secrets
    from webhook_deliveries d
    join webhooks w on w.company_id = d.company_id and w.id = d.webhook_id
    left join api_keys k on k.company_id = w.company_id and k.id = w.api_key_id
    join events e on e.company_id = d.company_id and e.id = d.event_id
    where d.company_id = ${company_id} and d.webhook_id = ${webhook_id} and d.state = 'pending'
      and d.next_attempt_at <= now() and d.event_id <> all(${inHand}::bigint[])
      and (w.hold_until is null or w.hold_until <= now())
    order by d.next_attempt_at, d.event_id
    limit ${limit}`)
}

/** What came of an attempt, and what follows from it. */
export interface Outcome extends WebhookRef {
  event_id: number
  triggered_by: Trigger
  attempt_number: number
  destination_url: string
  success: boolean
  http_status: number | null
  error_message: string | null
  response_body: string | null
  duration_ms: number
  created_at: Date
  /** null after a success and where no attempt is left. */
  next_attempt_at: Date | null
  hold_until: Date | null
  /** The receiver said that it is gone for good. */
  gone: boolean
}

const outcomeColumns = {
  company_id: 'bigint',
  webhook_id: 'bigint',
  event_id: 'bigint',
  triggered_by: 'text',
  attempt_number: 'integer',
  destination_url: 'text',
  success: 'boolean',
  http_status: 'integer',
  error_message: 'text',
  response_body: 'text',
  duration_ms: 'integer',
  created_at: 'timestamptz',
  next_attempt_at: 'timestamptz',
  hold_until: 'timestamptz',
}

/** Webhooks that have failed since so long ago and never succeeded in between are switched off. */
const DISABLED_AFTER = sql`interval '5 days'`

/**
 * Writes what came of attempts, as one statement: what succeeded is done, what failed waits or is over, every attempt
 * is logged. An attempt that another process has also made, because this one had lost its lease, changes nothing but
 * the log. Answers the webhooks that have failed for too long.
 */
export async function writeOutcomes(db: Database, outcomes: Outcome[]): Promise<WebhookRef[]> {
  const rows = await db.many<WebhookRef & { exhausted: boolean | null }>(sql`
    with made as materialized (
      select * from ${entryRows(outcomes, outcomeColumns)} as o
    ), delivered as (
      delete from webhook_deliveries d using made o
      where o.success and d.company_id = o.company_id and d.webhook_id = o.webhook_id and d.event_id = o.event_id
        and d.attempts = o.attempt_number - 1
    ), failed as (
      update webhook_deliveries d set
        attempts = o.attempt_number, next_attempt_at = coalesce(o.next_attempt_at, d.next_attempt_at),
        state = case when d.state = 'cancelled' then 'cancelled' when o.next_attempt_at is null then 'failed' else 'pending' end
      from made o
      where not o.success and d.company_id = o.company_id and d.webhook_id = o.webhook_id and d.event_id = o.event_id
        and d.attempts = o.attempt_number - 1
    ), logged as (
      insert into webhook_attempts (company_id, webhook_id, event_id, destination_url, triggered_by, attempt_number, http_status,
        duration_ms, success, error_message, response_body, next_attempt_at, created_at)
      select company_id, webhook_id, event_id, destination_url, triggered_by, attempt_number, http_status, duration_ms, success,
        error_message, response_body, next_attempt_at, created_at
      from made order by ordinality
    ), latest as (
      select distinct on (company_id, webhook_id) *,
        min(created_at) filter (where not success and triggered_by = 'event') over w as first_failure,
        bool_or(success and triggered_by = 'event') over w as any_success,
        max(hold_until) over w as held_until
      from made window w as (partition by company_id, webhook_id)
      order by company_id, webhook_id, created_at desc, ordinality desc
    )
    update webhooks w set
      last_delivery_status = case when l.success then 'success' else 'failed' end, last_http_status = l.http_status,
      last_attempt_at = l.created_at, hold_until = coalesce(l.held_until, w.hold_until),
      failing_since = case when l.any_success then null else coalesce(w.failing_since, l.first_failure) end
    from latest l
    where w.company_id = l.company_id and w.id = l.webhook_id
    returning w.company_id, w.id as webhook_id,
      w.enabled and l.first_failure is not null and w.failing_since < now() - ${DISABLED_AFTER} as exhausted`)
  return rows.filter(({ exhausted }) => exhausted)
}
