import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallResult } from '../../src/calls/results.ts'
import type { PostCallField } from '../../src/providers/call-brief.ts'
import { calleeOf } from '../../src/providers/sandbox/callee.ts'
import { openLine } from '../../src/providers/sandbox/line.ts'
import { PERSONAS, personaNamed } from '../../src/providers/sandbox/personas.ts'
import { converse } from '../../src/voice-agents/conversation.ts'
import { ANSWERED, brief } from '../support/phone.ts'

const FIELDS: PostCallField[] = [
  { name: 'incident_date', type: 'text', description: 'Date of the accident' },
  { name: 'still_in_pain', type: 'boolean', description: 'Whether the client still has pain' },
  { name: 'people_hurt', type: 'number', description: 'Number of people injured' },
  {
    name: 'contact_method',
    type: 'selector',
    description: 'Preferred contact method',
    choices: ['phone', 'email', 'text message'],
  },
]
const instantly = { speed: 1, now: () => new Date(ANSWERED.getTime() + 1e9), sleep: async () => {} }

async function talkTo(name: string, seed: string, about = brief({ post_call_fields: FIELDS })) {
  const line = openLine({
    ref: { company_id: 1, call_id: 1 },
    answeredAt: ANSWERED,
    maxSeconds: 1800,
    callee: calleeOf(personaNamed(name), seed),
    clock: instantly,
    onTransfer: async () => 60,
  })
  return converse(line, about)
}

const RESULTS: Record<string, CallResult[]> = {
  converted: ['converted'],
  interested: ['successful'],
  satisfied: ['successful', 'unsuccessful'], // unsuccessful where nothing else was asked
  not_interested: ['unsuccessful'],
  disqualified: ['disqualified'],
  asks_for_callback: ['callback_requested'],
  opts_out: ['opted_out'],
  asks_for_person: ['transferred'],
  wrong_number: ['wrong_number'],
  hangs_up: ['unsuccessful'],
  silent: ['unsuccessful'],
  hostile: ['opted_out'],
  suspicious: ['converted'],
  hurried: ['successful'],
  screened: ['converted'],
  voicemail: ['voicemail'],
}

for (const [name, results] of Object.entries(RESULTS)) {
  test(`${name} behaves as named, whatever the agent's questions and whoever the number belongs to`, async () => {
    const agents = [
      { post_call_fields: FIELDS },
      { post_call_fields: [] },
      { post_call_fields: FIELDS, greeting: 'Hello, this is Ava, the AI assistant of Marsh & Cole. Is this Maria?' },
    ]
    for (const agent of agents) {
      for (let n = 0; n < 40; n++) {
        const outcome = await talkTo(
          name,
          `+1212555${n}`,
          brief({ ...agent, is_transfer_enabled: true, transfer_number: '+12125550101' }),
        )
        assert.ok(results.includes(outcome.result), `${outcome.result}: ${JSON.stringify(outcome.transcript, null, 1)}`)
      }
    }
  })
}

test('the same number says the same things every time', async () => {
  for (const { name, pickup } of PERSONAS) {
    if (pickup !== 'answers') continue
    assert.deepEqual(await talkTo(name, 'one'), await talkTo(name, 'one'))
  }
})

test('those who talk give answers that can be extracted, most of the time', async () => {
  let given = 0
  let asked = 0
  for (let n = 0; n < 100; n++) {
    const { extracted_fields } = await talkTo('converted', `seed ${n}`)
    for (const value of Object.values(extracted_fields)) {
      asked++
      if (value !== null) given++
    }
  }
  assert.ok(given / asked > 0.85, `${given} of ${asked}`)
})

test('a callback that a persona asks for is within the legal hours of the next two days', async () => {
  for (let n = 0; n < 40; n++) {
    const { callback_at } = await talkTo('asks_for_callback', `seed ${n}`)
    assert.ok(callback_at && callback_at > ANSWERED && callback_at.getTime() - ANSWERED.getTime() <= 48 * 3_600_000)
  }
})
