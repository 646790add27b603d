import { dayOf } from '../compliance/local-time.ts'
import { WEEKDAYS } from '../compliance/rule-schema.ts'

/** A weekday's English name in any case, in lower case; undefined for anything else. */
export function weekday(name: string): string | undefined {
  const lower = name.trim().toLowerCase()
  return WEEKDAYS.find((day) => day === lower)
}

/** A real date, YYYY-MM-DD; such dates compare as texts. */
export const isDate = (text: string): boolean => dayOf(text) !== null

const HOUR = 3_600_000
/** A day begins first in Guam and ends last in Pago Pago: between them lie all zones that a US contact can be in. */
const FIRST_ZONE = 10 * HOUR
const LAST_ZONE = -11 * HOUR

const dateIn = (offset: number, now: Date): string => new Date(now.getTime() + offset).toISOString().slice(0, 10)

/** Today's date where the day is last to begin: no contact's own date is earlier. */
export const earliestToday = (now: Date): string => dateIn(LAST_ZONE, now)

interface RunDates {
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
