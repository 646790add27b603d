import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brief, lineWith } from '../../test/support/phone.ts'
import type { CallBrief } from '../providers/call-brief.ts'
import { converse } from './conversation.ts'
import { refusesRecording } from './hearing.ts'
import { scriptOf } from './host-script.ts'

const about = (law: Partial<CallBrief['law']> = {}, agent: Partial<CallBrief['agent']> = {}): CallBrief => ({
  ...brief(agent),
  recorded: true,
  law: { says_why: false, all_agree_to_recording: false, ...law },
})
const ALL_PARTY = about({ all_agree_to_recording: true })

async function call(contact: string[], { of = ALL_PARTY, stops = true } = {}) {
  const line = lineWith(contact, { stops })
  const outcome = await converse(line, of)
  return { outcome, said: line.heard, state: line.state }
}

for (const [text, refuses] of [
  ["I don't want to be recorded.", true],
  ['I do not consent to being recorded', true],
  ["Please don't record me.", true],
  ["I don't agree to the recording.", true],
  ['Stop recording!', true],
  ['Can you turn the recording off?', true],
  ["Yes, but I'd rather not be recorded.", true],
  ["I'd rather it weren't.", true],
  ['No recording, please.', true],
  ["I'd rather you didn't record this.", true],
  ['Yes, this is Maria.', false],
  ["I don't have a record of that.", false],
  ['My medical records are with the clinic.', false],
  ["The police didn't record the accident in their report.", false],
  ['Is this a recording?', false],
  ['I recorded the license plate.', false],
] as [string, boolean][])
  test(`"${text}" ${refuses ? 'refuses' : 'says nothing against'} a recording`, () => {
    assert.equal(refusesRecording(text), refuses)
  })

test('the recording begins once a person has heard of it and said nothing against it', async () => {
  const { said, state, outcome } = await call(['Yes, this is Maria.'])
  assert.match(
    said[0]!,
    /AI assistant calling from Marsh & Cole\. This call is recorded\. If you would rather it were not/,
  )
  assert.equal(state.recorded, 'on')
  assert.deepEqual(outcome.evidence.recording, { agreed: true, turns: [] })
})

test('who refuses at once is never recorded, and the question is asked again', async () => {
  const { said, state, outcome } = await call(["Hello? I don't want to be recorded.", 'Yes, this is Maria.', 'Yes.'])
  assert.equal(said[1], 'All right, this call is not being recorded. Am I speaking with Maria López?')
  assert.match(said[2]!, /Maria/)
  assert.equal(state.recorded, 'never')
  assert.deepEqual(outcome.evidence.recording, { agreed: false, turns: [1] })
})

test('who refuses later is recorded no further', async () => {
  const { state, said } = await call(['Yes, this is Maria.', 'Stop recording, please.', 'Yes.'])
  assert.equal(state.recorded, 'stopped')
  assert.match(said.join(' '), /not being recorded/)
})

test('where all must agree and the recording cannot be stopped, the call ends, and a colleague is asked to see to it', async () => {
  const refusal = ['Yes, this is Maria.', "I don't consent to being recorded."]
  const { said, state, outcome } = await call(refusal, { stops: false })
  assert.ok(state.ended)
  assert.match(said.at(-1)!, /end the call here, and a colleague at Marsh & Cole will be in touch\. Goodbye\.$/)
  assert.ok(outcome.follow_ups.length > 0, 'a task for a person')
  const elsewhere = await call(refusal, { of: about(), stops: false })
  assert.ok(!elsewhere.state.ended)
  assert.match(elsewhere.said.at(-1)!, /can't switch the recording off/)
})

test('an opt-out that mentions the recording is an opt-out', async () => {
  const { outcome } = await call(["Don't record me and don't ever call me again."])
  assert.equal(outcome.result, 'opted_out')
})

test('a machine is not recorded', async () => {
  const { state } = await call(['Please leave a message after the tone.'])
  assert.equal(state.recorded, 'never')
})

test('where the law asks for it, the opening says within 30 seconds who calls, for whom and why, and nothing of the matter', async () => {
  const WORDS_PER_SECOND = 165 / 60
  for (const [greeting, says] of [
    ['Hello {{first_name}}, this is Ava from Marsh & Cole.', true],
    ['Hello, this is Ava, the AI assistant of Marsh & Cole, calling about your case.', false],
  ] as const) {
    const { said } = await call([], { of: about({ says_why: true, all_agree_to_recording: true }, { greeting }) })
    const opening = said[0]!
    assert.equal(opening.includes('I am calling about a matter with the firm.'), says)
    assert.match(opening, /Marsh & Cole/)
    assert.match(opening, /\bAI\b/)
    assert.match(opening, /Am I speaking with Maria López\?$/)
    assert.ok(opening.split(' ').length / WORDS_PER_SECOND < 30, opening)
  }
})

test('no greeting, however written, takes the place of the disclosure', async () => {
  for (const greeting of [
    'Hi, this is Tom.',
    'I am a real person from Marsh & Cole.',
    'Hello. Marsh & Cole. AI. How are you?',
    '{{first_name}}?',
    'Is this Maria? This is no AI from Marsh & Cole.',
    'This is no AI but Tom from Marsh & Cole.',
    "I'm a real person from Marsh & Cole, helped by AI.",
    'x'.repeat(500),
  ]) {
    const { said } = await call([], { of: about({}, { greeting }) })
    assert.match(
      said[0]!.slice(0, 80),
      /^(?:Hello, this|This) is an AI assistant calling from Marsh & Cole\. This call is recorded\./,
    )
    assert.doesNotMatch(said[0]!, /no AI|real person/)
    const unrecorded = await call([], { of: brief({ greeting }) })
    assert.match(unrecorded.said[0]!, /^(?:Hello, this|This) is an AI assistant calling from Marsh & Cole\./)
  }
})

test('an agent at a host is told what to do when somebody does not want to be recorded', () => {
  assert.match(scriptOf(ALL_PARTY, new Date()).instructions, /does not want to be recorded/)
  assert.doesNotMatch(scriptOf(brief(), new Date()).instructions, /recorded/)
})
