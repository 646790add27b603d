import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shippedRules } from './law.ts'
import { clockOf, dayOf } from './local-time.ts'
import type { Channel } from './rule-schema.ts'
import { candidateZones } from './time-zones.ts'

const day = (date: string) => dayOf(date) as number

function hours(state: string, date: string, channel: Channel = 'call'): string {
  const law = shippedRules.lawFor(['US', `US-${state}`], channel, 'case_update')
  return law
    .slotsOn(day(date))
    .map(([from, to]) => `${clockOf(from)}-${clockOf(to)}`)
    .join(' ')
}

const MONDAY = '2026-03-02'
const SATURDAY = '2026-03-07'
const SUNDAY = '2026-03-08'

interface Row {
  daily: string
  sunday?: string
  /** At most so often in so many hours, beside the rule of the house. */
  attempts?: [max: number, hours: number]
  /** Holidays of the state on which nobody is called, on days that are none for most others. */
  holidays?: string[]
}

const FEDERAL = '08:00-21:00'
const EARLY = '08:00-20:00'

/** What the rule files must say, state by state. */
const states: Record<string, Row> = {
  FL: { daily: EARLY, attempts: [3, 24] },
  OK: { daily: EARLY, attempts: [3, 24] },
  MD: { daily: EARLY, attempts: [3, 24] },
  ME: { daily: FEDERAL, attempts: [1, 8] },
  WA: { daily: EARLY },
  TX: { daily: '09:00-21:00', sunday: '12:00-21:00' },
  CT: { daily: '09:00-20:00' },
  KY: { daily: '10:00-21:00' },
  MI: { daily: '09:00-21:00' },
  MN: { daily: '09:00-21:00' },
  NM: { daily: '09:00-21:00' },
  NV: { daily: '09:00-20:00' },
  MA: { daily: EARLY },
  // Mardi Gras, Confederate Memorial Day, Jefferson Davis' Birthday; Juneteenth is kept by all of them.
  AL: { daily: EARLY, sunday: '', holidays: ['2026-02-17', '2026-04-27', '2026-06-01', '2026-06-19'] },
  // Battle of New Orleans, Mardi Gras, Good Friday, Election Day (of even years), All Saints' Day.
  LA: { daily: EARLY, sunday: '', holidays: ['2026-01-08', '2027-02-09', '2026-04-03', '2026-11-03', '2027-11-01'] },
  MS: { daily: EARLY, sunday: '', holidays: ['2026-04-27', '2026-11-11', '2026-01-19'] },
  // Good Friday, Flag Day (a Sunday in 2026), Election Day of any year.
  PA: { daily: FEDERAL, holidays: ['2026-04-03', '2026-06-14', '2026-11-03', '2027-11-02', '2026-10-12'] },
  // Victory Day.
  RI: { daily: FEDERAL, holidays: ['2026-08-10', '2026-11-03', '2026-02-16'] },
  // Pioneer Day, which is a Saturday in 2027; Juneteenth is a Friday in 2026, and the Monday before in 2029.
  UT: { daily: FEDERAL, holidays: ['2026-07-24', '2027-07-23', '2026-06-19', '2029-06-18'] },
  VA: { daily: FEDERAL },
  // No rules of their own.
  NY: { daily: FEDERAL },
  CA: { daily: FEDERAL },
  DC: { daily: FEDERAL },
}

for (const [state, { daily, sunday = daily, attempts, holidays = [] }] of Object.entries(states)) {
  test(`${state}: ${daily} on workdays, ${sunday || 'nothing'} on Sundays, for calls and texts`, () => {
    for (const channel of ['call', 'sms'] as const) {
      assert.equal(hours(state, MONDAY, channel), daily)
      assert.equal(hours(state, SATURDAY, channel), daily)
      assert.equal(hours(state, SUNDAY, channel), sunday)
    }
    assert.equal(hours(state, MONDAY, 'email'), FEDERAL)
  })

  test(`${state}: ${attempts ? `${attempts[0]} calls in ${attempts[1]} hours` : 'no limit of attempts of its own'}`, () => {
    const law = shippedRules.lawFor(['US', `US-${state}`], 'call', 'case_update')
    const own = law.attemptLimits(day(MONDAY)).filter(({ version }) => !version.startsWith('house-'))
    assert.deepEqual(
      own.map(({ max, hours }) => [max, hours]),
      attempts ? [attempts] : [],
    )
  })

  if (holidays.length > 0)
    test(`${state}: nobody is called or texted on ${holidays.join(', ')}`, () => {
      for (const date of holidays) {
        assert.equal(hours(state, date), '', date)
        assert.equal(hours(state, date, 'sms'), '', date)
        const law = shippedRules.lawFor(['US', `US-${state}`], 'call', 'case_update')
        assert.deepEqual(law.closedBy(day(date), 12 * 60), [`us-${state.toLowerCase()}-hours@1`], date)
      }
      assert.notEqual(hours(state, '2026-03-10'), '')
    })
}

test('states without a ban of holidays are called on the day that another state keeps', () => {
  assert.equal(hours('NY', '2026-07-24'), FEDERAL)
  assert.equal(hours('PA', '2026-07-24'), FEDERAL)
  assert.equal(hours('LA', '2027-11-02'), EARLY, 'no election in odd years')
  assert.equal(hours('TX', '2026-02-17'), '09:00-21:00')
})

for (const [name, dates] of Object.entries({
  "New Year's Day": ['2026-01-01', '2027-01-01'],
  'Memorial Day': ['2026-05-25', '2027-05-31'],
  'Independence Day': ['2026-07-04', '2027-07-04'],
  'Labor Day': ['2026-09-07', '2027-09-06'],
  'Thanksgiving Day': ['2026-11-26', '2027-11-25'],
  'Christmas Day': ['2026-12-25', '2027-12-25'],
}))
  test(`nobody is called on ${name}; a text may be sent where the state lets it`, () => {
    for (const date of dates) {
      assert.equal(hours('NY', date), '')
      assert.equal(hours('NY', date, 'sms'), FEDERAL)
      const law = shippedRules.lawFor(['US', 'US-NY'], 'call', 'case_update')
      assert.deepEqual(law.closedBy(day(date), 12 * 60), ['house-quiet-holidays@1'])
    }
  })

test('a law binds from the day it came into force', () => {
  assert.equal(hours('TX', '2025-08-31'), FEDERAL)
  assert.equal(hours('TX', '2025-09-02'), '09:00-21:00')
  assert.equal(hours('CT', '2023-09-29'), FEDERAL)
})

test('a number that was rung for somebody else is left alone for an hour', () => {
  const limits = shippedRules.lawFor(['US', 'US-NY'], 'call', 'survey').attemptLimits(day(MONDAY))
  assert.deepEqual(
    limits.filter(({ by }) => by === 'others'),
    [{ version: 'house-spacing@1', max: 1, hours: 1, by: 'others' }],
  )
})

test('nobody is rung more than 6 times a day, 15 a week and 30 in thirty days', () => {
  const limits = shippedRules.lawFor(['US', 'US-NY'], 'call', 'survey').attemptLimits(day(MONDAY))
  assert.deepEqual(
    limits.filter(({ by }) => !by).map(({ max, hours }) => [max, hours / 24]),
    [
      [6, 1],
      [15, 7],
      [30, 30],
    ],
  )
})

test('of somebody who may be anywhere, the strictest hours of all states bind', () => {
  const { jurisdictions } = candidateZones({ timezone: null, state: null, postal_code: null, mobile_e164: null })
  const law = shippedRules.lawFor(jurisdictions, 'call', 'case_update')
  assert.deepEqual(law.slotsOn(day(MONDAY)), [[10 * 60, 20 * 60]])
  assert.deepEqual(law.slotsOn(day(SUNDAY)), [])
})

test('of an address and an area code in two states, the stricter binds', () => {
  const { jurisdictions } = candidateZones({
    timezone: null,
    state: 'NY',
    postal_code: '10007',
    mobile_e164: '+15025550101',
  })
  assert.deepEqual(shippedRules.lawFor(jurisdictions, 'call', 'case_update').slotsOn(day(MONDAY)), [[600, 1260]])
})
