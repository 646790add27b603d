import { weekdayOf } from '../compliance/holidays.ts'
import { dayOf, minuteOf } from '../compliance/local-time.ts'
import { merge, type Slot } from '../compliance/openings.ts'
import { WEEKDAYS } from '../compliance/rule-schema.ts'

/** A row of `campaign_runs`. Dates are YYYY-MM-DD, times HH:mm, all in the contact's local time. */
export interface RunRow {
  id?: number
  start_date: string
  /** null: open-ended */
  end_date: string | null
  start_time: string | null
  end_time: string | null
  messaging_only: boolean
  /** Dates, or English weekday names; null and [] are Monday to Friday. */
  selected_days: string[] | null
}

/** The columns of `campaigns` that say when, with the campaign's runs in their order. */
export interface ScheduleRow {
  use_company_hours: boolean
  business_hours: { start_time: string; end_time: string }[] | null
  runs: RunRow[]
}

/** Days are counted from 1970-01-01; all limits inclusive. */
export interface Run {
  readonly id: number | null
  readonly messaging_only: boolean
  readonly first: number
  readonly last: number
  /** When it calls; empty for a messaging-only run. */
  readonly slots: readonly Slot[]
  /** The first run day from `day` on, or null after the last. */
  nextDay(day: number): number | null
}

export interface Schedule {
  readonly runs: readonly Run[]
  readonly callingRuns: readonly Run[]
  /** Why nothing may be done by this schedule, when it is not one that the interface would have accepted. */
  readonly problems: readonly string[]
}

const compiled = new Map<string, Schedule>()

/**
 * Reads a campaign's times once; the same times give the same object, so what was worked out for a schedule is found
 * again in the next pass. 2 µs when known. Never throws: what can't be read is a problem, and closes the schedule.
 */
export function compileSchedule(row: ScheduleRow): Schedule {
  const key = JSON.stringify([row?.use_company_hours, row?.business_hours, row?.runs])
  let schedule = compiled.get(key)
  if (!schedule) {
    schedule = compile(row)
    if (compiled.size >= 1000) compiled.clear()
    compiled.set(key, schedule)
  }
  return schedule
}

function compile(row: ScheduleRow): Schedule {
  const problems: string[] = []
  const companySlots = row?.use_company_hours ? readHours(row.business_hours, 'business_hours', problems) : null
  const rows: unknown = row?.runs
  if (!Array.isArray(rows) || rows.length === 0) problems.push('the campaign has no runs')
  const runs = (Array.isArray(rows) ? (rows as RunRow[]) : []).map((run, index) =>
    readRun(run ?? {}, `runs[${index}]`, companySlots, problems),
  )
  return { runs, callingRuns: runs.filter((run) => !run.messaging_only), problems }
}

function readRun(row: RunRow, at: string, companySlots: Slot[] | null, problems: string[]): Run {
  const first = dayOf(row.start_date)
  const last = row.end_date === null ? Number.POSITIVE_INFINITY : dayOf(row.end_date)
  if (first === null) problems.push(`${at}.start_date is no date`)
  if (last === null) problems.push(`${at}.end_date is no date`)
  const messagingOnly = row.messaging_only === true
  const slots = messagingOnly ? [] : (companySlots ?? readHours([row], at, problems))
  const days = readDays(row.selected_days, at, problems)
  const from = first ?? 0
  const to = last ?? -1
  return {
    id: row.id ?? null,
    messaging_only: messagingOnly,
    first: from,
    last: to,
    slots,
    nextDay(day) {
      const next = days(Math.max(day, from))
      return next === null || next > to ? null : next
    },
  }
}

function readHours(hours: unknown, at: string, problems: string[]): Slot[] {
  const slots = (Array.isArray(hours) ? hours : []).map((each): Slot => {
    const from = minuteOf(each?.start_time)
    const to = minuteOf(each?.end_time)
    return from === null || to === null || from >= to ? [0, 0] : [from, to]
  })
  if (slots.length === 0 || slots.some(([from, to]) => from === to)) problems.push(`${at} has no readable hours`)
  return merge(slots)
}

/** The first selected day from a given one on. */
function readDays(selected: unknown, at: string, problems: string[]): (day: number) => number | null {
  const names = selected ?? []
  if (!Array.isArray(names)) {
    problems.push(`${at}.selected_days is no list`)
    return () => null
  }
  const dates = new Set<number>()
  const week = WEEKDAYS.map((_, weekday) => names.length === 0 && weekday >= 1 && weekday <= 5)
  for (const name of names) {
    const weekday = WEEKDAYS.indexOf(String(name).trim().toLowerCase() as (typeof WEEKDAYS)[number])
    const date = dayOf(name)
    if (weekday >= 0) week[weekday] = true
    else if (date !== null) dates.add(date)
    else problems.push(`${at}.selected_days: '${name}' is neither a date nor a weekday`)
  }
  const ordered = [...dates].sort((a, b) => a - b)
  return (day) => {
    const date = ordered.find((each) => each >= day) ?? null
    for (let ahead = 0; ahead < 7; ahead++) {
      if (date === day + ahead) return date
      if (week[weekdayOf(day + ahead)]) return day + ahead
    }
    return date
  }
}
