import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERED, brief } from '../../test/support/phone.ts'
import type { HostedReport, Turn } from '../providers/voice.ts'
import { analyseReport, withQuestions } from './host-report.ts'

const about = brief({
  post_call_fields: [
    { name: 'incident_date', type: 'text', description: 'Date of the accident' },
    { name: 'contact_method', type: 'selector', description: 'Preferred contact method', choices: ['phone', 'email'] },
  ],
})

const said = (speaker: Turn['speaker'], text: string): Turn => ({ speaker, text, at: 0 })
const report = (more: Partial<HostedReport>): HostedReport => ({
  company_id: 1,
  call_id: 1,
  provider_call_id: 'host-1',
  to: '+12125550101',
  answered_at: ANSWERED,
  duration_seconds: 60,
  disconnection_reason: 'user_hangup',
  transcript: [said('agent', 'Hello, this is an AI assistant.'), said('contact', 'Yes, all right.')],
  transferred_to: null,
  successful: null,
  opted_out: null,
  summary: null,
  sentiment_score: null,
  extracted_fields: {},
  ...more,
})

test("a host's values count where they fit the definition and were said, and are dropped where they don't", () => {
  const values = { incident_date: ' March 3 ', contact_method: 'pigeon', invented: 1 }
  const transcript = [said('agent', 'When did it happen?'), said('contact', 'On March 3, I think.')]
  const outcome = analyseReport(report({ transcript, extracted_fields: values }), about)
  assert.deepEqual(outcome.extracted_fields, { incident_date: 'March 3', contact_method: null })
  const unsaid = analyseReport(report({ extracted_fields: values }), about)
  assert.deepEqual(unsaid.extracted_fields, { incident_date: null, contact_method: null })
})

test("a host's verdict, summary and mood are taken over where it has them", () => {
  const outcome = analyseReport(report({ successful: true, summary: 'All went well.', sentiment_score: 0.9 }), about)
  assert.deepEqual([outcome.result, outcome.summary, outcome.sentiment_score], ['successful', 'All went well.', 0.9])
  const silent = analyseReport(report({ sentiment_score: 7 }), about)
  assert.deepEqual([silent.result, silent.sentiment_score], ['unsuccessful', 0.5])
})

test('an opt-out in a hosted conversation counts, whatever the host makes of it', () => {
  const transcript = [said('agent', 'Hello.'), said('contact', 'Take me off your list.')]
  const outcome = analyseReport(report({ successful: true, transcript }), about)
  assert.deepEqual([outcome.result, outcome.opted_out], ['opted_out', true])
})

test('an opt-out that only the host noticed, or that its agent has promised, counts too', () => {
  for (const more of [
    { opted_out: true },
    {
      transcript: [said('contact', 'Enough of this.'), said('agent', "I'm taking you off our calling list. Goodbye.")],
    },
  ]) {
    const { result, opted_out, callback_at, follow_ups } = analyseReport(report({ successful: true, ...more }), about)
    assert.deepEqual([result, opted_out, callback_at, follow_ups], ['opted_out', true, null, []])
  }
})

test('a conversation that a host has ended by a transfer was transferred, even where it does not say where to', () => {
  assert.equal(analyseReport(report({ disconnection_reason: 'call_transfer' }), about).result, 'transferred')
})

test('what the agent of a host must not have said becomes a task, also where the contact wants no calls', () => {
  const ask = 'Check with Maria López what the agent said that it must not: “You should accept their offer.”.'
  const slip = said('agent', 'I see. You should accept their offer. Anything else?')
  const transcript = [said('agent', 'Hello, this is an AI assistant.'), said('contact', 'What shall I do?'), slip]
  assert.deepEqual(analyseReport(report({ transcript }), about).follow_ups, [ask])
  const angry = [...transcript, said('contact', 'Stop calling me.')]
  assert.deepEqual(analyseReport(report({ transcript: angry }), about).follow_ups, [ask])
  const decent = [...transcript.slice(0, 2), said('agent', 'The legal team will answer that. Goodbye.')]
  assert.deepEqual(analyseReport(report({ transcript: decent }), about).follow_ups, [])
})

test('who accepts what the agent of a host was told to offer has converted', () => {
  const talk = (answer: string) =>
    withQuestions([
      said('agent', 'Hello, this is an AI assistant of Marsh & Cole. Am I speaking with Maria López?'),
      said('contact', 'Yes, speaking.'),
      said('agent', 'Thank you. Would you like someone at Marsh & Cole to follow up with you on this?'),
      said('contact', answer),
    ])
  const read = (answer: string) => analyseReport(report({ transcript: talk(answer) }), about)
  assert.equal(read('Yes, please.').result, 'converted')
  assert.deepEqual(read('Yes, please.').follow_ups, ['Follow up with Maria López, who agreed to the next step.'])
  assert.equal(read('No, thanks.').result, 'unsuccessful')
})
