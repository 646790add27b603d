import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { ANSWERED, brief } from '../../test/support/phone.ts'
import { type Reply, startModel, VENDORS } from '../../test/support/stub-model.ts'
import type { PostCallField } from '../providers/call-brief.ts'
import type { Turn } from '../providers/voice.ts'
import { analyse } from './analysis.ts'
import type { Held } from './facts.ts'
import { mindOf } from './mind.ts'
import { analyseByModel } from './model-analysis.ts'

const FIELDS: PostCallField[] = [
  { name: 'incident_date', type: 'text', description: 'When it happened' },
  { name: 'people_hurt', type: 'number' },
  { name: 'method', type: 'selector', description: 'Preferred way of contact', choices: ['phone', 'email'] },
  { name: 'in_pain', type: 'boolean', description: 'Whether they are still in pain' },
]
const about = brief({ post_call_fields: FIELDS })
const NONE = { incident_date: null, people_hurt: null, method: null, in_pain: null }

const TURNS: [Turn['speaker'], string][] = [
  ['agent', 'This is an AI assistant calling from Marsh & Cole. Am I speaking with Maria López?'], // 0
  ['contact', 'Yes, speaking.'], // 1
  ['agent', 'When did the accident happen?'], // 2
  ['contact', 'In March of last year, and two of us were hurt.'], // 3
  ['agent', 'Are you still in pain?'], // 4
  ['contact', 'No, not any more.'], // 5
  ['agent', 'How do you prefer to be contacted?'], // 6
  ['contact', 'Write to me. I paid eighty dollars for the doctor.'], // 7
  ['agent', 'Shall somebody follow up with you?'], // 8
  ['contact', 'No, thank you.'], // 9
  ['agent', 'Thank you. Goodbye.'], // 10
]
const held: Held = {
  answered_at: ANSWERED,
  duration_seconds: 90,
  disconnection_reason: 'agent_hangup',
  transcript: TURNS.map(([speaker, text], index) => ({
    speaker,
    text,
    at: index * 8,
    ...(index === 0 ? { asks: 'identity' } : {}),
  })),
  transferred_to: null,
}

for (const vendor of VENDORS)
  describe(vendor, () => {
    /** What becomes of the conversation when the model answers so. */
    async function read(answer: object | string | Reply) {
      const reply: Reply =
        typeof answer === 'object' && ('status' in answer || 'hangs' in answer || 'says' in answer)
          ? (answer as Reply)
          : { says: typeof answer === 'string' ? answer : JSON.stringify(answer) }
      const stub = await startModel(() => reply, vendor)
      try {
        return await mindOf(stub.model, { warn: () => {} }).analyse(held, about)
      } finally {
        stub.close()
      }
    }

    const fieldsOf = async (fields: object) => (await read({ fields })).extracted_fields

    test('what the contact said counts, with the turns it is said in', async () => {
      const outcome = await read({
        summary: 'It happened in March of last year; two were hurt.',
        summary_turns: [3, 5],
        result: 'unsuccessful',
        result_turns: [9],
        sentiment: 0.456,
        sentiment_turns: [9, 8],
        fields: {
          incident_date: { value: 'March of last year', turns: [3] },
          people_hurt: { value: 2, turns: [3] },
          method: { value: 'email', turns: [7] },
          in_pain: { value: false, turns: [5] },
        },
      })
      assert.deepEqual(outcome.extracted_fields, {
        incident_date: 'March of last year',
        people_hurt: 2,
        method: 'email',
        in_pain: false,
      })
      assert.deepEqual([outcome.result, outcome.sentiment_score], ['unsuccessful', 0.46])
      assert.equal(outcome.summary, 'It happened in March of last year; two were hurt.')
      assert.deepEqual(outcome.evidence, {
        summary: [3, 5],
        result: [9],
        sentiment: [9],
        fields: { incident_date: [3], people_hurt: [3], method: [7], in_pain: [5] },
      })
    })

    for (const [what, fields] of [
      ['a date with a year that nobody named', { incident_date: { value: 'March 2021', turns: [3] } }],
      ['a value of which nothing was said', { incident_date: { value: 'June 5', turns: [3] } }],
      ['a part of a word', { incident_date: { value: 'art', turns: [3] } }],
      ['a number that was not said', { people_hurt: { value: 5, turns: [3] } }],
      ['a part of a number', { people_hurt: { value: 0, turns: [7] } }],
      ['a choice outside of the list', { method: { value: 'fax', turns: [7] } }],
      ['a choice where something else was spoken of', { method: { value: 'email', turns: [1] } }],
      ['a yes where they said no', { in_pain: { value: true, turns: [5] } }],
      ['a yes that answers another question', { in_pain: { value: true, turns: [1] } }],
      ['a turn that does not exist', { in_pain: { value: false, turns: [99] } }],
      ['turns that are no numbers', { in_pain: { value: false, turns: ['5', null, 5.5, -1, {}] } }],
      ['no turns', { in_pain: { value: false } }],
      ['a turn of the agent', { in_pain: { value: false, turns: [4] } }],
      ['a wrong type', { people_hurt: { value: ['2'], turns: [3] }, in_pain: { value: 'perhaps', turns: [5] } }],
      ['a bare value', { people_hurt: 2, in_pain: false, method: 'email' }],
      ['fields of its own', { favourite_colour: { value: 'March', turns: [3] }, __proto__: { value: 1 } }],
      ['a list instead of fields', [{ name: 'in_pain', value: false, turns: [5] }]],
      ['nothing', null],
    ] as [string, object][])
      test(`a field is null where the model has ${what}`, async () => assert.deepEqual(await fieldsOf(fields), NONE))

    test('a result counts only from the list, with the contact’s own words, and nobody agrees by a no', async () => {
      const ours = analyse(held, about)
      for (const claim of [
        { result: 'rich', result_turns: [9] },
        { result: 'opted_out', result_turns: [9] },
        { result: 'voicemail', result_turns: [9] },
        { result: 'converted' },
        { result: 'converted', result_turns: [8] },
        { result: 'converted', result_turns: [9] },
        { result: 'converted', result_turns: [99] },
        { result: ['converted'], result_turns: [3] },
      ]) {
        const outcome = await read(claim)
        assert.deepEqual([outcome.result, outcome.end_reason], [ours.result, ours.end_reason], JSON.stringify(claim))
      }
    })

    test('what follows from a result is that of the one that counts', async () => {
      const outcome = await read({ result: 'callback_requested', result_turns: [7] })
      assert.deepEqual(
        [outcome.result, outcome.end_reason, outcome.callback_at, outcome.follow_ups.length],
        ['callback_requested', 'Contact asked to be called later', null, 1],
      )
      const converted = await read({ result: 'converted', result_turns: [7] })
      assert.deepEqual(converted.follow_ups, ['Follow up with Maria López, who agreed to the next step.'])
    })

    test('a summary without turns, or with sums that nobody named, is our own', async () => {
      const { summary } = analyse(held, about)
      for (const claim of [
        { summary: 'All went well.' },
        { summary: 'All went well.', summary_turns: [99] },
        { summary: 'They were offered $90,000.', summary_turns: [3] },
        { summary: '', summary_turns: [3] },
        { summary: { text: 'x' }, summary_turns: [3] },
      ])
        assert.equal((await read(claim)).summary, summary, JSON.stringify(claim))
      const told = { summary: 'They paid $80 for the doctor.', summary_turns: [7] }
      assert.equal((await read(told)).summary, told.summary)
    })

    test('a mood outside of 0 to 1, or without turns, is our own', async () => {
      const { sentiment_score, evidence } = analyse(held, about)
      for (const sentiment of [7, -1, 'good', null, [0.5]]) {
        const outcome = await read({ sentiment, sentiment_turns: [3] })
        assert.deepEqual([outcome.sentiment_score, outcome.evidence.sentiment], [sentiment_score, evidence.sentiment])
      }
      assert.equal((await read({ sentiment: 0.99 })).sentiment_score, sentiment_score)
    })

    test('thoughts, words and fences around the answer are passed over', async () => {
      const fields = { in_pain: { value: false, turns: [5] } }
      const outcome = await read(
        `<think>{"fields": 1} hm</think>Here you are:\n\`\`\`json\n${JSON.stringify({ fields })}\n\`\`\`\nIs there {more}?`.replace(
          '\nIs there {more}?',
          '',
        ),
      )
      assert.equal(outcome.extracted_fields.in_pain, false)
    })

    for (const [what, reply] of [
      ['fails', { status: 500 }],
      ['is overloaded', { status: 529 }],
      ['says no', { status: 400 }],
      ['answers no JSON', { says: 'I am sorry, but I can not do that.' }],
      ['answers broken JSON', { says: '{"summary": "x", "fie' }],
      ['answers a list', { says: '[1, 2]' }],
      ['answers nothing', { says: '' }],
    ] as [string, Reply][])
      test(`a model that ${what} leaves the reading to our own rules`, async () => {
        assert.deepEqual(await read(reply), analyse(held, about))
      })
  })

test('whatever a model answers, what is kept fits the definition and rests on turns of the contact', async () => {
  const value = fc.oneof(fc.anything(), fc.constantFrom(true, false, 2, 80, 'email', 'phone', 'March of last year'))
  const turns = fc.oneof(fc.array(fc.integer({ min: -2, max: 14 })), fc.anything())
  const answer = fc.record({
    summary: fc.anything(),
    summary_turns: turns,
    result: fc.oneof(fc.anything(), fc.constantFrom('converted', 'wrong_number', 'opted_out', 'failed')),
    result_turns: turns,
    sentiment: fc.oneof(fc.anything(), fc.double()),
    sentiment_turns: turns,
    fields: fc.oneof(
      fc.anything(),
      fc.dictionary(fc.constantFrom(...FIELDS.map(({ name }) => name), 'other'), fc.record({ value, turns })),
    ),
  })
  let said = ''
  const stub = await startModel(() => ({ says: said }))
  after(stub.close)
  await fc.assert(
    fc.asyncProperty(answer, async (answered) => {
      said = JSON.stringify(answered)
      const outcome = await analyseByModel(stub.model, held, about)
      assert.deepEqual(Object.keys(outcome.extracted_fields), Object.keys(NONE))
      for (const { name, type, choices } of FIELDS) {
        const kept = outcome.extracted_fields[name]
        const rests = outcome.evidence.fields[name]
        assert.equal(kept === null, rests === undefined)
        if (kept === null) continue
        assert.ok(rests!.length > 0 && rests!.every((turn) => TURNS[turn]![0] === 'contact'))
        if (type === 'selector') assert.ok(choices!.includes(kept as string))
        else assert.equal(typeof kept, type === 'text' ? 'string' : type)
      }
      assert.ok(!outcome.opted_out && outcome.sentiment_score! >= 0 && outcome.sentiment_score! <= 1)
    }),
    { numRuns: 150 },
  )
})
