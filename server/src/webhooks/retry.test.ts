import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAttempt, readRetryAfter } from './retry.ts'

const now = new Date('2026-03-02T14:00:00Z')
const after = (attempts: number, random: number, hold: Date | null = null) => {
  const at = nextAttempt(attempts, now, hold, random)
  return at && Math.round((at.getTime() - now.getTime()) / 1000)
}

test('ten attempts: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, a tenth more or less', () => {
  const delays = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
  for (const [index, delay] of delays.entries()) {
    assert.equal(after(index + 1, 0.5), delay)
    assert.equal(after(index + 1, 0), Math.round(delay * 0.9))
    assert.equal(after(index + 1, 1), Math.round(delay * 1.1))
  }
  assert.equal(after(10, 0.5), undefined)
})

test('Retry-After puts the next attempt off, and never brings it forward', () => {
  assert.equal(after(1, 0.5, readRetryAfter('120', now)), 120)
  assert.equal(after(2, 0.5, readRetryAfter('120', now)), 300)
  assert.equal(after(1, 0.5, readRetryAfter('Mon, 02 Mar 2026 14:10:00 GMT', now)), 600)
  assert.equal(after(1, 0.5, readRetryAfter('999999999', now)), 86_400)
  for (const header of [undefined, '', '0', '-5', 'soon', '1e9', 'Mon, 02 Mar 2026 13:00:00 GMT'])
    assert.equal(readRetryAfter(header, now), null, String(header))
})
