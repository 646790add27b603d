import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ruleBook } from './law.ts'
import { clockOf, dayOf } from './local-time.ts'
import { CHANNELS, type LegalRule, readRules } from './rule-schema.ts'

const rule = (fields: Partial<LegalRule>): LegalRule => ({
  id: 'rule',
  version: 1,
  jurisdiction: 'US',
  channels: [...CHANNELS],
  purposes: 'all',
  effective_from: '2020-01-01',
  effective_to: null,
  source: 'test',
  ...fields,
})
const federal = rule({ id: 'federal', hours: { default: [['08:00', '21:00']] } })
const day = (date: string) => dayOf(date) as number

function hours(rules: LegalRule[], date: string, where = ['US'], purpose = 'case_update'): string {
  const slots = ruleBook(rules).lawFor(where, 'call', purpose).slotsOn(day(date))
  return slots.map(([from, to]) => `${clockOf(from)}-${clockOf(to)}`).join(' ')
}

test('a day for which no rule sets hours is closed', () => {
  assert.equal(hours([], '2026-03-02'), '')
  assert.equal(hours([federal], '2019-12-31'), '')
  assert.equal(hours([rule({ attempts: [{ max: 3, hours: 24 }] })], '2026-03-02'), '')
})

test('the strictest of the rules of all possible places binds', () => {
  const rules = [
    federal,
    rule({ id: 'ky', jurisdiction: 'US-KY', hours: { default: [['10:00', '21:00']] } }),
    rule({ id: 'fl', jurisdiction: 'US-FL', hours: { default: [['08:00', '20:00']] } }),
  ]
  assert.equal(hours(rules, '2026-03-02'), '08:00-21:00')
  assert.equal(hours(rules, '2026-03-02', ['US', 'US-KY']), '10:00-21:00')
  assert.equal(hours(rules, '2026-03-02', ['US', 'US-KY', 'US-FL']), '10:00-20:00')
  assert.deepEqual(ruleBook(rules).lawFor(['US', 'US-FL'], 'sms', 'case_update').versions, ['federal@1', 'fl@1'])
})

test('hours may differ by weekday', () => {
  const texas = rule({ hours: { default: [['09:00', '21:00']], sunday: [['12:00', '21:00']] } })
  assert.equal(hours([texas], '2026-03-07'), '09:00-21:00')
  assert.equal(hours([texas], '2026-03-08'), '12:00-21:00')
})

test('Sundays and holidays may be forbidden', () => {
  const alabama = rule({
    hours: { default: [['08:00', '20:00']], sunday: [], holiday: [] },
    holidays: [
      { name: 'Christmas Day', month: 12, day: 25 },
      { name: 'Independence Day', month: 7, day: 4, observed: true },
      { name: 'New Year', month: 1, day: 1, observed: true },
      { name: 'Thanksgiving', month: 11, weekday: 'thursday', nth: 4 },
      { name: 'Memorial Day', month: 5, weekday: 'monday', nth: -1 },
    ],
  })
  const forbidden = ['2026-03-08', '2026-12-25', '2026-11-26', '2026-05-25', '2027-05-31', '2026-07-04', '2026-01-01']
  // In 2026 July 4 is a Saturday, in 2027 a Sunday; January 1, 2028 is a Saturday.
  const observed = ['2026-07-03', '2027-07-05', '2027-12-31']
  for (const date of [...forbidden, ...observed]) assert.equal(hours([alabama], date), '', date)
  for (const date of ['2026-12-24', '2026-11-19', '2026-05-18', '2026-07-06', '2027-07-02', '2026-12-26'])
    assert.equal(hours([alabama], date), '08:00-20:00', date)
})

test('a rule binds from its first day to its last, for its channels and purposes', () => {
  const rules = [
    federal,
    rule({ id: 'past', effective_to: '2026-03-01', hours: { default: [['12:00', '13:00']] } }),
    rule({ id: 'sales', purposes: ['marketing'], hours: { default: [['14:00', '15:00']] } }),
    rule({ id: 'texts', channels: ['sms'], hours: { default: [['16:00', '17:00']] } }),
  ]
  assert.equal(hours(rules, '2026-03-01'), '12:00-13:00')
  assert.equal(hours(rules, '2026-03-02'), '08:00-21:00')
  assert.equal(hours(rules, '2026-03-02', ['US'], 'marketing'), '14:00-15:00')
})

test('it says which rules close a minute', () => {
  const rules = [federal, rule({ id: 'ky', version: 3, hours: { default: [['10:00', '21:00']] } })]
  const law = ruleBook(rules).lawFor(['US'], 'call', 'case_update')
  assert.deepEqual(law.closedBy(day('2026-03-02'), 9 * 60), ['ky@3'])
  assert.deepEqual(law.closedBy(day('2026-03-02'), 10 * 60), [])
  assert.deepEqual(law.closedBy(day('2026-03-02'), 21 * 60), ['federal@1', 'ky@3'])
})

test('a rule file that is not written as it must be stops the start and is named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'))
  const read = (rules: unknown) => {
    writeFileSync(join(folder, 'some.json'), JSON.stringify(rules))
    return readRules(pathToFileURL(`${folder}/`))
  }
  assert.deepEqual(read([federal]), [federal])
  const broken: object[] = [
    { ...federal, hours: { default: [['08:00', '25:00']] } },
    { ...federal, hours: { default: [['21:00', '08:00']] } },
    { ...federal, hours: { sunday: [] } },
    { ...federal, holidays: [{ name: 'Christmas Day', month: 12, day: 25 }] },
    { ...federal, channels: ['fax'] },
    { ...federal, severity: 'block' },
    { ...federal, source: '' },
  ]
  for (const each of broken) assert.throws(() => read([each]), /some\.json/, JSON.stringify(each))
  assert.throws(() => ruleBook([{ ...federal, effective_from: '2026-02-30' }]).lawFor(['US'], 'call', 'x'), /federal/)
})
