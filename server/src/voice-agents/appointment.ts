import { DAY, instantOf, localMinute, MINUTE } from '../compliance/local-time.ts'
import type { CallBrief } from '../providers/voice.ts'

/** Where the firm has not said when it is open. */
const OFFICE_HOURS = [{ start_time: '09:00', end_time: '17:00' }]
/** How far ahead an agent books. */
const DAYS_AHEAD = 60

export type AppointmentTime = { at: Date } | { refused: string }

/** @param date YYYY-MM-DD and `time` HH:mm on the contact's clock. */
export function appointmentTime(date: unknown, time: unknown, now: Date, brief: CallBrief): AppointmentTime {
  const zone = brief.zones[0]!
  const day = typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  const [, hours, minutes] = (typeof time === 'string' && /^(\d\d):(\d\d)$/.exec(time)) || []
  if (Number.isNaN(day) || hours === undefined || Number(hours) > 23 || Number(minutes) > 59)
    return { refused: "I'm sorry, I didn't catch the day and the hour. Which day and time would suit you?" }
  const at = new Date(instantOf(zone, day + (Number(hours) * 60 + Number(minutes)) * MINUTE))
  const weekday = new Date(day).getUTCDay()
  if (at <= now) return { refused: 'That time has passed already. Which day and time would suit you?' }
  if (at.getTime() - now.getTime() > DAYS_AHEAD * DAY)
    return { refused: 'I can only book within the next two months. Which day and time would suit you?' }
  const slots = brief.office_hours ?? OFFICE_HOURS
  const open = slots.some(({ start_time, end_time }) => time! >= start_time && time! < end_time)
  if (weekday === 0 || weekday === 6 || !open) {
    const hours = slots.map(({ start_time, end_time }) => `${clockTime(start_time)} to ${clockTime(end_time)}`)
    return { refused: `The office is open Monday to Friday, ${hours.join(' and ')}. Which time would suit you?` }
  }
  return { at }
}

/** "Tuesday, March 3 at 10:00 AM" */
export function spokenAppointment(at: Date, zone: string): string {
  const day = new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'long', month: 'long', day: 'numeric' })
  const { minute } = localMinute(zone, at.getTime())
  return `${day.format(at)} at ${clockTime(`${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`)}`
}

function clockTime(time: string): string {
  const [hours, minutes] = time.split(':') as [string, string]
  return `${Number(hours) % 12 || 12}${minutes === '00' ? '' : `:${minutes}`} ${Number(hours) < 12 ? 'AM' : 'PM'}`
}
