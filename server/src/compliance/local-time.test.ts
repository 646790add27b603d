import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DAY, dateOf, dayOf, instantOf, isZone, minuteOf, stretchAt, wallTime } from './local-time.ts'

const zones = [
  ...['New_York', 'Chicago', 'Denver', 'Phoenix', 'Los_Angeles', 'Anchorage', 'Adak', 'Puerto_Rico', 'Boise'],
  ...['Indiana/Indianapolis', 'Indiana/Knox', 'Indiana/Petersburg', 'Menominee', 'North_Dakota/Beulah', 'Metlakatla'],
  ...['St_Johns', 'Havana', 'Vancouver', 'Sao_Paulo', 'Caracas', 'Scoresbysund'],
]
  .map((name) => `America/${name}`)
  .concat('Pacific/Honolulu', 'Pacific/Guam', 'Pacific/Apia', 'Pacific/Kiritimati', 'Pacific/Chatham', 'Navajo', 'UTC')
  .concat('Australia/Lord_Howe', 'Asia/Kathmandu', 'Asia/Beirut', 'Asia/Gaza', 'Africa/Casablanca', 'Africa/Cairo')
  .concat('Europe/London', 'Europe/Dublin', 'Europe/Istanbul', 'Antarctica/Troll', 'EST', 'Etc/GMT+5')

const formats = new Map<string, Intl.DateTimeFormat>()

/** What Intl says, by other means than the module under test. */
function clockOfIntl(timeZone: string, at: number): string {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    formats.set(timeZone, format)
  }
  return format.format(at)
}

const clockOf = (wall: number) => new Date(wall).toISOString().slice(0, 19).replace('T', ' ')
const year = (from: number, to: number) => fc.integer({ min: Date.UTC(from, 0) / 1000, max: Date.UTC(to, 0) / 1000 })

test('local time is what Intl says, in any zone, from 1990 to 2060', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), year(1990, 2060), (zone, second) => {
      assert.equal(clockOf(wallTime(zone, second * 1000)), clockOfIntl(zone, second * 1000))
    }),
    { numRuns: 5000 },
  )
})

test('local time is what Intl says in the last and the first second around every change of the clock', () => {
  let changes = 0
  for (const zone of zones) {
    let { end } = stretchAt(zone, Date.UTC(2005, 0))
    for (; end < Date.UTC(2030, 0); end = stretchAt(zone, end).end) {
      changes++
      for (const at of [end - 1000, end]) assert.equal(clockOf(wallTime(zone, at)), clockOfIntl(zone, at))
    }
  }
  assert.ok(changes > 1000)
})

test('an instant is found again by its local time, or the earlier one of a repeated hour', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), year(1990, 2060), (zone, second) => {
      const at = second * 1000
      const wall = wallTime(zone, at)
      const found = instantOf(zone, wall)
      assert.ok(found <= at)
      assert.equal(wallTime(zone, found), wall)
    }),
    { numRuns: 2000 },
  )
})

test('a time that spring leaves out is the moment of the change', () => {
  const half = instantOf('America/New_York', Date.UTC(2026, 2, 8, 2, 30))
  assert.equal(new Date(half).toISOString(), '2026-03-08T07:00:00.000Z')
})

test('a time that autumn repeats is the first of the two', () => {
  const half = instantOf('America/New_York', Date.UTC(2026, 10, 1, 1, 30))
  assert.equal(new Date(half).toISOString(), '2026-11-01T05:30:00.000Z')
})

test('names of zones are zones; offsets and inventions are none', () => {
  for (const name of ['America/New_York', 'america/new_york', 'US/Eastern', 'Navajo', 'UTC'])
    assert.ok(isZone(name), name)
  for (const name of ['', '+05:00', '-0500', 'Mars/Olympus', 'Eastern', 'America/', '5']) assert.ok(!isZone(name), name)
  assert.throws(() => wallTime('Mars/Olympus', 0), RangeError)
  assert.throws(() => wallTime('UTC', Number.NaN), RangeError)
})

test('days are counted from 1970 and only real dates have one', () => {
  assert.equal(dayOf('1970-01-02'), 1)
  assert.equal(dateOf(dayOf('2028-02-29') as number), '2028-02-29')
  for (const text of ['2026-02-29', '2026-13-01', '2026-2-3', '20260203', '2026-02-03T00:00', '', null, 20260203])
    assert.equal(dayOf(text), null, String(text))
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 100_000 }),
      (day) => dayOf(dateOf(day)) === day && day * DAY === Date.parse(dateOf(day)),
    ),
  )
})

test('times of day are minutes since midnight', () => {
  assert.equal(minuteOf('00:00'), 0)
  assert.equal(minuteOf('20:59'), 1259)
  assert.equal(minuteOf('09:30:00'), 570)
  assert.equal(minuteOf('24:00'), 1440)
  for (const text of ['24:01', '9:30', '09:60', '25:00', '', null, 570])
    assert.equal(minuteOf(text), null, String(text))
})
