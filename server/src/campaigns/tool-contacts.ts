import sql, { join, type Sql } from 'sql-template-tag'
import Type from 'typebox'
import { Nullable, type Static } from '../core/fields.ts'
import type { Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'

/** `waiting`: another attempt is to come; `done`: none is. */
export const STANDINGS = ['waiting', 'in_call', 'done'] as const
type Standing = (typeof STANDINGS)[number]

export const ToolContact = Type.Object({
  client_id: Type.Integer(),
  client_name: Type.String(),
  case_id: Type.Integer(),
  case_name: Type.String(),
  standing: Type.Unsafe<Standing>({ type: 'string', enum: STANDINGS }),
  attempts: Type.Integer(),
  last_result: Nullable<string>('string'),
  next_attempt_at: Nullable<Date>('string', undefined, { format: 'date-time' }),
  reasons: Type.Array(Type.Object({ rule: Type.String(), message: Type.String() })),
})
export type ToolContact = Static<typeof ToolContact>

export interface ContactFilter {
  campaign_id: number
  standing?: Standing
  /** With an attempt, or without one. */
  called?: boolean
}

const STATE = { waiting: 'due', in_call: 'live', done: 'settled' }

/** By client id. `reasons`: what the gate last said against a call. */
export async function selectToolContacts(
  { db, companyId }: Scope,
  { campaign_id, standing, called }: ContactFilter,
  { limit, offset }: Slice,
): Promise<Found<ToolContact>> {
  const conditions: Sql[] = [sql`cc.company_id = ${companyId} and cc.campaign_id = ${campaign_id}`]
  if (standing) conditions.push(sql`cc.state = ${STATE[standing]}`)
  if (called !== undefined) conditions.push(called ? sql`cc.attempts > 0` : sql`cc.attempts = 0`)
  const matching = sql`campaign_contacts cc where ${join(conditions, ' and ')}`
  const page = sql`
    select cc.client_id, c.first_name || ' ' || c.last_name as client_name, cc.case_id,
      coalesce(k.name, k.case_number) as case_name,
      case cc.state when 'due' then 'waiting' when 'live' then 'in_call' else 'done' end as standing,
      cc.attempts, cc.last_result, cc.due_at as next_attempt_at, (
        select coalesce(jsonb_agg(jsonb_build_object('rule', r -> 'rule', 'message', r -> 'message') order by n), '[]')
        from jsonb_array_elements(cc.last_decision -> 'reasons') with ordinality as reasons (r, n)
      ) as reasons
    from (select * from ${matching} order by cc.client_id limit ${limit} offset ${offset}) cc
    join clients c on c.company_id = cc.company_id and c.id = cc.client_id
    join cases k on k.company_id = cc.company_id and k.id = cc.case_id
    order by cc.client_id`
  return findPage(db, matching, page)
}
