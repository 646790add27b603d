import type { Detail } from '../core/errors.ts'
import { isDate, weekday } from './days.ts'
import { spanRules } from './hours.ts'
import { messageRules } from './message-rules.ts'
import type { CreateCampaign, Run } from './schema.ts'

export function runRules(input: CreateCampaign): Detail[] {
  if (!input.runs) return olderShapeRules(input)
  return [
    ...bothShapesRule(input),
    ...input.runs.flatMap((run, index) => oneRun(`runs[${index}]`, run, input.use_company_hours ?? false)),
    ...clientRunIdRule(input.runs),
  ]
}

function oneRun(at: string, run: Run, companyHours: boolean): Detail[] {
  const details = run.messaging_only ? noTimes(at, run) : times(at, run, companyHours)
  if (run.end_date < run.start_date)
    details.push({ field: `${at}.end_date`, message: `must not be before start_date (${run.start_date})` })
  for (const [index, day] of (run.selected_days ?? []).entries())
    details.push(...selectedDayRule(`${at}.selected_days[${index}]`, day, run))
  return [...details, ...messageRules(at, run)]
}

/** With company hours the campaign's slots stand instead of the run's own times. */
function times(at: string, run: Run, companyHours: boolean): Detail[] {
  const details = spanRules(at, run)
  if (companyHours) return details
  for (const field of ['start_time', 'end_time'] as const)
    if (run[field] == null)
      details.push({ field: `${at}.${field}`, message: 'is required for a run that is not messaging-only' })
  return details
}

function noTimes(at: string, run: Run): Detail[] {
  return (['start_time', 'end_time'] as const)
    .filter((field) => run[field] != null)
    .map((field) => ({ field: `${at}.${field}`, message: 'must be left out of a messaging-only run' }))
}

function selectedDayRule(field: string, day: string, run: Run): Detail[] {
  if (weekday(day)) return []
  if (!isDate(day)) return [{ field, message: 'must be a date inside the run or an English weekday name' }]
  if (day >= run.start_date && day <= run.end_date) return []
  return [{ field, message: `must lie within the run (${run.start_date} to ${run.end_date})` }]
}

function clientRunIdRule(runs: Run[]): Detail[] {
  const seen = new Map<string, number>()
  return runs.flatMap(({ client_run_id }, index) => {
    if (client_run_id == null) return []
    const earlier = seen.get(client_run_id)
    if (earlier === undefined) seen.set(client_run_id, index)
    return earlier === undefined
      ? []
      : [{ field: `runs[${index}].client_run_id`, message: `'${client_run_id}' is already runs[${earlier}]` }]
  })
}

const FLAT = ['start_time', 'end_time', 'days'] as const

function bothShapesRule(input: CreateCampaign): Detail[] {
  return FLAT.filter((field) => input[field] != null).map((field) => ({
    field,
    message: 'belongs to the older shape and must not be sent together with runs',
  }))
}

function olderShapeRules(input: CreateCampaign): Detail[] {
  if (FLAT.every((field) => input[field] == null)) return [{ field: 'runs', message: 'is required' }]
  const details = spanRules('', input)
  for (const field of ['start_time', 'end_time'] as const)
    if (input[field] == null) details.push({ field, message: 'is required in the older shape, without runs' })
  for (const [index, day] of (input.days ?? []).entries())
    if (!weekday(day)) details.push({ field: `days[${index}]`, message: 'must be an English weekday name' })
  return details
}
