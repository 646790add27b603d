import sql, { join, type Sql } from 'sql-template-tag'
import Type from 'typebox'
import { notFound } from '../core/errors.ts'
import { Nullable, type Static } from '../core/fields.ts'
import type { Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import { containing } from '../core/search.ts'
import { CALL_RESULTS, type CallResult } from './results.ts'

const call = {
  id: Type.Integer(),
  start_time: Type.Unsafe<Date>({ type: 'string', format: 'date-time' }),
  duration: Nullable<string>('string'),
  sentiment_score: Nullable<number>('number'),
  client_name: Type.String(),
  result: Type.Unsafe<CallResult | null>({ type: ['string', 'null'], enum: [...CALL_RESULTS, null] }),
  campaign_name: Type.String(),
  campaign_id: Type.Integer(),
  case_name: Type.String(),
  case_id: Type.Integer(),
  opted_out: Type.Boolean(),
  is_disqualified: Type.Boolean(),
  disconnection_reason: Nullable<string>('string'),
  end_reason: Nullable<string>('string'),
  direction: Type.String(),
  agent_name: Type.String(),
}

/** A call as the tools list it. */
export const ToolCall = Type.Object(call)
export type ToolCall = Static<typeof ToolCall>

export const ToolCallDetail = Type.Object({
  ...call,
  client_id: Type.Integer(),
  client_phone: Type.String(),
  summary: Nullable<string>('string'),
  extracted_fields: Nullable<Record<string, unknown>>('object'),
  transcript: Type.Unsafe<{ speaker: string; text: string; at: number }[] | null>({
    type: ['array', 'null'],
    items: Type.Object({ speaker: Type.String(), text: Type.String(), at: Type.Number() }),
  }),
})
export type ToolCallDetail = Static<typeof ToolCallDetail>

const duration = sql`
  case when f.duration_seconds is not null
    then lpad((f.duration_seconds / 60)::text, greatest(2, length((f.duration_seconds / 60)::text)), '0')
      || ':' || lpad((f.duration_seconds % 60)::text, 2, '0') end`

const columns = sql`
  f.id, f.start_time, ${duration} as duration, f.sentiment_score, c.first_name || ' ' || c.last_name as client_name,
  f.result, p.name as campaign_name, f.campaign_id, coalesce(k.name, k.case_number) as case_name, f.case_id, f.opted_out,
  f.is_disqualified, f.disconnection_reason, f.end_reason, f.direction, a.name as agent_name`

/** Attempts that were dialled. */
const dialled = sql`
  calls f
  join clients c on c.company_id = f.company_id and c.id = f.client_id
  join campaigns p on p.company_id = f.company_id and p.id = f.campaign_id
  join cases k on k.company_id = f.company_id and k.id = f.case_id
  join agents a on a.company_id = f.company_id and a.id = f.agent_id
  where f.start_time is not null`

/** A call as events show it. */
export const callRecords = sql`select ${columns}, f.client_id, f.summary, f.extracted_fields from ${dialled}`

export interface CallFilter {
  campaign_id?: number
  case_id?: number
  /** Part of the name of the client, the case or the campaign, or of the case number. */
  key?: string
}

/** Newest first. */
export async function selectToolCalls(
  { db, companyId }: Scope,
  { campaign_id, case_id, key }: CallFilter,
  { limit, offset }: Slice,
): Promise<Found<ToolCall>> {
  const conditions: Sql[] = [sql`f.company_id = ${companyId}`]
  if (campaign_id !== undefined) conditions.push(sql`f.campaign_id = ${campaign_id}`)
  if (case_id !== undefined) conditions.push(sql`f.case_id = ${case_id}`)
  if (key) {
    const like = containing(key)
    conditions.push(sql`(
      c.first_name || ' ' || c.last_name ilike ${like} or k.name ilike ${like} or k.case_number ilike ${like} or p.name ilike ${like})`)
  }
  const matching = sql`${dialled} and ${join(conditions, ' and ')}`
  const page = sql`select ${columns} from ${matching} order by f.id desc limit ${limit} offset ${offset}`
  return findPage(db, matching, page)
}

export async function selectToolCall({ db, companyId }: Scope, id: number): Promise<ToolCallDetail> {
  const found = await db.maybe<ToolCallDetail>(sql`
    select ${columns}, f.client_id, f.to_number as client_phone, f.summary, f.extracted_fields, (
      select jsonb_agg(jsonb_build_object('speaker', t -> 'speaker', 'text', t -> 'text', 'at', t -> 'at') order by n)
      from jsonb_array_elements(f.transcript) with ordinality as turns (t, n)
    ) as transcript
    from ${dialled} and f.company_id = ${companyId} and f.id = ${id}`)
  return found ?? notFound('call', id)
}
