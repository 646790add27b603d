import type { Detail } from '../core/errors.ts'
import { slotRules } from './hours.ts'
import { olderMessageRules } from './message-rules.ts'
import { runRules } from './run-rules.ts'
import type { CallbackDelay, CreateCampaign, ReportSchedule } from './schema.ts'

/** The records that a campaign names and that don't exist. */
export interface Missing {
  caseList: boolean
  agent: boolean
  form: boolean
  /** In the report's filters. */
  caseTypes: Set<number>
}

export const NOTHING_MISSING: Missing = { caseList: false, agent: false, form: false, caseTypes: new Set() }

/** Every broken rule that the schema can't say, each by the path of its field. */
export function brokenRules(input: CreateCampaign, missing: Missing): Detail[] {
  return [
    ...agentRule(input),
    ...referenceRules(input, missing),
    ...businessHoursRules(input),
    ...runRules(input),
    ...(input.callback_delays ?? []).flatMap(delayRule),
    ...olderMessageRules(input),
    ...(input.report_schedule ? reportRules(input.report_schedule, input, missing) : []),
  ]
}

function agentRule({ agent_id, runs }: CreateCampaign): Detail[] {
  if (agent_id != null || runs?.every(({ messaging_only }) => messaging_only)) return []
  return [{ field: 'agent_id', message: 'is required unless every run has messaging_only true' }]
}

function referenceRules({ agent_id, case_list_id, form_id }: CreateCampaign, missing: Missing): Detail[] {
  return [
    ...(missing.agent ? [{ field: 'agent_id', message: `no such agent: ${agent_id}` }] : []),
    ...(missing.caseList ? [{ field: 'case_list_id', message: `no such case list: ${case_list_id}` }] : []),
    ...(missing.form ? [{ field: 'form_id', message: `no such form: ${form_id}` }] : []),
  ]
}

function businessHoursRules({ use_company_hours, business_hours }: CreateCampaign): Detail[] {
  if (use_company_hours && !business_hours?.length)
    return [{ field: 'business_hours', message: 'is required when use_company_hours is true' }]
  return slotRules('business_hours', business_hours ?? [])
}

function delayRule({ minutes, hours, days }: CallbackDelay, index: number): Detail[] {
  if (minutes || hours || days) return []
  return [{ field: `callback_delays[${index}]`, message: 'must be longer than zero' }]
}

function reportRules(report: ReportSchedule, { runs }: CreateCampaign, { caseTypes }: Missing): Detail[] {
  const details: Detail[] = []
  if (report.frequency === 'weekly' && report.weekday == null)
    details.push({ field: 'report_schedule.weekday', message: 'is required for a weekly report (0 is Sunday)' })
  if (report.frequency === 'monthly' && report.day_of_month == null)
    details.push({ field: 'report_schedule.day_of_month', message: 'is required for a monthly report (1 to 31)' })
  const runIds = new Set(runs?.map(({ client_run_id }) => client_run_id))
  for (const [index, id] of (report.run_client_ids ?? []).entries())
    if (!runIds.has(id))
      details.push({
        field: `report_schedule.run_client_ids[${index}]`,
        message: `no run has the client_run_id '${id}'`,
      })
  for (const [index, id] of (report.filters?.case_type_ids ?? []).entries())
    if (caseTypes.has(id))
      details.push({ field: `report_schedule.filters.case_type_ids[${index}]`, message: `no such case type: ${id}` })
  return details
}
