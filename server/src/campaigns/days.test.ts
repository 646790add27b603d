import assert from 'node:assert/strict'
import { test } from 'node:test'
import { earliestToday, isDate, isOver, liesAhead, weekday } from './days.ts'

const run = (start_date: string, end_date: string | null) => ({ start_date, end_date })

test('a campaign lies ahead until its first run begins in the first zone', () => {
  const runs = [run('2026-03-09', null), run('2026-03-02', '2026-03-06')]
  // Midnight in Guam is 14:00 UTC of the day before.
  assert.equal(liesAhead(runs, new Date('2026-03-01T13:59:59Z')), true)
  assert.equal(liesAhead(runs, new Date('2026-03-01T14:00:00Z')), false)
})

test('a campaign is over when its last run has ended in the last zone, and never without an end', () => {
  const runs = [run('2026-03-02', '2026-03-06'), run('2026-02-02', '2026-02-06')]
  // Midnight in Pago Pago is 11:00 UTC.
  assert.equal(isOver(runs, new Date('2026-03-07T10:59:59Z')), false)
  assert.equal(isOver(runs, new Date('2026-03-07T11:00:00Z')), true)
  assert.equal(isOver([...runs, run('2026-01-01', null)], new Date('2030-01-01T00:00:00Z')), false)
})

test("an open-ended run begins on no contact's tomorrow", () => {
  assert.equal(earliestToday(new Date('2026-03-02T10:59:00Z')), '2026-03-01')
  assert.equal(earliestToday(new Date('2026-03-02T11:00:00Z')), '2026-03-02')
})

test('weekdays are full English names in any case, dates are real', () => {
  assert.equal(weekday(' Sunday'), 'sunday')
  assert.equal(weekday('FRIDAY'), 'friday')
  for (const name of ['Fri', 'vendredi', '', '5']) assert.equal(weekday(name), undefined)
  assert.equal(isDate('2028-02-29'), true)
  for (const text of ['2026-02-29', '2026-3-1', 'Monday']) assert.equal(isDate(text), false)
})
