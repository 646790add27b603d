import sql from 'sql-template-tag'
import { changedFields } from '../core/change.ts'
import type { Context } from '../core/operation.ts'
import { liesAhead, type RunDates } from './days.ts'
import { type CampaignStatus, selectCampaignEvents } from './queries.ts'

/** From which status a campaign may come, and the word for it in the audit log and the events. */
const STEPS = {
  active: { from: ['scheduled', 'paused'], activity: 'campaign_started' },
  scheduled: { from: ['paused'], activity: 'campaign_resumed' },
  paused: { from: ['scheduled', 'active'], activity: 'campaign_paused' },
  completed: { from: ['scheduled', 'active', 'paused'], activity: 'campaign_completed' },
} as const satisfies Record<Exclude<CampaignStatus, 'draft'>, { from: CampaignStatus[]; activity: string }>

/**
 * Takes the given campaigns to a status, each with its audit entry; `reason` is kept while a campaign is paused. Those
 * that can't come from where they stand (or stand there already) are left alone. Answers the ids that changed.
 */
export async function updateCampaignStatus(
  ctx: Pick<Context, 'db' | 'companyId' | 'channel' | 'clock' | 'record'>,
  ids: number[],
  status: keyof typeof STEPS,
  reason: string | null = null,
): Promise<number[]> {
  const { from, activity } = STEPS[status]
  const now = ctx.clock.now()
  const pauseReason = status === 'paused' ? reason : null
  // What the engine does by itself is no update of the record.
  const origin = ctx.channel === 'system' ? null : ctx.channel
  const changed = await ctx.db.many<{ id: number; was: CampaignStatus; reason_was: string | null }>(sql`
    with before as (
      select id, status, pause_reason from campaigns
      where company_id = ${ctx.companyId} and id = any(${ids}::bigint[]) and status = any(${[...from]}::text[]) and deleted_at is null
      order by id
      for update
    )
    update campaigns c set status = ${status}, pause_reason = ${pauseReason},
      started_at = case when ${status} = 'active' then coalesce(c.started_at, ${now}) else c.started_at end,
      completed_at = case when ${status} = 'completed' then ${now}::timestamptz end,
      update_origin = coalesce(${origin}, c.update_origin), updated_at = now()
    from before b
    where c.company_id = ${ctx.companyId} and c.id = b.id
    returning c.id, b.status as was, b.pause_reason as reason_was`)
  const records = await selectCampaignEvents(
    ctx,
    changed.map(({ id }) => id),
  )
  for (const { id, was, reason_was } of changed) {
    const before = { status: was, pause_reason: reason_was }
    const changes = changedFields(before, { status, pause_reason: pauseReason })
    ctx.record({ activity, record_type: 'campaign', record_id: id, changes, data: records.get(id) })
  }
  return changed.map(({ id }) => id)
}

/** A paused campaign goes on, or waits on for its first run. Answers false for one that is not paused. */
export async function resumeCampaign(ctx: Context, id: number): Promise<boolean> {
  const runs = await ctx.db.many<RunDates>(sql`
    select start_date, end_date from campaign_runs where company_id = ${ctx.companyId} and campaign_id = ${id}`)
  const status = liesAhead(runs, ctx.clock.now()) ? 'scheduled' : 'active'
  return (await updateCampaignStatus(ctx, [id], status)).length > 0
}

/** Campaigns that are done or paused already stay as they are. */
export async function pauseCampaignsOfAgent(ctx: Context, agentId: string, reason: string): Promise<void> {
  const rows = await ctx.db.many<{ id: number }>(sql`
    select id from campaigns where company_id = ${ctx.companyId} and agent_id = ${agentId} and deleted_at is null`)
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await updateCampaignStatus(ctx, ids, 'paused', reason)
}
