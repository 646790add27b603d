import { weekdayOf } from '../compliance/holidays.ts'
import { clockOf, DAY, dayOf, instantOf, localMinute, MINUTE, minuteOf } from '../compliance/local-time.ts'
import type { CallBrief } from '../providers/call-brief.ts'

export const APPOINTMENT_MINUTES = 30

/** Where the firm has not said when it is open. */
const OFFICE_HOURS = [{ start_time: '09:00', end_time: '17:00' }]
const WEEKEND = [0, 6]
/** How far ahead an agent books. */
const DAYS_AHEAD = 60
/** The firm must have read of it by then. */
const NOTICE_MS = 60 * MINUTE
/** Times that are offered instead of one that is taken. */
const OFFERED = 2

export type AppointmentTime = { at: Date } | { refused: string }

type About = Pick<CallBrief, 'office' | 'zones'>

/**
 * Whether the firm takes an appointment then, as far as hours and days go.
 *
 * @param date YYYY-MM-DD and `time` HH:mm on the contact's clock.
 */
export function appointmentTime(date: unknown, time: unknown, now: Date, about: About): AppointmentTime {
  const [day, minute] = [dayOf(date), minuteOf(time)]
  if (day === null || minute === null)
    return { refused: "I'm sorry, I didn't catch the day and the hour. Which day and time would suit you?" }
  const at = new Date(instantOf(about.zones[0]!, day * DAY + minute * MINUTE))
  if (at <= now) return { refused: 'That time has passed already. Which day and time would suit you?' }
  if (at.getTime() - now.getTime() < NOTICE_MS)
    return { refused: "I can't book less than an hour ahead. Which day and time would suit you?" }
  if (at.getTime() - now.getTime() > DAYS_AHEAD * DAY)
    return { refused: 'I can only book within the next two months. Which day and time would suit you?' }
  if (about.office.closedOn(officeTime(at, about).day))
    return { refused: 'The office is closed on that day. Which other day would suit you?' }
  if (!isOpen(at, about))
    return {
      refused: `The office is open ${openingHours(about)}, and an appointment takes ${APPOINTMENT_MINUTES} minutes. Which time would suit you?`,
    }
  return { at }
}

/** "Monday to Friday, 9 AM to 5 PM Eastern Time" */
export function openingHours({ office, zones }: About): string {
  const hours = (office.hours ?? OFFICE_HOURS).map(
    ({ start_time, end_time }) => `${clockTime(start_time)} to ${clockTime(end_time)}`,
  )
  const zone = office.timezone ?? zones[0]!
  return `Monday to Friday, ${hours.join(' and ')} ${zoneName(zone, new Date(0))}`
}

/** Times of the same day, nearest to the one that is taken, in the order of the day. */
export function freeTimes(taken: Date, isTaken: (at: Date) => boolean, now: Date, about: About): Date[] {
  const steps = DAY / MINUTE / APPOINTMENT_MINUTES
  const zone = about.zones[0]!
  const day = (at: Date) => localMinute(zone, at.getTime()).day
  return Array.from({ length: 2 * steps }, (_, n) => (n % 2 === 0 ? -1 : 1) * (Math.floor(n / 2) + 1))
    .map((step) => new Date(taken.getTime() + step * APPOINTMENT_MINUTES * MINUTE))
    .filter((at) => day(at) === day(taken) && at.getTime() - now.getTime() >= NOTICE_MS)
    .filter((at) => isOpen(at, about) && !isTaken(at))
    .slice(0, OFFERED)
    .sort((a, b) => a.getTime() - b.getTime())
}

/** "Tuesday, March 10 at 11 AM Eastern Time": whoever hears or reads it may be elsewhere than we think. */
export function spokenAppointment(at: Date, zone: string): string {
  const day = new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'long', month: 'long', day: 'numeric' })
  return `${day.format(at)} at ${spokenClock(at, zone)} ${zoneName(zone, at)}`
}

export const spokenClock = (at: Date, zone: string): string =>
  clockTime(clockOf(localMinute(zone, at.getTime()).minute))

function isOpen(at: Date, about: About): boolean {
  const { day, minute } = officeTime(at, about)
  if (WEEKEND.includes(weekdayOf(day))) return false
  return (about.office.hours ?? OFFICE_HOURS).some(
    ({ start_time, end_time }) =>
      minute >= minuteOf(start_time)! && minute + APPOINTMENT_MINUTES <= minuteOf(end_time)!,
  )
}

const officeTime = (at: Date, { office, zones }: About) => localMinute(office.timezone ?? zones[0]!, at.getTime())

function clockTime(time: string): string {
  const [hours, minutes] = time.split(':') as [string, string]
  return `${Number(hours) % 12 || 12}${minutes === '00' ? '' : `:${minutes}`} ${Number(hours) < 12 ? 'AM' : 'PM'}`
}

/** "Eastern Time", whether or not clocks are set forward. */
function zoneName(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longGeneric' }).formatToParts(at)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone
}
