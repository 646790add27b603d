import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Delivery, nextDue } from './due.ts'

// 2026-03-02 is a Monday.
const table: [Delivery, string, string][] = [
  [{ frequency: 'daily', time: '18:00' }, '2026-03-02T17:59:00Z', '2026-03-02T18:00:00Z'],
  [{ frequency: 'daily', time: '18:00' }, '2026-03-02T18:00:00Z', '2026-03-03T18:00:00Z'],
  [{ frequency: 'weekly', weekday: 1, time: '09:30' }, '2026-03-02T09:00:00Z', '2026-03-02T09:30:00Z'],
  [{ frequency: 'weekly', weekday: 1, time: '09:30' }, '2026-03-02T09:30:00Z', '2026-03-09T09:30:00Z'],
  [{ frequency: 'weekly', weekday: 0, time: '00:00' }, '2026-03-02T00:00:00Z', '2026-03-08T00:00:00Z'],
  [{ frequency: 'monthly', day_of_month: 31, time: '06:00' }, '2026-04-01T00:00:00Z', '2026-04-30T06:00:00Z'],
  [{ frequency: 'monthly', day_of_month: 31, time: '06:00' }, '2026-01-31T06:00:00Z', '2026-02-28T06:00:00Z'],
  [{ frequency: 'monthly', day_of_month: 29, time: '06:00' }, '2028-02-01T00:00:00Z', '2028-02-29T06:00:00Z'],
  [{ frequency: 'monthly', day_of_month: 5, time: '06:00' }, '2026-12-05T06:00:00Z', '2027-01-05T06:00:00Z'],
]

for (const [delivery, after, expected] of table)
  test(`a ${delivery.frequency} report at ${delivery.time} is due after ${after} at ${expected}`, () => {
    assert.deepEqual(nextDue(delivery, new Date(after)), new Date(expected))
  })

test('the next delivery is always later than now, at the right time, and within the period', () => {
  const instant = fc.date({ min: new Date('2024-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  const delivery = fc.record({
    frequency: fc.constantFrom('daily', 'weekly', 'monthly'),
    weekday: fc.integer({ min: 0, max: 6 }),
    day_of_month: fc.integer({ min: 1, max: 31 }),
    time: fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`),
  })
  fc.assert(
    fc.property(delivery as fc.Arbitrary<Delivery>, instant, (delivery, after) => {
      const due = nextDue(delivery, after)
      const days = (due.getTime() - after.getTime()) / 86_400_000
      assert.ok(days > 0 && days <= { daily: 1, weekly: 7, monthly: 31 }[delivery.frequency])
      assert.equal(due.toISOString().slice(11, 19), `${delivery.time}:00`)
      if (delivery.frequency === 'weekly') assert.equal(due.getUTCDay(), delivery.weekday)
    }),
  )
})
