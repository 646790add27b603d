import type { CallBrief } from '../providers/call-brief.ts'
import { appointmentTime, freeTimes, spokenAppointment, spokenClock } from './appointment.ts'
import { type AgentAction, type CallSoFar, say, wantsPerson } from './brain.ts'
import { identified } from './identity.ts'

/** What is said of an appointment is true when it is said: it has been written down, and whether mail follows is known. */
export async function* bookAppointment(
  { date, time }: Record<string, unknown>,
  brief: CallBrief,
  call: CallSoFar,
): AsyncGenerator<AgentAction> {
  const { client, company_name: firm } = brief
  const zone = brief.zones[0]!
  if (!identified(brief, call.transcript))
    return yield say(`Before I book it: am I speaking with ${client.first_name} ${client.last_name}?`, 'identity')
  const wanted = appointmentTime(date, time, call.now, brief)
  if ('refused' in wanted) return yield say(wanted.refused)
  const booking = await call.book(wanted.at)
  switch (booking.outcome) {
    case 'booked': {
      yield { do: 'note', note: { type: 'appointment', at: wanted.at.toISOString() } }
      const mail = booking.mail ? ' You will get it by e-mail, too, for your calendar.' : ''
      return yield say(`I've put you down for ${spokenAppointment(wanted.at, zone)}.${mail} Is there anything else?`)
    }
    case 'already':
      if (booking.at.getTime() !== wanted.at.getTime()) yield wantsPerson(call)
      return yield say(
        booking.at.getTime() === wanted.at.getTime()
          ? `You are down for ${spokenAppointment(booking.at, zone)} already. Is there anything else?`
          : `There is an appointment for your case already, on ${spokenAppointment(booking.at, zone)}. I'll ask a colleague at ${firm} to call you about another time.`,
      )
    case 'taken': {
      const free = freeTimes(wanted.at, booking.isTaken, call.now, brief).map((at) => spokenClock(at, zone))
      return yield say(
        free.length > 0
          ? `That time is taken. On that day ${free.join(' or ')} would be free. Which time would suit you?`
          : 'There is nothing free at that time. Which other day would suit you?',
      )
    }
    case 'failed':
      yield wantsPerson(call)
      yield say(`I can't get at the calendar just now, so I'll ask a colleague at ${firm} to call you about it.`)
  }
}
