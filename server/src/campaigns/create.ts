import { refuseAll } from '../core/errors.ts'
import type { Context } from '../core/operation.ts'
import { nextDue } from '../reports/due.ts'
import { liesAhead } from './days.ts'
import { normalForm } from './normal-form.ts'
import {
  type CampaignStatus,
  insertCampaignRow,
  insertReportSchedule,
  insertRuns,
  selectCampaignEvents,
  selectMissing,
} from './queries.ts'
import { brokenRules } from './rules.ts'
import type { CreateCampaign } from './schema.ts'

/**
 * Checks and stores a campaign with its runs, messages, counters and report schedule; the engine finds it by itself.
 *
 * @throws {Refusal} with every broken rule.
 */
export async function insertCampaign(
  ctx: Context,
  input: CreateCampaign,
): Promise<{ id: number; status: CampaignStatus }> {
  const missing = await selectMissing(ctx, {
    case_list_id: input.case_list_id,
    agent_id: input.agent_id ?? null,
    form_id: input.form_id ?? null,
    case_type_ids: input.report_schedule?.filters?.case_type_ids ?? [],
  })
  refuseAll(brokenRules(input, missing))
  const now = ctx.clock.now()
  const { runs, report_schedule, ...campaign } = normalForm(input, now)
  // Past dates are taken: a campaign whose last run is over is completed by the engine, as any other.
  const status = liesAhead(runs, now) ? 'scheduled' : 'active'
  const started_at = status === 'active' ? now : null
  const id = await insertCampaignRow(ctx, { ...campaign, status, started_at, origin: ctx.channel })
  await insertRuns(ctx, id, runs)
  if (report_schedule) await insertReportSchedule(ctx, id, report_schedule, nextDue(report_schedule, now))
  ctx.record({ activity: 'campaign_created', record_type: 'campaign', record_id: id })
  if (status === 'active') {
    const data = (await selectCampaignEvents(ctx, [id])).get(id)
    ctx.record({ activity: 'campaign_started', record_type: 'campaign', record_id: id, data })
  }
  return { id, status }
}
