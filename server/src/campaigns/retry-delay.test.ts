import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayMs } from './retry-delay.ts'

test('a delay is the sum of its parts', () => {
  assert.equal(delayMs({ minutes: 30 }), 30 * 60_000)
  assert.equal(delayMs({ minutes: 1, hours: 2, days: 3 }), ((3 * 24 + 2) * 60 + 1) * 60_000)
  assert.equal(delayMs({ minutes: null, hours: 4, days: null }), 4 * 3_600_000)
  assert.equal(delayMs({}), 0)
})
