import sql, { join, type Sql } from 'sql-template-tag'
import { callRecords } from '../calls/tool-records.ts'
import { caseRecords } from '../cases/queries.ts'
import { clientRecords } from '../clients/queries.ts'
import { ENGINE } from '../core/actors.ts'
import { type Author, type Change, insertAudit } from '../core/change.ts'
import type { Database } from '../core/db.ts'
import { messageRecords } from '../messages/records.ts'
import { eventsOf } from './event-types.ts'

/** Where an event finds its record as it is at the end of the transaction; `h` is what happened. */
const RECORDS: Record<string, Sql> = {
  case: sql`${caseRecords} where k.company_id = h.company_id and k.id = h.record_id::bigint`,
  client: sql`${clientRecords} where c.company_id = h.company_id and c.id = h.record_id::bigint`,
  call: sql`${callRecords} and f.company_id = h.company_id and f.id = h.record_id::bigint`,
  message: sql`${messageRecords} where m.company_id = h.company_id and m.id = h.record_id::bigint`,
}

/**
 * The audit entries of the given changes and, for the enabled webhooks of the company that want them, their events and
 * deliveries, as one statement. To be run in the transaction of the changes, after them: an event is then there exactly
 * when its change is, and its id grows per record, whose row is still locked. A company without webhooks pays for one
 * look at an empty index.
 */
export function recordChanges(author: Author, changes: Change[]): Sql {
  const rows = changes.map((change) => {
    const campaign_id = change.record_type === 'campaign' ? change.record_id : change.campaign_id
    return { ...change, campaign_id, events: eventsOf(change) }
  })
  if (rows.every(({ events }) => events.length === 0)) return insertAudit(author, changes)
  const { companyId, actor, channel, requestId } = author
  const kinds = [...new Set(changes.map(({ record_type }) => record_type))].filter((kind) => kind in RECORDS)
  const records = kinds.map((kind) => sql`when ${kind} then (select row_to_json(r) from (${RECORDS[kind]!}) r)`)
  const record = records.length > 0 ? sql`case h.record_type ${join(records, ' ')} end` : sql`null`
  return sql`
    with happened as materialized (
      select ${companyId}::bigint as company_id, c.* from rows from (
        json_to_recordset(${JSON.stringify(rows)}::json) as (activity text, record_type text, record_id text, case_id bigint,
          client_id bigint, campaign_id bigint, changes jsonb, request_id text, events text[], data json)
      ) with ordinality as c (activity, record_type, record_id, case_id, client_id, campaign_id, changes, request_id, events, data, n)
    ), logged as (
      insert into audit_log (company_id, activity, actor, actor_id, channel, record_type, record_id, case_id, client_id, changes, request_id)
      select company_id, activity, ${actor.name}, ${actor.id}, ${channel}, record_type, record_id, case_id, client_id, changes, coalesce(request_id, ${requestId})
      from happened order by n
    ), wanted as materialized (
      select h.n, e.type, e.place, w.id as webhook_id
      from webhooks w
      cross join happened h
      cross join lateral unnest(h.events) with ordinality as e (type, place)
      where w.company_id = ${companyId} and w.enabled
        and (w.event_types = '{}' or e.type = any(w.event_types))
        and (w.campaign_ids = '{}' or h.campaign_id = any(w.campaign_ids))
        and (w.case_type_ids = '{}' or exists (
          select from cases k where k.company_id = h.company_id and k.id = h.case_id and k.type_id = any(w.case_type_ids)))
    ), emitted as materialized (
      select n, type, nextval('events_id_seq') as id
      from (select n, type from wanted group by n, type, place order by n, place) as once
    ), written as (
      insert into events (company_id, id, type, event_key, client_id, data, previous)
      select h.company_id, e.id, e.type, h.record_type || ':' || h.record_id, h.client_id,
        coalesce(h.data, ${record}, json_build_object('id', h.record_id::bigint)),
        (select json_object_agg(key, value -> 'from') from jsonb_each(h.changes))
      from emitted e join happened h on h.n = e.n
      order by e.id
    )
    insert into webhook_deliveries (company_id, webhook_id, event_id)
    select ${companyId}, w.webhook_id, e.id from emitted e join wanted w on w.n = e.n and w.type = e.type order by e.id`
}

/** As `recordChanges`, for what the engine does to the records of many companies at once. */
export async function recordEngineChanges(db: Database, changes: (Change & { company_id: number })[]): Promise<void> {
  for (const [companyId, ofCompany] of Map.groupBy(changes, (change) => change.company_id))
    await db.run(recordChanges({ companyId, ...ENGINE }, ofCompany))
}
