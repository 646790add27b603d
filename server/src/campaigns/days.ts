import { dateOf, dayOf, localDay } from '../compliance/local-time.ts'
import { WEEKDAYS } from '../compliance/rule-schema.ts'
import { FIRST_ZONE, LAST_ZONE } from './first-and-last-zone.ts'

/** A weekday's English name in any case, in lower case; undefined for anything else. */
export function weekday(name: string): string | undefined {
  const lower = name.trim().toLowerCase()
  return WEEKDAYS.find((day) => day === lower)
}

/** A real date, YYYY-MM-DD; such dates compare as texts. */
export const isDate = (text: string): boolean => dayOf(text) !== null

const dateIn = (zone: string, now: Date): string => dateOf(localDay(zone, now.getTime()))

/** Today's date where the day is last to begin: no contact's own date is earlier. */
export const earliestToday = (now: Date): string => dateIn(LAST_ZONE, now)

export interface RunDates {
  start_date: string
  /** null: open-ended */
  end_date: string | null
}

/** Whether the first run lies ahead for every contact. */
export const liesAhead = (runs: RunDates[], now: Date): boolean =>
  runs.every(({ start_date }) => start_date > dateIn(FIRST_ZONE, now))

/** Whether the last run is over for every contact. */
export const isOver = (runs: RunDates[], now: Date): boolean =>
  runs.every(({ end_date }) => end_date !== null && end_date < dateIn(LAST_ZONE, now))
