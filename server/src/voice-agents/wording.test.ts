import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brief } from '../../test/support/phone.ts'
import type { PostCallField } from '../providers/call-brief.ts'
import { disclosesAi, questionOf, reasonOf } from './wording.ts'

const REASONS: [string, string][] = [
  [
    'Ask the client whether they still want to pursue their claim.',
    'ask you whether you still want to pursue your claim',
  ],
  ["Confirm the client's current address.", 'confirm your current address'],
  [
    'You are a friendly assistant. Find out if the client has received the documents. Be polite.',
    'find out if you have received the documents',
  ],
  [
    'Your task is to remind the client of the court date on March 3 and confirm their attendance.',
    'remind you of the court date on March 3 and confirm your attendance',
  ],
  [
    'Please follow up with the caller about missing medical records.',
    'follow up with you about missing medical records',
  ],
  ['Call the client to schedule a meeting with the attorney.', 'schedule a meeting with the attorney'],
  ['Ask if Maria is still being treated.', 'ask if you are still being treated'],
  ['Tell the contact that Dr. Lee needs the forms.', 'tell you that Dr. Lee needs the forms'],
  ['Collect the name of his or her employer.', 'collect the name of your employer'],
  ['Qualify the lead. Disqualify anyone who has an attorney.', 'talk with you about your personal injury case with us'],
  ['Be kind.', 'talk with you about your personal injury case with us'],
  ['Did they get the letter?', 'talk with you about your personal injury case with us'],
]
for (const [task, reason] of REASONS)
  test(`the task "${task}" is said as "${reason}"`, () => assert.equal(reasonOf(brief({ task })), reason))

test('a long task is cut where a speaker would draw breath', () => {
  const task = `Ask the client about ${Array.from({ length: 60 }, (_, n) => `thing${n}`).join(', ')}.`
  assert.ok(reasonOf(brief({ task })).split(' ').length <= 32)
  assert.doesNotMatch(reasonOf(brief({ task })), /,$/)
})

test('a task is a template', () => {
  const render = (template: string) => template.replace('{{court_date}}', '2026-04-01')
  assert.equal(
    reasonOf({ ...brief({ task: 'Remind the client of {{court_date}}.' }), render }),
    'remind you of 2026-04-01',
  )
})

const QUESTIONS: [PostCallField, string][] = [
  [
    { name: 'incident_date', type: 'text', description: 'Date of the accident' },
    'Could you tell me the date of the accident?',
  ],
  [{ name: 'incident_date', type: 'text', description: 'When did it happen?' }, 'When did it happen?'],
  [
    { name: 'incident_date', type: 'text', description: 'Date of the accident (YYYY-MM-DD). Leave empty if unknown.' },
    'Could you tell me the date of the accident?',
  ],
  [
    { name: 'pain', type: 'boolean', description: 'Whether the client still has pain' },
    'Could you tell me whether you still have pain?',
  ],
  [
    { name: 'pain', type: 'boolean', description: 'True if the caller wants a callback' },
    'Could you tell me whether you want a callback?',
  ],
  [{ name: 'has_attorney', type: 'boolean' }, 'Do you have an attorney?'],
  [{ name: 'is_employed', type: 'boolean', description: null }, 'Are you employed?'],
  [{ name: 'x', type: 'boolean', description: 'Does the client have insurance' }, 'Do you have insurance?'],
  [{ name: 'x', type: 'boolean', description: 'Interested in a settlement' }, 'Are you interested in a settlement?'],
  [
    { name: 'x', type: 'number', description: 'Number of people injured' },
    'Could you tell me the number of people injured?',
  ],
  [{ name: 'x', type: 'number', description: 'How many vehicles were involved' }, 'How many vehicles were involved?'],
  [
    {
      name: 'contact_method',
      type: 'selector',
      description: 'Preferred contact method',
      choices: ['phone', 'email', 'text'],
    },
    'Could you tell me your preferred contact method: phone, email or text?',
  ],
  [{ name: 'employerName', type: 'text' }, 'Could you tell me your employer name?'],
  [
    { name: 'x', type: 'text', description: "Record the client's current employer" },
    'Could you tell me your current employer?',
  ],
  [
    { name: 'x', type: 'text', description: 'Ask which doctor is treating the client' },
    'Could you tell me which doctor is treating you?',
  ],
  [
    { name: 'x', type: 'text', description: 'How the client prefers to hear from us' },
    'Could you tell me how you prefer to hear from us?',
  ],
  [{ name: 'x', type: 'text', description: 'How do you feel' }, 'How do you feel?'],
]
for (const [field, question] of QUESTIONS)
  test(`a field "${field.description ?? field.name}" is asked as "${question}"`, () =>
    assert.equal(questionOf(field, brief()), question))

test('more choices than a listener can keep in mind are not read out', () => {
  const choices = Array.from({ length: 12 }, (_, n) => `choice ${n}`)
  assert.equal(
    questionOf({ name: 'x', type: 'selector', description: 'Kind of injury', choices }, brief()),
    'Could you tell me the kind of injury?',
  )
})

test('the first sentence discloses an AI only where it names the firm too', () => {
  const firm = 'Marsh & Cole, P.C.'
  assert.equal(disclosesAi(`Hello, this is Ava, the AI assistant of ${firm}. How are you?`, firm), true)
  assert.equal(disclosesAi(`Hi, I am an AI. I am calling from ${firm}.`, firm), false)
  assert.equal(disclosesAi(`Hello, this is Ava from ${firm}.`, firm), false)
  assert.equal(disclosesAi(`This is Aimee of ${firm}, said Ai.`, firm), false)
})
