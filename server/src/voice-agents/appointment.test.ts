import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quietDays, shippedRules } from '../compliance/law.ts'
import { appointmentTime, freeTimes, spokenAppointment } from './appointment.ts'

const NOW = new Date('2026-03-02T15:00:00Z')
const office = (hours: [string, string][] | null = null, timezone: string | null = null) => ({
  hours: hours?.map(([start_time, end_time]) => ({ start_time, end_time })) ?? null,
  timezone,
  closedOn: quietDays(shippedRules),
})
const NEW_YORK = ['America/New_York']
const LOS_ANGELES = ['America/Los_Angeles']

for (const [what, date, time, about, expected] of [
  ['on the contact’s clock', '2026-03-04', '10:00', { zones: LOS_ANGELES }, '2026-03-04T18:00:00.000Z'],
  ['after the clocks have changed', '2026-03-09', '10:00', { zones: LOS_ANGELES }, '2026-03-09T17:00:00.000Z'],
  ['that ends when the office does', '2026-03-04', '16:30', {}, '2026-03-04T21:30:00.000Z'],
  ['that would end after the office does', '2026-03-04', '16:31', {}, /9 AM to 5 PM Eastern Time/],
  ['before the office opens', '2026-03-04', '08:59', {}, /9 AM to 5 PM/],
  [
    'in the lunch hour',
    '2026-03-04',
    '11:45',
    {
      office: office([
        ['09:00', '12:00'],
        ['13:00', '17:00'],
      ]),
    },
    /9 AM to 12 PM and 1 PM to 5 PM/,
  ],
  ['on a Saturday', '2026-03-07', '10:00', {}, /Monday to Friday/],
  ['on a holiday', '2026-05-25', '10:00', { now: new Date('2026-05-20T15:00:00Z') }, /closed on that day/],
  ['that has passed', '2026-03-02', '09:00', {}, /has passed already/],
  ['within the hour', '2026-03-02', '10:30', {}, /less than an hour ahead/],
  ['in half a year', '2026-09-02', '10:00', {}, /next two months/],
  ['on a day that does not exist', '2026-02-30', '10:00', {}, /didn't catch/],
  ['at an hour that does not exist', '2026-03-04', '25:00', {}, /didn't catch/],
  ['at no time at all', 'Tuesday', 'ten', {}, /didn't catch/],
  // 16:00 in Los Angeles is 19:00 in New York.
  [
    'when the office, elsewhere, is closed',
    '2026-03-04',
    '16:00',
    { zones: LOS_ANGELES, office: office(null, 'America/New_York') },
    /9 AM to 5 PM Eastern Time/,
  ],
  [
    'early, when the office, elsewhere, is open',
    '2026-03-04',
    '07:00',
    { zones: LOS_ANGELES, office: office(null, 'America/New_York') },
    '2026-03-04T15:00:00.000Z',
  ],
] as [string, string, string, { zones?: string[]; office?: ReturnType<typeof office>; now?: Date }, string | RegExp][])
  test(`an appointment ${what} is ${typeof expected === 'string' ? 'taken' : 'refused'}`, () => {
    const { zones = NEW_YORK, now = NOW } = about
    const found = appointmentTime(date, time, now, { zones, office: about.office ?? office() })
    if (typeof expected === 'string') assert.equal('at' in found && found.at.toISOString(), expected)
    else assert.match('refused' in found ? found.refused : found.at.toISOString(), expected)
  })

test('instead of a time that is taken the nearest free ones of the day are offered', () => {
  const taken = new Date('2026-03-04T16:00:00Z')
  const others = [taken, new Date('2026-03-04T16:30:00Z')].map((at) => at.getTime())
  const about = { zones: NEW_YORK, office: office() }
  const free = freeTimes(taken, (at) => others.includes(at.getTime()), NOW, about)
  assert.deepEqual(
    free.map((at) => spokenAppointment(at, 'America/New_York')),
    ['Wednesday, March 4 at 10 AM Eastern Time', 'Wednesday, March 4 at 10:30 AM Eastern Time'],
  )
  assert.deepEqual(
    freeTimes(taken, () => true, NOW, about),
    [],
  )
})
