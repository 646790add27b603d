import assert from 'node:assert/strict'
import { test } from 'node:test'
import { segmentsOf } from './segments.ts'
import { wishOf } from './words.ts'

const KEYWORDS =
  'STOP|StopAll|stop all|UNSUBSCRIBE|Cancel|END|quit|REVOKE|OPTOUT|opt out|Opt-Out|remove|ARRET|arrêt|"STOP"|Stop!|stop please'
const REFUSALS = [
  "please don't text me again",
  'Please do not text this number',
  'dont message me anymore',
  'no more texts please',
  'stop sending me these messages',
  'Take me off your list',
  'I want to opt out',
  'leave me alone',
  'Wrong number',
  'I do not want to get any more text messages',
  'No me manden más mensajes',
  'unsubscribe me please',
  'Stop\n\nSent from my iPhone',
]
const ORDINARY = [
  'Do I need to stop my physical therapy?',
  "Don't text me before noon",
  'When does this end?',
  'I want to cancel my appointment on Friday',
  "Please don't send the documents to my old address",
  'I opted out of the class action last year',
  'yes I can come at nine',
  'Can you help me with the form?',
  'The pain will not stop',
  'I quit my job after the accident',
  '',
]

test('the words of the carriers ask for a stop when they are the whole message', () => {
  for (const word of KEYWORDS.split('|'))
    assert.deepEqual(wishOf(word), { asks: 'stop', keyword: true, also_calls: false }, word)
})

for (const text of REFUSALS)
  test(`"${text}" asks for a stop`, () => {
    assert.equal(wishOf(text)?.asks, 'stop')
  })

for (const text of ORDINARY)
  test(`"${text}" asks for nothing`, () => {
    assert.equal(wishOf(text), null)
  })

test('START, UNSTOP and YES take a stop back; HELP and INFO ask for help', () => {
  for (const word of ['START', 'unstop', 'Yes.']) assert.deepEqual(wishOf(word), { asks: 'start' })
  for (const word of ['HELP', 'info', 'Help!']) assert.deepEqual(wishOf(word), { asks: 'help' })
})

test('a text is cut into parts of 160 signs, of 153 from the second on, and of 70 and 67 beyond the basic alphabet', () => {
  for (const [text, parts] of [
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    // 152 and half a sign: the sign goes into the next part.
    [`${'€'.repeat(76)}a${'€'.repeat(76)}`, 2],
    ['€'.repeat(153), 3],
    ['😀'.repeat(35), 1],
    ['😀'.repeat(66), 2],
    ['😀'.repeat(67), 3],
    ['ł'.repeat(70), 1],
    ['ł'.repeat(71), 2],
    ['', 1],
  ] as const)
    assert.equal(segmentsOf(text), parts, `${text.length} × ${text[0]}`)
})
