import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextLegalOpening } from '../campaigns/calling-window.ts'
import { shipped, shippedRules } from './law.ts'
import { instantOf, stretchAt } from './local-time.ts'
import { placeByName } from './places.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const FROM = Date.UTC(2026, 0, 1)
const TO = Date.UTC(2028, 0, 1)

/** Every state that has rules of its own and two that have none, in every zone of theirs. */
const states = [...new Set(shipped.map(({ jurisdiction }) => jurisdiction.slice(3)))].filter((state) => state !== '')
const places = [...states, 'NY', 'CA', 'AZ', 'HI', 'IN', 'ID', 'TN'].flatMap((state) =>
  placeByName(state)!.zones.map((zone) => [state, zone] as const),
)

const formats = new Map<string, Intl.DateTimeFormat>()

/** What Intl says, by other means than the module under test. */
function localOf(timeZone: string, at: number): { date: string; minute: number; weekday: string } {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', {
      ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit', weekday: 'long' },
      ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    })
  formats.set(timeZone, format)
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const { year, month, day, hour, minute, weekday } = parts
  return {
    date: `${year}-${month}-${day}`,
    minute: Number(hour) * 60 + Number(minute),
    weekday: weekday!.toLowerCase(),
  }
}

/** The hours of the rules, read straight from the files; these nights are no holidays. */
function isLegal(state: string, timeZone: string, at: number): boolean {
  const { minute, weekday } = localOf(timeZone, at)
  const clock = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
  return shipped
    .filter(
      ({ jurisdiction, channels, hours }) =>
        hours && channels.includes('call') && ['US', `US-${state}`].includes(jurisdiction),
    )
    .every(({ hours }) =>
      (hours![weekday as 'sunday'] ?? hours!.default).some(([from, to]) => clock >= from && clock < to),
    )
}

let nights = 0
for (const [state, zone] of places)
  test(`${state}, ${zone}: every quarter of an hour around each change of the clock in 2026 and 2027`, () => {
    const jurisdictions = ['US', `US-${state}`]
    const query = { zones: [zone], jurisdictions, channel: 'call' as const, rules: shippedRules }
    for (let { end } = stretchAt(zone, FROM); end < TO; end = stretchAt(zone, end).end) {
      if (localOf(zone, end - MINUTE).minute + 1 !== localOf(zone, end).minute) nights++
      // From the noon before to the evening after.
      for (let at = end - DAY; at < end + 2 * DAY; at += 15 * MINUTE) {
        const { open, opensAt } = nextLegalOpening({ ...query, from: new Date(at) })
        assert.equal(open, isLegal(state, zone, at), new Date(at).toISOString())
        assert.ok(opensAt && isLegal(state, zone, opensAt.getTime()), 'it opens at a legal minute')
        if (opensAt.getTime() > at)
          assert.ok(!isLegal(state, zone, opensAt.getTime() - MINUTE), 'and not later than it must')
      }
    }
  })

test('the nights were there: two a year and zone that changes its clock', () => {
  const summer = FROM + 180 * DAY
  const changing = places.filter(([, zone]) => localOf(zone, FROM).minute !== localOf(zone, summer).minute)
  assert.equal(nights, 4 * changing.length)
  assert.ok(nights > 100)
})

test('the first minute of the day after a change is the same on the clock, an hour apart in the world', () => {
  const opens = (from: string) =>
    nextLegalOpening({
      zones: ['America/New_York'],
      jurisdictions: ['US', 'US-NY'],
      channel: 'call',
      from: new Date(from),
    }).opensAt
  assert.equal(opens('2026-03-08T05:00:00Z')?.toISOString(), '2026-03-08T12:00:00.000Z')
  assert.equal(opens('2026-11-01T04:00:00Z')?.toISOString(), '2026-11-01T13:00:00.000Z')
  assert.equal(opens('2027-03-14T05:00:00Z')?.toISOString(), '2027-03-14T12:00:00.000Z')
  assert.equal(opens('2027-11-07T04:00:00Z')?.toISOString(), '2027-11-07T13:00:00.000Z')
  assert.equal(instantOf('America/New_York', Date.UTC(2026, 2, 8, 8)), Date.UTC(2026, 2, 8, 12))
})
