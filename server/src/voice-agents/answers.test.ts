import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PostCallField } from '../providers/call-brief.ts'
import { answerTo, choiceIn, fitting, numberIn } from './answers.ts'

const NUMBERS: [string, number | null][] = [
  ['Two.', 2],
  ['About forty-two', 42],
  ['twenty three, I think', 23],
  ['12.', 12],
  ['$1,250.50', 1250.5],
  ['around 3k', 3000],
  ['one hundred and fifty', 150],
  ['a hundred', 100],
  ['two thousand three hundred', 2300],
  ['five hundred thousand dollars', 500_000],
  ['None.', 0],
  ['Just one.', 1],
  ["I'm 45 years old.", 45],
  ['3.5 hours', 3.5],
  ['It was 30%', 30],
  ['-4', -4],
  ['Two or three.', null],
  ['Between 5 and 10.', null],
  ['A couple.', null],
  ['That one was the worst.', null],
  ['I have no idea.', null],
  ['Yes.', null],
  ['No one told me.', null],
]
for (const [reply, number] of NUMBERS)
  test(`the number in "${reply}" is ${number}`, () => assert.equal(numberIn(reply), number))

const METHODS = ['phone', 'email', 'text message']
const LIKELY = ['Likely', 'Very likely', 'Unlikely']
const CHOICES: [string[], string, string | null][] = [
  [METHODS, "I'd say email.", 'email'],
  [METHODS, 'Text message, probably.', 'text message'],
  [METHODS, 'Not by phone, email please.', 'email'],
  [METHODS, 'Either phone or email.', null],
  [METHODS, 'The second one.', 'email'],
  [METHODS, 'the last one', 'text message'],
  [METHODS, 'A letter.', null],
  [LIKELY, 'Very likely.', 'Very likely'],
  [LIKELY, "That's unlikely", 'Unlikely'],
  [['Yes', 'No', 'Unsure'], 'Yeah.', 'Yes'],
  [['Yes', 'No', 'Unsure'], 'Not really.', 'No'],
  [['Car', 'Truck'], 'Yes.', null],
]
for (const [choices, reply, choice] of CHOICES)
  test(`"${reply}" chooses ${choice ?? 'none'} of ${choices.join(', ')}`, () =>
    assert.equal(choiceIn(choices, reply), choice))

test('a text is the reply without its stammer, and never a question back or a refusal', () => {
  const field: PostCallField = { name: 'x', type: 'text' }
  assert.equal(answerTo(field, 'Well, um, it was in March.'), 'It was in March.')
  for (const reply of ['What?', "I don't know.", "I'd rather not say.", '...', 'Sorry, what do you mean?'])
    assert.equal(answerTo(field, reply), null, reply)
})

const choices = fc.uniqueArray(fc.stringMatching(/^[A-Za-z]{1,8}( [a-z]{1,6})?$/), {
  minLength: 1,
  maxLength: 6,
  selector: (choice) => choice.toLowerCase(),
})
const field = fc.oneof(
  fc.record({ name: fc.constant('f'), type: fc.constantFrom('text', 'boolean', 'number') }),
  fc.record({ name: fc.constant('f'), type: fc.constant('selector'), choices }),
) as fc.Arbitrary<PostCallField>
const word = fc.constantFrom(
  'yes',
  'no',
  'maybe',
  'two',
  'twenty',
  'hundred',
  'and',
  '3',
  '1,000',
  'the first one',
  'not',
  'email',
  'ok',
  '?',
  '…',
  'one',
  'thousand',
  'million',
  '$5k',
)
const reply = fc.oneof(
  fc.string(),
  fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
  fc.string({ unit: 'grapheme' }),
)

function assertFits({ type, choices }: PostCallField, value: unknown) {
  if (value === null) return
  if (type === 'selector') assert.ok(choices!.includes(value as string))
  else if (type === 'number') assert.ok(Number.isFinite(value))
  else if (type === 'boolean') assert.equal(typeof value, 'boolean')
  else assert.ok(typeof value === 'string' && value.trim() !== '')
}

test('whatever is said, an answer fits its definition or is null', () => {
  fc.assert(fc.property(field, reply, (definition, said) => assertFits(definition, answerTo(definition, said))))
})

test('a choice said in a sentence is found, whatever the other choices', () => {
  fc.assert(
    fc.property(choices, fc.nat(), (all, n) => {
      const wanted = all[n % all.length]!
      assert.equal(choiceIn(all, `${wanted}, please`), wanted)
    }),
    { numRuns: 500 },
  )
})

test('whatever a model or a vendor extracts, what is kept fits the definition or is null', () => {
  fc.assert(
    fc.property(field, fc.anything(), (definition, value) => assertFits(definition, fitting(definition, value))),
  )
  assert.equal(fitting({ name: 'x', type: 'selector', choices: ['Phone'] }, ' phone'), 'Phone')
  assert.equal(fitting({ name: 'x', type: 'boolean' }, 'true'), true)
  assert.equal(fitting({ name: 'x', type: 'number' }, '42'), 42)
  assert.equal(fitting({ name: 'x', type: 'number' }, Number.NaN), null)
})
