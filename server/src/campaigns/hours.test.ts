import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { slotRules } from './hours.ts'

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

test('slots are taken exactly when all lie within the window, end after they start, and share no minute', () => {
  // Quarters of an hour around both ends of the window.
  const slot = fc.tuple(fc.integer({ min: 28, max: 88 }), fc.integer({ min: 28, max: 88 }))
  fc.assert(
    fc.property(fc.array(slot, { maxLength: 5 }), (quarters) => {
      const minutes = quarters.map(([from, to]) => [from * 15, to * 15] as const)
      const taken = new Uint8Array(24 * 60)
      let good = true
      for (const [from, to] of minutes) {
        good &&= from >= 8 * 60 && to <= 21 * 60 && from < to
        for (let minute = from; minute < to; minute++) good &&= taken[minute]!++ === 0
      }
      const slots = minutes.map(([from, to]) => ({ start_time: clock(from), end_time: clock(to) }))
      assert.equal(slotRules('business_hours', slots).length === 0, good)
    }),
    { numRuns: 500 },
  )
})
