import ical, { ICalCalendarMethod, ICalEventClass, ICalEventStatus } from 'ical-generator'
import type { SendMailOptions } from 'nodemailer'
import type { Appointment } from '../email.ts'

/**
 * An appointment as calendars read it (RFC 5545): published, not requested, for nobody here reads what a calendar would
 * answer. Its time is in UTC, which every calendar shows on its owner's clock. It names nobody but the firm.
 */
export function calendarOf(
  { title, starts_at, minutes, created_at }: Appointment,
  uid: string,
  firm: string,
  from: string,
): SendMailOptions['icalEvent'] {
  const calendar = ical({
    method: ICalCalendarMethod.PUBLISH,
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
  return { method: 'PUBLISH', filename: 'appointment.ics', content: calendar.toString() }
}
