import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DateRange, rangeOf } from './range.ts'

const at = new Date('2026-03-04T09:30:00Z') // a Wednesday

const cases: [DateRange, string | null, string][] = [
  ['cumulative', null, '2026-03-04T09:30:00.000Z'],
  ['today_so_far', '2026-03-04T00:00:00.000Z', '2026-03-04T09:30:00.000Z'],
  ['previous_day', '2026-03-03T00:00:00.000Z', '2026-03-04T00:00:00.000Z'],
  ['previous_week', '2026-02-23T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
  ['previous_month', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
]

for (const [range, from, to] of cases) {
  test(`a report of the range ${range} covers ${from ?? 'everything'} until ${to}`, () => {
    const found = rangeOf(range, at)
    assert.equal(found.from?.toISOString() ?? null, from)
    assert.equal(found.to.toISOString(), to)
  })
}

test('the month before January is December of the year before', () => {
  assert.equal(
    rangeOf('previous_month', new Date('2026-01-10T00:00:00Z')).from?.toISOString(),
    '2025-12-01T00:00:00.000Z',
  )
})
