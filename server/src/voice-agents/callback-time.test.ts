import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wallTime } from '../compliance/local-time.ts'
import { callbackTime, spokenTime } from './callback-time.ts'

const NEW_YORK = 'America/New_York'
/** Monday, 2 March 2026, 11:20 in New York. */
const now = new Date('2026-03-02T16:20:00Z')

const local = (at: Date) => new Date(wallTime(NEW_YORK, at.getTime())).toISOString().slice(5, 16).replace('T', ' ')

const TIMES: [string, string][] = [
  ['Call me tomorrow at 3.', '03-03 15:00'],
  ['Can you call me tomorrow at three?', '03-03 15:00'],
  ['tomorrow at 3:30 pm', '03-03 15:30'],
  ['Tomorrow at nine thirty', '03-03 09:30'],
  ['tomorrow evening at 8', '03-03 20:00'],
  ['Tomorrow morning.', '03-03 10:00'],
  ['tomorrow morning around ten', '03-03 10:00'],
  ['Tonight after six would work.', '03-02 18:00'],
  ['this evening', '03-02 18:00'],
  ['This afternoon', '03-02 14:00'],
  ['after work', '03-02 18:00'],
  ['at 5', '03-02 17:00'],
  ['At noon.', '03-02 12:00'],
  ['at 10', '03-03 10:00'],
  ['In two hours.', '03-02 13:20'],
  ['in about 30 minutes', '03-02 11:50'],
  ['in half an hour', '03-02 11:50'],
  ['give me 20 minutes', '03-02 11:40'],
  ['Wednesday at 10', '03-04 10:00'],
  ['on Tuesday', '03-03 11:20'],
  ['tomorrow', '03-03 11:20'],
  ["Tomorrow at 2 o'clock", '03-03 14:00'],
  ['tomorrow, 14:15', '03-03 14:15'],
]
for (const [text, wanted] of TIMES) {
  test(`"${text}" is ${wanted} on the contact's clock`, () => {
    const time = callbackTime(text, now, NEW_YORK)
    assert.equal(time.kind === 'at' ? local(time.at) : time.kind, wanted)
  })
}

const OTHERS: ['none' | 'too_far' | 'illegal', string][] = [
  ['none', 'Later.'],
  ['none', 'Can you call me back?'],
  ['none', 'Call me a bit later.'],
  ['none', "I don't know."],
  ['too_far', 'Next week.'],
  ['too_far', 'On Friday at 3.'],
  ['too_far', 'in three days'],
  ['too_far', 'next Tuesday'],
  ['illegal', 'Tomorrow at 11 pm.'],
  ['illegal', 'tomorrow at 6 am'],
  ['illegal', 'in 12 hours'],
  ['illegal', 'eleven at night'],
]
for (const [kind, text] of OTHERS)
  test(`"${text}" is ${kind}`, () => assert.equal(callbackTime(text, now, NEW_YORK).kind, kind))

test('the night in which the clocks change keeps the hour that was asked for', () => {
  const saturday = new Date('2026-03-07T17:00:00Z')
  const time = callbackTime('tomorrow at 3', saturday, NEW_YORK)
  assert.equal(time.kind === 'at' && time.at.toISOString(), '2026-03-08T19:00:00.000Z')
})

test('an agreed time lies ahead, within 48 hours, between 8 in the morning and 9 at night', () => {
  const words = fc.constantFrom(
    'tomorrow',
    'today',
    'at',
    'in',
    '3',
    'ten',
    'am',
    'pm',
    'monday',
    'friday',
    'evening',
    'noon',
    'hours',
    'two',
    '8:45',
    'minutes',
    'after',
    'tonight',
    'the',
  )
  const zones = fc.constantFrom(NEW_YORK, 'America/Phoenix', 'Pacific/Honolulu', 'America/St_Johns')
  fc.assert(
    fc.property(
      fc.array(words, { maxLength: 6 }),
      fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
      zones,
      (said, at, zone) => {
        const time = callbackTime(said.join(' '), at, zone)
        if (time.kind !== 'at') return
        assert.ok(time.at > at && time.at.getTime() - at.getTime() <= 48 * 3_600_000)
        const hour = new Date(wallTime(zone, time.at.getTime())).getUTCHours()
        assert.ok(hour >= 8 && hour < 21)
      },
    ),
    { numRuns: 2000 },
  )
})

test('a time is said back as people say it', () => {
  const say = (iso: string) => spokenTime(new Date(iso), now, NEW_YORK)
  assert.equal(say('2026-03-02T22:05:00Z'), 'today at 5:05 PM')
  assert.equal(say('2026-03-03T14:00:00Z'), 'tomorrow at 9 AM')
  assert.equal(say('2026-03-04T17:00:00Z'), 'on Wednesday at 12 PM')
})
