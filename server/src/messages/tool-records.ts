import sql, { join, type Sql } from 'sql-template-tag'
import Type from 'typebox'
import { Nullable, type Static } from '../core/fields.ts'
import type { Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'

/** A message as the tools list it, in either direction. */
export const ToolMessage = Type.Object({
  id: Type.Integer(),
  direction: Type.String(),
  channel: Type.String(),
  status: Type.String(),
  at: Type.Unsafe<Date>({ type: 'string', format: 'date-time' }),
  client_id: Type.Integer(),
  client_name: Type.String(),
  address: Nullable<string>('string'),
  case_id: Nullable<number>('integer'),
  campaign_id: Nullable<number>('integer'),
  subject: Nullable<string>('string'),
  body: Type.String(),
  error: Nullable<string>('string'),
})
export type ToolMessage = Static<typeof ToolMessage>

export interface MessageFilter {
  case_id?: number
  client_id?: number
}

/** Newest first. */
export function selectToolMessages(
  { db, companyId }: Scope,
  { case_id, client_id }: MessageFilter,
  { limit, offset }: Slice,
): Promise<Found<ToolMessage>> {
  const conditions: Sql[] = [sql`m.company_id = ${companyId}`]
  if (case_id !== undefined) conditions.push(sql`m.case_id = ${case_id}`)
  if (client_id !== undefined) conditions.push(sql`m.client_id = ${client_id}`)
  const matching = sql`
    messages m join clients c on c.company_id = m.company_id and c.id = m.client_id
    where ${join(conditions, ' and ')}`
  return findPage(
    db,
    matching,
    sql`
      select m.id, m.direction, m.channel, m.status, coalesce(m.sent_at, m.due_at, m.created_at) as at, m.client_id,
        c.first_name || ' ' || c.last_name as client_name,
        case m.direction when 'inbound' then m.from_address else m.to_address end as address, m.case_id, m.campaign_id,
        m.subject, m.body, m.error
      from ${matching} order by m.id desc limit ${limit} offset ${offset}`,
  )
}
