import ical, { ICalCalendarMethod, ICalEventClass, ICalEventStatus } from 'ical-generator'
import type { Appointment } from './email.ts'

/** Without an answer: nobody here reads what a calendar would reply. */
export const CALENDAR_METHOD = ICalCalendarMethod.PUBLISH
export const CALENDAR_FILE = 'appointment.ics'

/**
 * An appointment as calendars read it (RFC 5545). Its time is in UTC, which every calendar shows on its owner's clock. It
 * names nobody but the firm.
 */
export function calendarOf(
  { title, starts_at, minutes, created_at }: Appointment,
  uid: string,
  firm: string,
  from: string,
): string {
  const calendar = ical({
    method: CALENDAR_METHOD,
    prodId: { company: 'Docketcall', product: 'Docketcall', language: 'EN' },
  })
  calendar.createEvent({
    id: uid,
    stamp: created_at,
    start: starts_at,
    end: new Date(starts_at.getTime() + minutes * 60_000),
    summary: title,
    organizer: { name: firm, email: from },
    status: ICalEventStatus.CONFIRMED,
    class: ICalEventClass.PRIVATE,
  })
  return calendar.toString()
}
