import type { Purpose } from '../compliance/rule-schema.ts'
import { earliestToday, weekday } from './days.ts'
import type { CallbackDelay, CreateCampaign, ReportSchedule, Run, RunMessage, Slot } from './schema.ts'

/** A campaign as it is kept, whichever shape it was sent in. */
export interface NewCampaign {
  name: string
  agent_id: string | null
  case_list_id: number
  form_id: number | null
  purpose: Purpose
  is_obo: boolean
  calls_scheduled_externally: boolean
  never_ending: boolean
  concurrency_limit: number
  self_healing_disabled: boolean
  use_company_hours: boolean
  business_hours: Slot[] | null
  callback_delays: { minutes: number; hours: number; days: number }[]
  runs: NewRun[]
  report_schedule: ReportSchedule | null
}

export interface NewRun {
  client_run_id: string | null
  start_date: string
  /** null: open-ended */
  end_date: string | null
  start_time: string | null
  end_time: string | null
  messaging_only: boolean
  /** Dates and lower-case weekday names; null: Monday to Friday. */
  selected_days: string[] | null
  messages: RunMessage[]
}

/** One retry after 4 hours. */
const DEFAULT_DELAYS: CallbackDelay[] = [{ hours: 4 }]

/** Fills in the defaults and turns the older shape into the current one. The rules have been checked before. */
export function normalForm(input: CreateCampaign, now: Date): NewCampaign {
  const older = olderMessages(input)
  const runs = input.runs?.map(newRun) ?? [olderRun(input, now)]
  return {
    name: input.name,
    agent_id: input.agent_id ?? null,
    case_list_id: input.case_list_id,
    form_id: input.form_id ?? null,
    purpose: input.purpose ?? 'case_update',
    is_obo: input.is_obo ?? false,
    calls_scheduled_externally: input.calls_scheduled_externally ?? false,
    never_ending: input.never_ending ?? false,
    concurrency_limit: input.concurrency_limit ?? 0,
    self_healing_disabled: input.self_healing_disabled ?? false,
    use_company_hours: input.use_company_hours ?? false,
    business_hours: input.business_hours?.length ? input.business_hours : null,
    callback_delays: (input.callback_delays ?? DEFAULT_DELAYS).map((delay) => ({
      minutes: delay.minutes ?? 0,
      hours: delay.hours ?? 0,
      days: delay.days ?? 0,
    })),
    runs: runs.map((run) => (run.messaging_only ? run : { ...run, messages: [...run.messages, ...older] })),
    report_schedule: input.report_schedule ?? null,
  }
}

function newRun(run: Run): NewRun {
  return {
    client_run_id: run.client_run_id ?? null,
    start_date: run.start_date,
    end_date: run.end_date,
    start_time: run.start_time ?? null,
    end_time: run.end_time ?? null,
    messaging_only: run.messaging_only ?? false,
    selected_days: selectedDays(run.selected_days),
    messages: run.messages ?? [],
  }
}

/** The older shape knows no dates: its one run begins at once and has no end. */
function olderRun({ start_time, end_time, days }: CreateCampaign, now: Date): NewRun {
  return {
    client_run_id: null,
    start_date: earliestToday(now),
    end_date: null,
    start_time: start_time ?? null,
    end_time: end_time ?? null,
    messaging_only: false,
    selected_days: selectedDays(days),
    messages: [],
  }
}

function selectedDays(days: string[] | null | undefined): string[] | null {
  return days?.length ? [...new Set(days.map((day) => weekday(day) ?? day))] : null
}

/** The older SMS fields as messages of the runs that call. A text whose flag is not true is sent to nobody. */
export function olderMessages(input: CreateCampaign): RunMessage[] {
  const messages: RunMessage[] = []
  if (input.send_sms_before_call && input.sms_before_call_text)
    messages.push({
      channel: 'sms',
      trigger: 'before_call',
      delay_minutes: input.send_sms_before_call_delay_minutes ?? 2,
      message: input.sms_before_call_text,
    })
  if (input.send_sms_after_successful_call && input.sms_after_successful_call_text)
    messages.push({
      channel: 'sms',
      trigger: 'after_successful_call',
      message: input.sms_after_successful_call_text,
    })
  if (input.send_sms_after_failed_call && input.sms_after_failed_call_text)
    messages.push({ channel: 'sms', trigger: 'after_failed_call', message: input.sms_after_failed_call_text })
  return messages
}
