import sql, { type Sql } from 'sql-template-tag'
import type { Context } from './operation.ts'

/** One change of one record, as the audit log keeps it and as events are made of it. */
export interface Change {
  /** What happened, such as `case_created`; the word is also the type of the event where there is one. */
  activity: string
  record_type: string
  record_id: number | string
  case_id?: number | null
  client_id?: number | null
  campaign_id?: number | null
  /** The changed fields on updates, `{field: {from, to}}`; null for creations and deletions. */
  changes?: Record<string, { from: unknown; to: unknown }> | null
  /** More types of events that the same change makes. */
  beside?: string[]
  /** The request that it belongs to, where its author made several at once. */
  request_id?: string | null
  /** What the event says of the record; cases, clients, calls and messages are read from their tables. */
  data?: unknown
}

export type Author = Pick<Context, 'companyId' | 'actor' | 'channel' | 'requestId'>

/** The audit entries of the given changes, in their order, as one statement. */
export function insertAudit({ companyId, actor, channel, requestId }: Author, changes: Change[]): Sql {
  return sql`
    insert into audit_log (company_id, activity, actor, actor_id, channel, record_type, record_id, case_id, client_id, changes, request_id)
    select ${companyId}, c.activity, ${actor.name}, ${actor.id}, ${channel}, c.record_type, c.record_id, c.case_id, c.client_id, c.changes, coalesce(c.request_id, ${requestId})
    from json_to_recordset(${JSON.stringify(changes)}::json) as
      c (activity text, record_type text, record_id text, case_id bigint, client_id bigint, changes jsonb, request_id text)`
}

/** `{field: {from, to}}` of the fields of `after` that differ from `before`; null when none does. */
export function changedFields<T extends object>(before: T, after: Partial<T>): Change['changes'] {
  const changes: NonNullable<Change['changes']> = {}
  for (const [field, to] of Object.entries(after)) {
    const from = before[field as keyof T]
    if (field !== 'update_origin' && !sameJson(from, to)) changes[field] = { from, to }
  }
  return Object.keys(changes).length > 0 ? changes : null
}

function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => sameJson((a as never)[key], (b as never)[key]))
}
