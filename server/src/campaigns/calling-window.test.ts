import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type RuleBook, ruleBook, shippedRules } from '../compliance/law.ts'
import { DAY, MINUTE, stretchAt } from '../compliance/local-time.ts'
import type { LegalRule } from '../compliance/rule-schema.ts'
import type { Whereabouts } from '../compliance/time-zones.ts'
import { dueAt, messageDueAt, nextLegalOpening, nextOpening } from './calling-window.ts'
import { compileSchedule, type RunRow, type ScheduleRow } from './schedule.ts'

const run = (fields: Partial<RunRow> = {}): RunRow => ({
  id: 1,
  start_date: '2026-03-02',
  end_date: null,
  start_time: '09:00',
  end_time: '17:00',
  messaging_only: false,
  selected_days: null,
  ...fields,
})
const row = (runs: RunRow[], fields: Partial<ScheduleRow> = {}): ScheduleRow => ({
  use_company_hours: false,
  business_hours: null,
  runs,
  ...fields,
})
const NY = ['America/New_York']

function opening(from: string, runs: RunRow[], zones = NY, fields: Partial<ScheduleRow> = {}, rules?: RuleBook) {
  const schedule = compileSchedule(row(runs, fields))
  const { open, opensAt, closesAt } = nextOpening({
    from: new Date(from),
    zones,
    jurisdictions: ['US'],
    channel: 'call',
    schedule,
    rules,
  })
  return [
    open,
    opensAt?.toISOString().replace(':00.000Z', 'Z') ?? null,
    closesAt?.toISOString().replace(':00.000Z', 'Z') ?? null,
  ]
}

test('within the hours of a run it is open now, until the end of the hours', () => {
  assert.deepEqual(opening('2026-03-02T15:00:00Z', [run()]), [true, '2026-03-02T15:00Z', '2026-03-02T22:00Z'])
})

test('start and end of the hours: the first minute is in, the last is out', () => {
  assert.deepEqual(opening('2026-03-02T13:59:00Z', [run()])[1], '2026-03-02T14:00Z')
  assert.deepEqual(opening('2026-03-02T14:00:00Z', [run()])[0], true)
  assert.deepEqual(opening('2026-03-02T21:59:00Z', [run()])[0], true)
  assert.deepEqual(opening('2026-03-02T22:00:00Z', [run()]), [false, '2026-03-03T14:00Z', '2026-03-03T22:00Z'])
})

test('before the first run it opens with its first day, over the weekend on Monday', () => {
  assert.equal(opening('2025-01-01T00:00:00Z', [run()])[1], '2026-03-02T14:00Z')
  assert.equal(opening('2026-03-06T22:00:00Z', [run()])[1], '2026-03-09T13:00Z')
})

test('after the last run it never opens again', () => {
  assert.deepEqual(opening('2026-03-13T21:00:00Z', [run({ end_date: '2026-03-13' })]), [false, null, null])
  assert.deepEqual(opening('2026-03-02T15:00:00Z', [run({ messaging_only: true })]), [false, null, null])
})

test('between two runs it opens with the next one, in whatever order they are', () => {
  const runs = [run({ start_date: '2026-04-01', end_date: '2026-04-03' }), run({ end_date: '2026-03-04' })]
  assert.equal(opening('2026-03-03T15:00:00Z', runs)[0], true)
  assert.equal(opening('2026-03-05T15:00:00Z', runs)[1], '2026-04-01T13:00Z')
})

test('company hours are several windows a day', () => {
  const hours = {
    use_company_hours: true,
    business_hours: [
      { start_time: '09:00', end_time: '12:00' },
      { start_time: '14:00', end_time: '20:00' },
    ],
  }
  assert.deepEqual(opening('2026-03-02T17:30:00Z', [run()], NY, hours), [
    false,
    '2026-03-02T19:00Z',
    '2026-03-03T01:00Z',
  ])
})

test('several possible zones are open only together', () => {
  const coasts = ['America/New_York', 'America/Los_Angeles']
  assert.deepEqual(opening('2026-03-02T14:00:00Z', [run()], coasts), [false, '2026-03-02T17:00Z', '2026-03-02T22:00Z'])
})

test('zones that are never open together give no opening', () => {
  const early = [run({ start_time: '09:00', end_time: '11:00' })]
  assert.deepEqual(opening('2026-03-02T14:00:00Z', early, ['America/New_York', 'Pacific/Honolulu']), [
    false,
    null,
    null,
  ])
})

test('zones that are open together in summer only open in summer', () => {
  const hour = [run({ start_date: '2026-11-16', start_time: '09:00', end_time: '10:00' })]
  const zones = ['America/Phoenix', 'America/Los_Angeles']
  assert.equal(opening('2026-11-16T00:00:00Z', hour, zones)[1], '2027-03-15T16:00Z')
})

test('a run in a far century is found without walking there', () => {
  assert.equal(opening('2026-03-02T00:00:00Z', [run({ start_date: '9990-01-02' })])[1], '9990-01-02T14:00Z')
  const dates = run({ selected_days: ['2026-03-02', '2094-06-01'] })
  assert.equal(opening('2026-03-03T00:00:00Z', [dates])[1], '2094-06-01T13:00Z')
})

test('the law cuts the hours of a run, also to nothing', () => {
  const night = [run({ start_time: '06:00', end_time: '23:00' })]
  assert.deepEqual(opening('2026-03-02T10:00:00Z', night), [false, '2026-03-02T13:00Z', '2026-03-03T02:00Z'])
  assert.deepEqual(opening('2026-03-02T10:00:00Z', [run({ start_time: '21:00', end_time: '23:00' })]), [
    false,
    null,
    null,
  ])
})

test('unknown zones, no zones, no time and an unreadable schedule never open', () => {
  const schedule = compileSchedule(row([run()]))
  const from = new Date('2026-03-02T15:00:00Z')
  const query = { from, zones: NY, jurisdictions: ['US'], channel: 'call' as const, schedule }
  const never = { open: false, opensAt: null, closesAt: null, run: null }
  assert.equal(nextOpening(query).open, true)
  assert.deepEqual(nextOpening({ ...query, zones: [] }), never)
  assert.deepEqual(nextOpening({ ...query, zones: [...NY, 'Mars/Olympus'] }), never)
  assert.deepEqual(nextOpening({ ...query, from: new Date(Number.NaN) }), never)
  assert.deepEqual(nextOpening({ ...query, schedule: compileSchedule(row([])) }), never)
  assert.deepEqual(nextOpening({ ...query, rules: ruleBook([]) }), never)
})

test('a contact is due at the first allowed minute of the place they live in', () => {
  const schedule = compileSchedule(row([run()]))
  const contact: Whereabouts = { timezone: null, state: 'HI', postal_code: null, mobile_e164: '+12125550101' }
  const due = (fields: Partial<Whereabouts>) =>
    dueAt({ schedule, contact: { ...contact, ...fields }, from: new Date('2026-03-02T00:00:00Z') })?.toISOString()
  assert.equal(due({}), '2026-03-02T19:00:00.000Z')
  assert.equal(due({ state: null }), '2026-03-02T14:00:00.000Z')
})

test('a message of the campaign needs a day of the run and legal hours, not the hours for calls', () => {
  const schedule = compileSchedule(row([run({ end_date: '2026-03-08' })]))
  const next = (from: string) =>
    nextOpening({
      from: new Date(from),
      zones: NY,
      jurisdictions: ['US'],
      channel: 'sms',
      schedule,
    }).opensAt?.toISOString()
  assert.equal(next('2026-03-01T20:00:00Z'), '2026-03-02T13:00:00.000Z')
  assert.equal(next('2026-03-02T23:30:00Z'), '2026-03-02T23:30:00.000Z')
  assert.equal(next('2026-03-08T12:30:00Z'), '2026-03-08T12:30:00.000Z')
  assert.equal(next('2026-03-09T12:30:00Z'), undefined)
})

const messageAt = (time: string, zones: string[], date = '2026-03-02') =>
  messageDueAt({ date, time, zones, jurisdictions: ['US'], channel: 'sms' })
    ?.toISOString()
    .replace(':00.000Z', 'Z') ?? null

test('a scheduled message goes out at its local time, in legal hours', () => {
  assert.equal(messageAt('10:30', NY), '2026-03-02T15:30Z')
  assert.equal(messageAt('07:00', NY), '2026-03-02T13:00Z')
  assert.equal(messageAt('21:00', NY), '2026-03-03T13:00Z')
  assert.equal(messageAt('25:00', NY), null)
  assert.equal(messageAt('10:00', NY, '2026-02-30'), null)
  assert.equal(messageAt('10:00', []), null)
  assert.equal(messageAt('10:00', ['Mars/Olympus']), null)
})

test('with several possible zones a scheduled message waits for the last, unless that were another day', () => {
  const coasts = ['America/New_York', 'America/Los_Angeles']
  assert.equal(messageAt('10:30', coasts), '2026-03-02T18:30Z')
  // 20:30 in Los Angeles is night in New York.
  assert.equal(messageAt('20:30', coasts), '2026-03-03T01:30Z')
})

// ---- against a brute force that looks at every minute ----

const quarters = new Map<string, Map<number, LocalMinute>>()
const QUARTER = 15 * MINUTE

interface LocalMinute {
  day: number
  weekday: number
  minute: number
}

/** Local time from Intl, asked once a quarter of an hour: clocks change at no other minutes. */
function clock(zone: string, at: number): LocalMinute {
  const start = Math.floor(at / QUARTER) * QUARTER
  const ofZone = quarters.get(zone) ?? new Map<number, LocalMinute>()
  quarters.set(zone, ofZone)
  let quarter = ofZone.get(start)
  if (!quarter) {
    const [date = '', time = ''] = format(zone).format(start).split(' ')
    const midnight = Date.parse(`${date}T00:00Z`)
    quarter = { day: midnight / DAY, weekday: new Date(midnight).getUTCDay(), minute: minutes(time) }
    ofZone.set(start, quarter)
  }
  return { ...quarter, minute: quarter.minute + (at - start) / MINUTE }
}

const formats = new Map<string, Intl.DateTimeFormat>()
function format(timeZone: string): Intl.DateTimeFormat {
  const known =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  formats.set(timeZone, known)
  return known
}

const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const minutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
const dayNumber = (date: string) => Date.parse(`${date}T00:00Z`) / DAY

/** Which run allows a minute, or -1: written from the specification, with nothing of the modules under test. */
function bruteForce(
  { runs, use_company_hours, business_hours }: ScheduleRow,
  zones: string[],
  legal: [string, string],
) {
  const [legalFrom, legalTo] = legal.map(minutes) as [number, number]
  const read = runs.map((each) => {
    const selected = each.selected_days?.length ? each.selected_days : names.slice(1, 6)
    return {
      calls: !each.messaging_only,
      first: dayNumber(each.start_date),
      last: each.end_date ? dayNumber(each.end_date) : 1e9,
      weekdays: names.map((name) => selected.includes(name)),
      dates: selected.filter((name) => name.startsWith('2')).map(dayNumber),
      slots: (use_company_hours ? business_hours! : [each]).map((slot) => [
        minutes(slot.start_time!),
        minutes(slot.end_time!),
      ]),
    }
  })
  return (at: number) =>
    read.findIndex(
      ({ calls, first, last, weekdays, dates, slots }) =>
        calls &&
        zones.every((zone) => {
          const { day, weekday, minute } = clock(zone, at)
          return (
            minute >= legalFrom &&
            minute < legalTo &&
            day >= first &&
            day <= last &&
            (weekdays[weekday] || dates.includes(day)) &&
            slots.some(([from, to]) => minute >= from! && minute < to!)
          )
        }),
    )
}

const zonesOfLand = [
  ...['New_York', 'Chicago', 'Denver', 'Los_Angeles', 'Anchorage', 'Adak', 'Phoenix', 'Boise', 'Indiana/Indianapolis'],
  ...['Indiana/Tell_City', 'Puerto_Rico', 'St_Johns', 'Havana'],
]
  .map((name) => `America/${name}`)
  .concat('Pacific/Honolulu', 'Navajo', 'Australia/Lord_Howe', 'Europe/London', 'Asia/Beirut')

/** Changes of the clock, so that random moments fall beside them. */
const changes = zonesOfLand.flatMap((zone) => {
  const found: number[] = []
  for (let { end } = stretchAt(zone, Date.UTC(2025, 0)); end < Date.UTC(2028, 0); end = stretchAt(zone, end).end)
    found.push(end)
  return found
})

const two = (value: number) => String(value).padStart(2, '0')
const time = fc
  .integer({ min: 0, max: 24 * 12 - 1 })
  .map((five) => `${two(Math.floor(five / 12))}:${two((five % 12) * 5)}`)
const slot = fc
  .tuple(time, time)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => (a < b ? { start_time: a, end_time: b } : { start_time: b, end_time: a }))

const legalHours: [string, string][] = [
  ['08:00', '21:00'],
  ['00:00', '24:00'],
  ['01:30', '02:30'],
  ['22:00', '24:00'],
]
const books = legalHours.map(([from, to], index): [RuleBook, [string, string]] => {
  const rule: LegalRule = {
    id: 'test',
    version: 1,
    jurisdiction: 'US',
    channels: ['call'],
    purposes: 'all',
    effective_from: '2020-01-01',
    effective_to: null,
    source: 'test',
    hours: { default: [[from, to]] },
  }
  return [index === 0 ? shippedRules : ruleBook([rule]), [from, to]]
})

const scenario = fc
  .record({
    change: fc.constantFrom(...changes),
    before: fc.integer({ min: -30 * 60, max: 36 * 60 }),
    zones: fc.oneof(
      fc.constantFrom(...zonesOfLand).map((zone) => [zone]),
      fc.uniqueArray(fc.constantFrom(...zonesOfLand), { minLength: 2, maxLength: 3 }),
    ),
    book: fc.oneof(fc.constantFrom(...books), fc.constant(books[1]!)),
    use_company_hours: fc.boolean(),
    business_hours: fc.array(slot, { minLength: 1, maxLength: 3 }),
    runs: fc.array(
      fc.record({
        slot,
        starts: fc.integer({ min: -4, max: 2 }),
        days: fc.option(fc.integer({ min: 0, max: 5 })),
        messaging_only: fc.constantFrom(false, false, false, true),
        selected: fc.constantFrom('default', 'names', 'names', 'weekend', 'dates', 'both'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ change, before, zones, book, runs, ...hours }) => {
    const today = Math.floor(change / DAY)
    const date = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
    const rows = runs.map(({ slot, starts, days, messaging_only, selected }, index): RunRow => {
      const first = today + starts
      const dates = [date(first + 1), date(today)]
      const all = {
        default: null,
        names: ['Saturday', 'Sunday', 'Monday'],
        weekend: ['Sunday'],
        dates,
        both: [...dates, 'Friday'],
      }
      return {
        id: index,
        start_date: date(first),
        end_date: days === null ? null : date(first + days),
        ...slot,
        messaging_only,
        selected_days: all[selected],
      }
    })
    return { from: change - before * MINUTE, zones, book, row: { ...hours, runs: rows } }
  })

test('the next opening is the first minute of which a brute force says so, around every change of the clock', () => {
  const horizon = 3 * DAY
  let opened = 0
  fc.assert(
    fc.property(scenario, ({ from, zones, book: [rules, legal], row }) => {
      const schedule = compileSchedule(row)
      const query = { from: new Date(from), zones, jurisdictions: ['US'], channel: 'call' as const, schedule, rules }
      const { open, opensAt, closesAt, run: found } = nextOpening(query)
      const allowedBy = bruteForce(row, zones, legal)
      let at = from
      while (at < from + horizon && allowedBy(at) < 0) at += MINUTE
      if (at >= from + horizon) return assert.ok(opensAt === null || opensAt.getTime() >= at)
      opened++
      assert.equal(opensAt?.toISOString(), new Date(at).toISOString())
      assert.equal(open, at === from)
      assert.equal(found?.id, allowedBy(at))
      // It closes when that run does, or at a midnight that it would pass.
      const alone = bruteForce({ ...row, runs: [row.runs[found!.id as number]!] }, zones, legal)
      let end = at
      while (end < closesAt!.getTime() && alone(end) === 0) end += MINUTE
      assert.equal(closesAt?.toISOString(), new Date(end).toISOString())
      assert.ok(alone(end) < 0 || zones.some((zone) => clock(zone, end).minute === 0))
      // What is remembered answers for every moment until then.
      for (const later of [at, Math.floor((from + at) / 2), end - MINUTE]) {
        const again = nextOpening({ ...query, from: new Date(later) })
        assert.equal(again.opensAt?.getTime(), Math.max(later, at))
        assert.equal(again.closesAt?.getTime(), end)
      }
    }),
    { numRuns: 1000 },
  )
  assert.ok(opened > 300, `only ${opened} scenarios opened`)
})

test('the next legal moment is the first minute of which a brute force says so', () => {
  fc.assert(
    fc.property(scenario, ({ from, zones, book: [rules, legal] }) => {
      const query = { from: new Date(from), zones, jurisdictions: ['US'], channel: 'call' as const, rules }
      const { open, opensAt } = nextLegalOpening(query)
      const always = run({ start_date: '2020-01-01', start_time: legal[0], end_time: legal[1], selected_days: names })
      const allowedBy = bruteForce(row([always]), zones, legal)
      let at = from
      while (at < from + 2 * DAY && allowedBy(at) < 0) at += MINUTE
      if (at >= from + 2 * DAY) return assert.ok(opensAt === null || opensAt.getTime() >= at)
      assert.equal(opensAt?.toISOString(), new Date(at).toISOString())
      assert.equal(open, at === from)
    }),
    { numRuns: 300 },
  )
})

test('who asks about a time before there was any law spoils no answer about now', () => {
  const law = { zones: ['America/Boise'], jurisdictions: ['US', 'US-ID'], channel: 'call' as const }
  const schedule = compileSchedule(row([run({ start_date: '2026-03-02' })]))
  for (const from of ['1960-03-02T18:00:00Z', '0100-03-02T18:00:00Z']) {
    assert.equal(nextLegalOpening({ ...law, from: new Date(from) }).open, false)
    nextOpening({ ...law, schedule, from: new Date(from) })
  }
  const from = new Date('2026-03-02T18:00:00Z')
  assert.equal(nextLegalOpening({ ...law, from }).open, true)
  assert.equal(nextOpening({ ...law, schedule, from }).open, true)
})
