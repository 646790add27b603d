import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Law, shipped, shippedRules } from './law.ts'
import { dayOf } from './local-time.ts'
import { PURPOSES } from './rule-schema.ts'

const day = (date: string) => dayOf(date) as number
const law = (state: string, purpose = 'case_update'): Law => shippedRules.lawFor(['US', `US-${state}`], 'call', purpose)
const STATES = [...new Set(shipped.map(({ jurisdiction }) => jurisdiction.slice(3)))].filter((state) => state !== '')
const ALL_PARTY = ['CA', 'CT', 'DE', 'FL', 'IL', 'MA', 'MD', 'MI', 'MT', 'NH', 'NV', 'PA', 'WA']

for (const state of ALL_PARTY)
  test(`${state}: nobody is recorded who does not agree, whatever the call is for`, () => {
    for (const purpose of PURPOSES)
      assert.deepEqual(law(state, purpose).recordingConsent(day('2026-03-02')), [
        `us-${state.toLowerCase()}-recording@1`,
      ])
  })

test('elsewhere one party may record', () => {
  for (const state of [...STATES, 'NY', 'DC'].filter((each) => !ALL_PARTY.includes(each)))
    assert.deepEqual(law(state).recordingConsent(day('2026-03-02')), [], state)
})

test('who may be in several states is recorded by the rules of all of them', () => {
  const both = shippedRules.lawFor(['US', 'US-NY', 'US-CA'], 'call', 'intake')
  assert.deepEqual(both.recordingConsent(day('2026-03-02')), ['us-ca-recording@1'])
})

const sayings = (state: string, date = '2026-03-02') =>
  Object.fromEntries(
    law(state)
      .says(day(date))
      .map(({ version, says }) => [version, says.join()]),
  )
const EVERYWHERE = { 'us-federal-identity@1': 'firm', 'house-ai-disclosure@1': 'firm,ai' }

for (const [state, own] of Object.entries({
  CA: { 'us-ca-ai@1': 'ai' },
  UT: { 'us-ut-ai@1': 'ai' },
  CO: {},
  WA: { 'us-wa-opening@1': 'firm,purpose' },
  NY: {},
  TX: {},
}))
  test(`${state}: the firm and the AI are named first${Object.keys(own).length ? ', also by its own law' : ''}`, () => {
    assert.deepEqual(sayings(state), { ...EVERYWHERE, ...own })
  })

test('Colorado asks for the disclosure from 2027 on', () => {
  assert.deepEqual(sayings('CO', '2026-12-31'), EVERYWHERE)
  assert.deepEqual(sayings('CO', '2027-01-01'), { ...EVERYWHERE, 'us-co-ai@1': 'ai' })
})

test('neither the disclosure nor the consent to a recording can be waived', () => {
  for (const rule of shipped)
    if (rule.recording || rule.says?.includes('ai')) assert.equal(rule.waivable, false, rule.id)
})

test('rules about what is said refuse no call, and stand in no decision', () => {
  for (const state of ALL_PARTY)
    assert.ok(!law(state).versions.some((version) => /recording|identity|disclosure|opening|-ai@/.test(version)))
})

test('from 31 January 2027 an opt-out of texts is one of calls, and the other way round', () => {
  for (const channel of ['call', 'sms'] as const) {
    const { revokes } = shippedRules.lawFor(['US'], channel, 'case_update')
    assert.deepEqual(revokes(day('2027-01-30')), [])
    assert.deepEqual(revokes(day('2027-01-31')), ['call', 'sms'])
  }
  assert.deepEqual(shippedRules.lawFor(['US'], 'email', 'case_update').revokes(day('2027-01-31')), [])
})
