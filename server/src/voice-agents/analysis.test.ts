import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANSWERED, brief, lineWith } from '../../test/support/phone.ts'
import { analyse } from './analysis.ts'
import { converse } from './conversation.ts'

const about = brief({
  post_call_fields: [
    { name: 'incident_date', type: 'text', description: 'Date of the accident' },
    { name: 'contact_method', type: 'selector', description: 'Preferred contact method', choices: ['phone', 'email'] },
  ],
})

test('a stored transcript can be read again with the same outcome', async () => {
  for (const contact of [
    ['Yes.', 'Sure.', 'In March.', 'Email.', 'Yes, please.'],
    ['Yes.', 'Call me tomorrow at three.'],
    ['Yes.', 'No.', 'No.'],
    ['Wrong number.'],
    ['Yes.', 'Stop calling me.'],
    ['Yes.', 'I want to talk to a real person.', 'Tomorrow.'],
  ]) {
    const outcome = await converse(lineWith(contact), about)
    const { transcript, duration_seconds, disconnection_reason, transferred_to } = JSON.parse(JSON.stringify(outcome))
    assert.deepEqual(
      analyse({ answered_at: ANSWERED, transcript, duration_seconds, disconnection_reason, transferred_to }, about),
      outcome,
    )
  }
})

test('not now and not later is no callback', async () => {
  const { result, callback_at } = await converse(lineWith(['Yes.', 'No.', 'No, never mind.']), about)
  assert.deepEqual([result, callback_at], ['unsuccessful', null])
})

test('the mood of the contact lies between 0 and 1, friendly words above and hostile ones below the middle', async () => {
  const mood = async (...contact: string[]) => (await converse(lineWith(contact), about)).sentiment_score!
  assert.ok((await mood('Yes.', 'Sure, thank you so much, you are very helpful.')) > 0.5)
  assert.ok((await mood('Yes.', 'This is ridiculous, stop calling me!')) < 0.3)
  assert.equal(await mood('Yes.', 'My back hurts.'), 0.5)
})
