import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ruleBook } from '../compliance/law.ts'
import { CHANNELS, type LegalRule } from '../compliance/rule-schema.ts'
import { type Decision, decide, type GateFacts } from './gate.ts'
import type { CampaignFacts, GateRule } from './gate-reasons.ts'
import { compileSchedule, type RunRow } from './schedule.ts'

const run = (fields: Partial<RunRow> = {}): RunRow => ({
  id: 7,
  start_date: '2026-03-02',
  end_date: '2026-03-13',
  start_time: '09:00',
  end_time: '17:00',
  messaging_only: false,
  selected_days: null,
  ...fields,
})
const scheduleOf = (...runs: RunRow[]) => compileSchedule({ use_company_hours: false, business_hours: null, runs })

type Contact = GateFacts['contact']
type Overrides = Omit<Partial<GateFacts>, 'contact' | 'campaign'> & {
  contact?: Partial<Contact>
  campaign?: Partial<CampaignFacts>
}

/** What is shipped has tests of its own, state by state. */
const federal = ruleBook([
  {
    id: 'us-federal-hours',
    version: 1,
    jurisdiction: 'US',
    channels: [...CHANNELS],
    purposes: 'all',
    effective_from: '1992-12-20',
    effective_to: null,
    source: 'test',
    hours: { default: [['08:00', '21:00']] },
  },
])

/** Monday, March 2, 2026, 11:00 in Dallas, where the contact lives: everybody agrees. */
const facts = ({ contact, campaign, ...rest }: Overrides = {}): GateFacts => ({
  now: new Date('2026-03-02T17:00:00Z'),
  channel: 'call',
  schedule: scheduleOf(run()),
  rules: federal,
  ...rest,
  campaign: {
    status: 'active',
    agent_id: 'agent_1',
    campaigns_enabled: true,
    callback_delays: [{ minutes: null, hours: 4, days: null }],
    purpose: 'case_update',
    ...campaign,
  },
  contact: {
    timezone: null,
    state: 'TX',
    postal_code: '75201',
    mobile: '(214) 555-0101',
    mobile_e164: '+12145550101',
    email: 'ana@example.com',
    voice_calls_opted_out: false,
    sms_opted_out: false,
    email_opted_out: false,
    suppressed: false,
    consented: false,
    date_of_death: null,
    deleted_at: null,
    is_linked: true,
    is_member: true,
    requested_at: null,
    standing: 'due',
    delays_used: 0,
    callback_at: null,
    ...contact,
  },
})

const rules = (decision: Decision) => decision.reasons.map((reason) => reason.rule)
const at = (date: Date | null | undefined) => date?.toISOString().replace(':00.000Z', 'Z') ?? null
const hour = (time: string) => new Date(`2026-03-${time}:00Z`)

test('a call that nothing speaks against is allowed, and the decision says by what', () => {
  const decision = decide(facts())
  assert.deepEqual(JSON.parse(JSON.stringify(decision)), {
    allowed: true,
    reasons: [],
    retry_at: null,
    settle: false,
    run_id: 7,
    zones: ['America/Chicago'],
    zone_source: 'address',
    rule_versions: ['us-federal-hours@1'],
    decided_at: '2026-03-02T17:00:00.000Z',
  })
})

// Each refusal alone: the rule it gives, when to ask again, and whether it is for good.
const refusals: [name: string, Overrides, GateRule, retry: string | null, settle: boolean][] = [
  ['a paused campaign', { campaign: { status: 'paused' } }, 'campaign_status', null, false],
  ['a draft', { campaign: { status: 'draft' } }, 'campaign_status', null, false],
  ['a completed campaign', { campaign: { status: 'completed' } }, 'campaign_status', null, true],
  ['an unknown status', { campaign: { status: 'on fire' } }, 'facts', null, false],
  ['campaigns switched off', { campaign: { campaigns_enabled: false } }, 'campaigns_disabled', null, false],
  ['no voice agent', { campaign: { agent_id: null } }, 'agent_missing', null, false],
  ['a case that was taken from the contact', { contact: { is_linked: false } }, 'not_member', null, true],
  ['a contact that left the list', { contact: { is_member: false } }, 'not_member', null, true],
  ['a settled contact', { contact: { standing: 'settled' } }, 'settled', null, true],
  ['a live call', { contact: { standing: 'live' } }, 'call_open', null, false],
  ['an unknown standing', { contact: { standing: 'asleep' } }, 'facts', null, false],
  ['all attempts made', { contact: { delays_used: 2 } }, 'attempts', null, true],
  ['a deleted contact', { contact: { deleted_at: hour('01T00:00') } }, 'deleted', null, true],
  ['a deceased contact', { contact: { date_of_death: '2025-12-24' } }, 'deceased', null, true],
  ['a death on a date that is none', { contact: { date_of_death: 'last year' } }, 'deceased', null, true],
  ['an opt-out', { contact: { voice_calls_opted_out: true } }, 'opted_out', null, true],
  ['a suppressed number', { contact: { suppressed: true } }, 'suppressed', null, true],
  ['suppression unknown', { contact: { suppressed: undefined } as never }, 'facts', null, false],
  ['marketing without consent', { campaign: { purpose: 'marketing' } }, 'consent_missing', null, true],
  ['no number', { contact: { mobile: null, mobile_e164: null } }, 'number_missing', null, true],
  ['a number that does not parse', { contact: { mobile: '12-34', mobile_e164: null } }, 'number_malformed', null, true],
  ['an impossible number', { contact: { mobile_e164: '+11115550101' } }, 'number_malformed', null, true],
  ['a service number', { contact: { mobile_e164: '+19115550101' } }, 'number_malformed', null, true],
  ['an hour before the run', { now: hour('03T14:30') }, 'run_hours', '2026-03-03T15:00Z', false],
  ['an hour after the run', { now: hour('02T23:00') }, 'run_hours', '2026-03-03T15:00Z', false],
  ['a day without calls', { now: hour('07T17:00') }, 'run', '2026-03-09T14:00Z', false],
  ['a time before the first run', { now: new Date('2026-02-02T17:00:00Z') }, 'run', '2026-03-02T15:00Z', false],
  ['a time after the last run', { now: hour('16T17:00') }, 'run', null, true],
  ['a campaign for messages only', { schedule: scheduleOf(run({ messaging_only: true })) }, 'run', null, true],
  ['military mail', { contact: { state: 'AE', postal_code: '09012' } }, 'time_zone', null, true],
  ['no schedule', { schedule: null }, 'facts', null, false],
  ['an unreadable schedule', { schedule: scheduleOf(run({ start_date: '2026-02-30' })) }, 'facts', null, false],
]

for (const [name, overrides, rule, retry, settle] of refusals)
  test(`refused: ${name}`, () => {
    const decision = decide(facts(overrides))
    assert.deepEqual(
      [decision.allowed, rules(decision), at(decision.retry_at), decision.settle],
      [false, [rule], retry, settle],
    )
  })

test('a campaign that waits for its first run is asked again when that begins', () => {
  const waiting = { status: 'scheduled' }
  const early = decide(facts({ campaign: waiting, now: new Date('2026-02-02T17:00:00Z') }))
  assert.deepEqual([rules(early), at(early.retry_at)], [['campaign_status', 'run'], '2026-03-02T15:00Z'])
  const now = decide(facts({ campaign: waiting }))
  assert.deepEqual([rules(now), at(now.retry_at)], [['campaign_status'], '2026-03-02T17:01Z'])
})

test('at night both the run and the law refuse, and the reason names the law', () => {
  const decision = decide(facts({ now: hour('03T03:30') }))
  assert.deepEqual(rules(decision), ['run_hours', 'legal_hours'])
  assert.deepEqual(decision.reasons[1]!.law, ['us-federal-hours@1'])
  assert.equal(at(decision.reasons[1]!.until), '2026-03-03T14:00Z')
  assert.equal(at(decision.retry_at), '2026-03-03T15:00Z')
  assert.match(decision.reasons[1]!.message, /2026-03-02 21:30 in America\/Chicago/)
})

test('where several zones are possible the reason names one that is closed', () => {
  // 09:30 in New York, 08:30 in Chicago.
  const decision = decide(facts({ now: hour('02T14:30'), contact: { state: 'KY', postal_code: null } }))
  assert.deepEqual([rules(decision), at(decision.retry_at)], [['run_hours'], '2026-03-02T15:00Z'])
  assert.match(decision.reasons[0]!.message, /08:30 in America\/Chicago \(one of 2 possible zones\)/)
})

test('zones that no hour suits settle the contact', () => {
  const schedule = scheduleOf(run({ end_time: '10:00' }))
  const decision = decide(facts({ schedule, contact: { state: 'KY', postal_code: null } }))
  assert.deepEqual([rules(decision), decision.settle], [['run'], true])
  assert.match(decision.reasons[0]!.message, /all 2 time zones/)
})

test('every reason is given, not only the first', () => {
  const decision = decide(
    facts({
      now: hour('03T03:30'),
      campaign: { status: 'paused', agent_id: null },
      contact: { is_member: false, date_of_death: '2025-12-24', voice_calls_opted_out: true, mobile_e164: null },
    }),
  )
  assert.deepEqual(rules(decision), [
    ...['campaign_status', 'agent_missing', 'not_member', 'deceased', 'opted_out', 'number_malformed'],
    ...['run_hours', 'legal_hours'],
  ])
  assert.deepEqual([decision.retry_at, decision.settle], [null, true])
})

test('a call that was asked for needs no membership', () => {
  assert.equal(decide(facts({ contact: { is_member: false, requested_at: hour('02T16:00') } })).allowed, true)
})

test('nobody hears of a case that is not theirs, whoever asked for the call and however it went', () => {
  const contact = { is_linked: false, requested_at: hour('02T16:00') }
  assert.deepEqual(rules(decide(facts({ contact }))), ['not_member'])
  const after = facts({
    channel: 'sms',
    trigger: 'after_successful_call',
    contact: { ...contact, standing: 'settled' },
  })
  assert.deepEqual([rules(decide(after)), decide(after).settle], [['not_member'], true])
})

test('a retry is within the attempts, and so is a callback when they are used up', () => {
  assert.equal(decide(facts({ contact: { delays_used: 1 } })).allowed, true)
  assert.equal(decide(facts({ contact: { delays_used: 2, callback_at: hour('02T17:00') } })).allowed, true)
})

test('an opt-out counts for its own channel', () => {
  const optedOut = { voice_calls_opted_out: true }
  assert.equal(decide(facts({ contact: optedOut })).allowed, false)
  assert.equal(decide(facts({ channel: 'sms', trigger: 'scheduled', contact: optedOut })).allowed, true)
  assert.deepEqual(rules(decide(facts({ channel: 'sms', manual: true, contact: { sms_opted_out: true } }))), [
    'opted_out',
  ])
  assert.deepEqual(rules(decide(facts({ channel: 'email', manual: true, contact: { email_opted_out: true } }))), [
    'opted_out',
  ])
})

test('e-mail needs an address and no number; texts need a number and no address', () => {
  const message = (channel: 'sms' | 'email', contact: Partial<Contact>) =>
    rules(decide(facts({ channel, trigger: 'scheduled', contact })))
  assert.deepEqual(message('email', { mobile: null, mobile_e164: null }), [])
  assert.deepEqual(message('email', { email: null }), ['email_missing'])
  assert.deepEqual(message('email', { email: 'ana at example' }), ['email_malformed'])
  assert.deepEqual(message('sms', { email: null }), [])
  assert.deepEqual(message('sms', { mobile: null, mobile_e164: null }), ['number_missing'])
})

test('an automatic message keeps the days of the runs and the legal hours, not the hours for calls', () => {
  const message = (now: Date) => decide(facts({ channel: 'email', trigger: 'scheduled', now }))
  assert.equal(message(hour('07T18:30')).allowed, true)
  assert.deepEqual(rules(message(hour('08T12:30'))), ['legal_hours'])
  assert.equal(at(message(hour('08T12:30')).retry_at), '2026-03-08T13:00Z')
  assert.deepEqual(rules(message(hour('14T17:00'))), ['run'])
})

test('the message after a call goes out when the contact is settled, the run over and the campaign completed', () => {
  const after = (overrides: Overrides) =>
    decide(
      facts({ channel: 'sms', trigger: 'after_successful_call', now: hour('16T18:00'), schedule: null, ...overrides }),
    )
  const contact = { standing: 'settled', is_member: false, delays_used: 1 }
  assert.equal(after({ campaign: { status: 'completed' }, contact }).allowed, true)
  assert.deepEqual(rules(after({ campaign: { status: 'paused' }, contact })), ['campaign_status'])
  assert.deepEqual(rules(after({ contact: { date_of_death: '2026-03-16' } })), ['deceased'])
  const night = after({ contact, now: hour('16T02:30') })
  assert.deepEqual([rules(night), at(night.retry_at)], [['legal_hours'], '2026-03-16T13:00Z'])
})

test('the message before a call is not sent when there will be none', () => {
  const before = (contact: Partial<Contact>) =>
    rules(decide(facts({ channel: 'sms', trigger: 'before_call', contact })))
  assert.deepEqual(before({}), [])
  assert.deepEqual(before({ standing: 'settled' }), ['settled'])
  assert.deepEqual(before({ is_member: false }), ['not_member'])
  assert.deepEqual(before({ is_member: false, requested_at: hour('02T16:00') }), [])
})

test('a manual message leaves out campaign, run, hours and membership, and nothing else', () => {
  const manual = (contact: Partial<Contact>) => {
    const { contact: person } = facts({ contact })
    return decide({ now: hour('03T05:00'), channel: 'sms', manual: true, contact: person })
  }
  assert.equal(manual({ standing: undefined, is_member: undefined }).allowed, true)
  assert.deepEqual(rules(manual({ date_of_death: '2026-01-01' })), ['deceased'])
  assert.deepEqual(rules(manual({ deleted_at: hour('01T00:00') })), ['deleted'])
  assert.deepEqual(rules(manual({ mobile_e164: null })), ['number_malformed'])
})

test('a call is never manual', () => {
  assert.equal(decide(facts({ manual: true, now: hour('03T05:00') })).allowed, false)
  assert.equal(decide(facts({ manual: true, campaign: { status: 'paused' } })).allowed, false)
})

test('a legal limit of attempts counts what lies within its hours', () => {
  const limited: LegalRule = {
    id: 'three-a-day',
    version: 2,
    jurisdiction: 'US-TX',
    channels: ['call'],
    purposes: 'all',
    effective_from: '2020-01-01',
    effective_to: null,
    source: 'test',
    hours: { default: [['08:00', '21:00']] },
    attempts: [{ max: 3, hours: 24 }],
  }
  const asked = (times: string[] | undefined) =>
    decide(facts({ rules: ruleBook([limited]), recent_attempts: times?.map(hour) }))
  assert.equal(asked([]).allowed, true)
  assert.equal(asked(['01T16:59', '01T18:00', '02T15:00']).allowed, true)
  const refused = asked(['01T18:00', '02T16:00', '01T10:00', '02T15:00'])
  assert.deepEqual([rules(refused), refused.reasons[0]!.law], [['legal_attempts'], ['three-a-day@2']])
  assert.equal(at(refused.retry_at), '2026-03-02T18:00Z')
  assert.deepEqual(rules(asked(undefined)), ['facts'])
})

test('whoever asks again at retry_at is allowed, when nothing but the hour was against it', () => {
  const minute = fc.integer({ min: Date.UTC(2026, 1, 20) / 60_000, max: Date.UTC(2026, 2, 16) / 60_000 })
  const state = fc.constantFrom('TX', 'NY', 'HI', 'KY', 'AZ', 'PR', null)
  fc.assert(
    fc.property(minute, state, fc.constantFrom(...CHANNELS), (now, state, channel) => {
      const asked = (now: Date) =>
        decide(
          facts({
            now,
            channel,
            trigger: 'scheduled',
            contact: { state, postal_code: null, mobile_e164: '+18005550101' },
          }),
        )
      const decision = asked(new Date(now * 60_000))
      if (decision.allowed) return assert.equal(decision.retry_at, null)
      if (decision.settle) return assert.equal(decision.retry_at, null)
      assert.ok(decision.retry_at! > decision.decided_at)
      assert.equal(asked(decision.retry_at!).allowed, true)
      assert.equal(asked(new Date(decision.retry_at!.getTime() - 60_000)).allowed, false)
    }),
    { numRuns: 500 },
  )
})

test('a further reason never makes allowed what was refused, and hides no other', () => {
  const alone = refusals.map(([name, overrides]) => ({ name, overrides, found: rules(decide(facts(overrides))) }))
  fc.assert(
    fc.property(fc.subarray(alone, { minLength: 2, maxLength: 5 }), (some) => {
      const touched = some.flatMap(({ overrides }) =>
        Object.entries(overrides).flatMap(([key, value]) => keysOf(key, value)),
      )
      fc.pre(new Set(touched).size === touched.length)
      const merged: Overrides = Object.assign({}, ...some.map(({ overrides }) => overrides))
      merged.contact = Object.assign({}, ...some.map(({ overrides }) => overrides.contact))
      merged.campaign = Object.assign({}, ...some.map(({ overrides }) => overrides.campaign))
      const decision = decide(facts(merged))
      assert.equal(decision.allowed, false)
      for (const { name, found } of some) {
        // Without a zone or a schedule there are no hours to be outside of, and another time is another window.
        const hidden = found.every((rule) => ['run', 'run_hours', 'legal_hours'].includes(rule))
        if (!hidden)
          assert.ok(
            found.every((rule) => rules(decision).includes(rule)),
            name,
          )
      }
    }),
    { numRuns: 500 },
  )
})

function keysOf(key: string, value: unknown): string[] {
  if (key === 'now' || key === 'schedule') return ['hours']
  return key === 'contact' || key === 'campaign' ? Object.keys(value as object) : [key]
}

/** The values of each fact with which the call above is rightly allowed. */
const good: Record<string, (value: unknown) => boolean> = {
  channel: (value) => value === 'call',
  status: (value) => value === 'active',
  campaigns_enabled: (value) => value === true,
  agent_id: (value) => typeof value === 'string' && value !== '',
  callback_delays: (value) => Array.isArray(value),
  deleted_at: (value) => value === null,
  date_of_death: (value) => value === null,
  voice_calls_opted_out: (value) => value === false,
  mobile_e164: (value) => typeof value === 'string' && /^\+\d{7,15}$/.test(value),
  is_linked: (value) => value === true,
  is_member: (value) => value === true,
  requested_at: (value) => value === null || (value instanceof Date && !Number.isNaN(value.getTime())),
  callback_at: (value) => value === null || (value instanceof Date && !Number.isNaN(value.getTime())),
  standing: (value) => value === 'due',
  delays_used: (value) => value === 0 || value === 1,
}

const anything = fc.oneof(
  fc.anything({ withDate: true, withNullPrototype: true, withBigInt: true, withSparseArray: true }),
  fc.constantFrom<unknown>(
    undefined,
    null,
    Number.NaN,
    new Date(Number.NaN),
    '',
    ' ',
    'true',
    0,
    1,
    -1,
    0.5,
    true,
    false,
    [],
    {},
    Symbol('x'),
  ),
)

test('a fact that is anything but what it should be refuses', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(good)), anything, (name, value) => {
      const hostile = facts()
      for (const part of [hostile, hostile.campaign, hostile.contact] as unknown as Record<string, unknown>[])
        if (name in part) part[name] = value
      const decision = decide(hostile)
      assert.equal(decision.allowed, good[name]!(value))
      assert.equal(decision.allowed, decision.reasons.length === 0)
    }),
    { numRuns: 3000 },
  )
})

test('nothing makes it throw, and nonsense is never allowed', () => {
  const nonsense = fc.record(
    {
      now: anything,
      channel: fc.oneof(fc.constantFrom(...CHANNELS), anything),
      contact: anything,
      campaign: anything,
      schedule: anything,
      trigger: anything,
      manual: anything,
      recent_attempts: anything,
      rules: fc.constantFrom(undefined, null, {}),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(nonsense, anything), (each) => {
      const decision = decide(each as GateFacts)
      assert.equal(decision.allowed, false)
      assert.ok(decision.reasons.length > 0)
      JSON.stringify(decision)
    }),
    { numRuns: 3000 },
  )
})
