import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenAnswer, RESPONSE_TYPES, type ResponseType } from './answer.ts'

const CHOICES = ['Left', 'Right']

/** Per type: answers that fit and answers that don't. */
const CASES: Record<ResponseType, [good: unknown[], bad: unknown[]]> = {
  short_text: [['x'], ['', 5, 'x'.repeat(256)]],
  long_text: [['x'.repeat(1000)], ['', true]],
  number: [
    [0, -1.5],
    ['5', true],
  ],
  currency: [[12.5], ['$12']],
  percentage: [
    [0, 100],
    [-1, 101, '5'],
  ],
  date: [['2028-02-29'], ['2027-02-29', '03/02/2026', 20260302]],
  date_time: [['2026-03-02T14:30:00Z'], ['2026-03-02', 'noon']],
  time: [
    ['00:00', '23:59'],
    ['24:00', '9:30'],
  ],
  yes_no: [
    [true, false],
    ['yes', 1],
  ],
  dropdown: [['Left'], ['left', 'Up', ['Left']]],
  multi_select: [
    [['Left'], ['Right', 'Left']],
    [[], ['Left', 'Left'], ['Up'], 'Left'],
  ],
  file: [['01ARZ3NDEKTSV4RRFFQ69G5FAV'], ['short']],
  signature: [['María Okafor'], ['']],
  email: [['a@example.com'], ['a at example']],
  phone: [['+1 212-555-0123'], ['', 5]],
  address: [['1 Main St'], ['']],
}

for (const type of RESPONSE_TYPES) {
  test(`an answer to a ${type} task must look like one`, () => {
    const [good, bad] = CASES[type]
    for (const answer of good) assert.equal(brokenAnswer(type, CHOICES, answer), undefined, JSON.stringify(answer))
    for (const answer of bad) assert.ok(brokenAnswer(type, CHOICES, answer), JSON.stringify(answer))
  })
}

test('a wrong choice is answered with the choices', () => {
  assert.match(brokenAnswer('dropdown', CHOICES, 'Up')!, /no such choice: Up; the choices are Left, Right/)
})
