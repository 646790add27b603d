import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { companyRules, type Override } from './company-rules.ts'
import { ruleBook, shipped } from './law.ts'
import { clockOf, dayOf } from './local-time.ts'

const override = (fields: Partial<Override>): Override => ({
  id: 1,
  kind: 'waiver',
  rule: null,
  rule_id: null,
  purposes: null,
  person: 'Dana Cole',
  reason: 'Clients asked for evening calls',
  effective_from: '2026-03-01',
  effective_to: null,
  ...fields,
})

function hours(overrides: Override[], state: string, date: string, purpose = 'case_update'): string {
  const law = ruleBook(companyRules(shipped, overrides)).lawFor(['US', `US-${state}`], 'call', purpose)
  return law
    .slotsOn(dayOf(date) as number)
    .map(([from, to]) => `${clockOf(from)}-${clockOf(to)}`)
    .join(' ')
}

test('a rule of the firm makes it stricter, and never laxer', () => {
  const rule = (from: string, to: string) =>
    override({
      kind: 'rule',
      rule: { jurisdiction: 'US', channels: ['call'], purposes: 'all', hours: { default: [[from, to]] } },
    })
  assert.equal(hours([rule('10:00', '16:00')], 'NY', '2026-03-02'), '10:00-16:00')
  assert.equal(hours([rule('00:00', '24:00')], 'NY', '2026-03-02'), '08:00-21:00')
  assert.equal(hours([rule('10:00', '23:00')], 'FL', '2026-03-02'), '10:00-20:00')
  assert.equal(hours([rule('10:00', '16:00')], 'NY', '2026-02-27'), '08:00-21:00', 'before its first day')
})

test('a waived rule is left out, from its first day to its last', () => {
  const waiver = override({ rule_id: 'us-fl-hours', effective_to: '2026-03-31' })
  assert.equal(hours([waiver], 'FL', '2026-02-28'), '08:00-20:00')
  assert.equal(hours([waiver], 'FL', '2026-03-01'), '08:00-21:00')
  assert.equal(hours([waiver], 'FL', '2026-03-31'), '08:00-21:00')
  assert.equal(hours([waiver], 'FL', '2026-04-01'), '08:00-20:00')
  assert.equal(hours([waiver], 'WA', '2026-03-15'), '08:00-20:00', 'the rules of other states stay')
})

test('a waiver for some purposes leaves the rule to the others', () => {
  const waiver = override({ rule_id: 'us-ky-hours', purposes: ['case_update', 'appointment'] })
  assert.equal(hours([waiver], 'KY', '2026-03-02', 'case_update'), '08:00-21:00')
  assert.equal(hours([waiver], 'KY', '2026-03-02', 'marketing'), '10:00-21:00')
  const both = [
    waiver,
    override({ id: 2, rule_id: 'us-ky-hours', purposes: ['marketing'], effective_from: '2026-05-01' }),
  ]
  assert.equal(hours(both, 'KY', '2026-03-02', 'marketing'), '10:00-21:00')
  assert.equal(hours(both, 'KY', '2026-05-04', 'marketing'), '08:00-21:00')
  assert.equal(hours(both, 'KY', '2026-05-04', 'case_update'), '08:00-21:00')
  assert.equal(hours(both, 'KY', '2026-05-04', 'intake'), '10:00-21:00')
})

test('the hours of the federal law and of e-mail cannot be waived', () => {
  const waivers = ['us-federal-hours', 'house-email-hours'].map((rule_id) => override({ rule_id }))
  assert.equal(hours(waivers, 'NY', '2026-03-02'), '08:00-21:00')
})

test('a limit of attempts may be waived and set anew', () => {
  const looser = override({
    id: 2,
    kind: 'rule',
    rule: { jurisdiction: 'US', channels: ['call'], purposes: 'all', attempts: [{ max: 9, hours: 24 }] },
  })
  const book = ruleBook(companyRules(shipped, [override({ rule_id: 'house-attempts' }), looser]))
  const limits = book.lawFor(['US', 'US-NY'], 'call', 'case_update').attemptLimits(dayOf('2026-03-02') as number)
  assert.deepEqual(
    limits.filter(({ by }) => !by),
    [{ version: 'company-rule-2@1', max: 9, hours: 24 }],
  )
})

test('the command line is the only way to change the rules of a company: no key and no assistant can make them laxer', () => {
  const root = new URL('../', import.meta.url)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const changing = files.filter((file) =>
    /change-rules\.ts'|insertOverride|endOverride|(?:insert into|update) compliance_overrides/.test(
      readFileSync(new URL(file, root), 'utf8'),
    ),
  )
  assert.deepEqual(changing.sort(), ['cli-compliance.ts', 'compliance/change-rules.ts', 'compliance/overrides.ts'])
})
