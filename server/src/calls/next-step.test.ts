import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextStep } from './next-step.ts'

const ended_at = new Date('2026-03-02T15:00:00Z')
const contact = { delays_used: 0, requested_at: null, last_result: null, callback_delays: [] }

for (const [named, due] of [
  ['2026-03-02T14:52:00Z', '2026-03-02T15:05:00.000Z'],
  ['2026-03-02T15:00:01Z', '2026-03-02T15:05:00.000Z'],
  ['2026-03-03T15:00:00Z', '2026-03-03T15:00:00.000Z'],
] as const)
  test(`who asked for a call at ${named} is rung at ${due}, and not as they put the phone down`, () => {
    const { due_at } = nextStep({ result: 'callback_requested', ended_at, callback_at: new Date(named) }, contact)
    assert.equal(due_at?.toISOString(), due)
  })
