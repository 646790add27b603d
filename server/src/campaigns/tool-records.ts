import sql from 'sql-template-tag'
import Type from 'typebox'
import { notFound } from '../core/errors.ts'
import { Nullable, type Static } from '../core/fields.ts'
import type { Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import { containing } from '../core/search.ts'
import type { CampaignStatus } from './queries.ts'

const STATUSES = ['draft', 'scheduled', 'active', 'paused', 'completed'] as const satisfies CampaignStatus[]

/** A campaign as the tools show it. */
export const ToolCampaign = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  status: Type.Unsafe<CampaignStatus>({ type: 'string', enum: STATUSES }),
  pause_reason: Nullable<string>('string'),
  agent_id: Nullable<string>('string'),
  case_list_id: Type.Integer(),
  case_list_name: Type.String(),
  is_obo: Type.Boolean(),
  never_ending: Type.Boolean(),
  is_public: Type.Boolean(),
  run_count: Type.Integer(),
})
export type ToolCampaign = Static<typeof ToolCampaign>

/** `is_public`: made by an integration, over the public REST interface. */
const records = sql`
  select c.id, c.name, c.status, c.pause_reason, c.agent_id, c.case_list_id, l.name as case_list_name, c.is_obo,
    c.never_ending, c.origin = 'public_api' as is_public,
    (select count(*)::int from campaign_runs r where r.company_id = c.company_id and r.campaign_id = c.id) as run_count
  from campaigns c
  join case_lists l on l.company_id = c.company_id and l.id = c.case_list_id`

export async function selectToolCampaign({ db, companyId }: Scope, id: number): Promise<ToolCampaign> {
  const found = await db.maybe<ToolCampaign>(
    sql`${records} where c.company_id = ${companyId} and c.id = ${id} and c.deleted_at is null`,
  )
  return found ?? notFound('campaign', id)
}

/** Whose name contains the key, newest first. */
export async function selectToolCampaigns(
  { db, companyId }: Scope,
  { key = '', limit, offset }: { key?: string } & Slice,
): Promise<Found<ToolCampaign>> {
  const where = sql`c.company_id = ${companyId} and c.deleted_at is null and c.name ilike ${containing(key)}`
  return findPage<ToolCampaign>(
    db,
    sql`campaigns c where ${where}`,
    sql`${records} where ${where} order by c.id desc limit ${limit} offset ${offset}`,
  )
}
