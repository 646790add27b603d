import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checker } from '../core/validate.ts'
import { Stats } from './schema.ts'
import { percentage, statsOf } from './stats.ts'

const none = {
  total_calls: 0,
  success_calls: 0,
  failed_calls: 0,
  sentiment_sum: 0,
  sentiment_count: 0,
  called_clients: 0,
  converted_clients: 0,
}

test('without data every number is 0', () => {
  assert.deepEqual(statsOf(none), {
    total_calls: 0,
    success_calls: 0,
    success_calls_percentage: 0,
    failed_calls: 0,
    average_sentiment_score: 0,
    conversion_rate: 0,
  })
})

test('a percentage lies between 0 and 100, has one decimal at most, and is off by no more than half of one', () => {
  const part = fc
    .integer({ min: 1, max: 5_000_000 })
    .chain((whole) => fc.tuple(fc.integer({ min: 0, max: whole }), fc.constant(whole)))
  fc.assert(
    fc.property(part, ([part, whole]) => {
      const value = percentage(part, whole)
      assert.ok(value >= 0 && value <= 100)
      assert.match(String(value), /^\d+(\.\d)?$/)
      assert.ok(Math.abs(value - (100 * part) / whole) <= 0.05 + 1e-9)
    }),
  )
})

test('whatever the counters are, the statistics fit their schema', () => {
  const count = fc.integer({ min: 0, max: 2 ** 31 })
  const counters = fc
    .record({
      success: count,
      failed: count,
      called: count,
      sentiments: fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
    })
    .chain((base) => fc.tuple(fc.constant(base), fc.integer({ min: 0, max: base.called })))
  const { is } = checker(Stats)
  fc.assert(
    fc.property(counters, ([{ success, failed, called, sentiments }, converted]) => {
      const stats = statsOf({
        total_calls: success + failed,
        success_calls: success,
        failed_calls: failed,
        sentiment_sum: sentiments.reduce((sum, each) => sum + each, 0),
        sentiment_count: sentiments.length,
        called_clients: called,
        converted_clients: converted,
      })
      assert.ok(is(stats), JSON.stringify(stats))
    }),
  )
})
