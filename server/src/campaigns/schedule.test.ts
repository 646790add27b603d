import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateOf, dayOf } from '../compliance/local-time.ts'
import { compileSchedule, type RunRow, type ScheduleRow } from './schedule.ts'

const run = (fields: Partial<RunRow> = {}): RunRow => ({
  id: 1,
  start_date: '2026-03-02',
  end_date: '2026-03-15',
  start_time: '09:00',
  end_time: '17:00',
  messaging_only: false,
  selected_days: null,
  ...fields,
})
const schedule = (runs: RunRow[], fields: Partial<ScheduleRow> = {}) =>
  compileSchedule({ use_company_hours: false, business_hours: null, runs, ...fields })

/** The days of the month on which a run works. */
function days(fields: Partial<RunRow>): string[] {
  const [only] = schedule([run(fields)]).runs
  const found: string[] = []
  for (let day = only!.nextDay(0); day !== null && found.length < 20; day = only!.nextDay(day + 1))
    found.push(dateOf(day))
  return found.map((date) => date.slice(5))
}

test('without selected_days a run works Monday to Friday, first and last day included', () => {
  const weekdays = ['03-02', '03-03', '03-04', '03-05', '03-06', '03-09', '03-10', '03-11', '03-12', '03-13']
  assert.deepEqual(days({}), weekdays)
  assert.deepEqual(days({ selected_days: [] }), weekdays)
  assert.deepEqual(days({ start_date: '2026-03-07', end_date: '2026-03-09' }), ['03-09'])
})

test('selected_days are weekday names, dates inside the run, or both', () => {
  assert.deepEqual(days({ selected_days: ['Saturday', ' sunday '] }), ['03-07', '03-08', '03-14', '03-15'])
  assert.deepEqual(days({ selected_days: ['2026-03-14', '2026-03-03'] }), ['03-03', '03-14'])
  assert.deepEqual(days({ selected_days: ['Monday', '2026-03-07'] }), ['03-02', '03-07', '03-09'])
})

test('a selected date outside of the run does not widen it', () => {
  assert.deepEqual(days({ selected_days: ['2026-03-01', '2026-03-16', '2026-03-05'] }), ['03-05'])
})

test('a run without an end goes on', () => {
  const [open] = schedule([run({ end_date: null })]).runs
  assert.equal(dateOf(open!.nextDay(dayOf('2099-05-02') as number) as number), '2099-05-04')
})

test('company hours stand instead of the hours of the runs, and touching slots are one', () => {
  const business_hours = [
    { start_time: '13:00', end_time: '18:00' },
    { start_time: '09:00', end_time: '12:00' },
    { start_time: '12:00', end_time: '12:30' },
  ]
  const { runs } = schedule([run({ start_time: null, end_time: null })], { use_company_hours: true, business_hours })
  assert.deepEqual(runs[0]!.slots, [
    [540, 750],
    [780, 1080],
  ])
  assert.deepEqual(schedule([run()], { business_hours }).runs[0]!.slots, [[540, 1020]])
})

test('a messaging-only run makes no calls', () => {
  const { runs, callingRuns, problems } = schedule([
    run({ messaging_only: true, start_time: null, end_time: null }),
    run(),
  ])
  assert.deepEqual([runs.length, callingRuns.length, problems], [2, 1, []])
})

test('the same times are compiled once', () => {
  assert.equal(schedule([run()]), schedule([run()]))
  assert.notEqual(schedule([run()]), schedule([run({ end_time: '17:01' })]))
})

test('what cannot be read closes the schedule and is named', () => {
  const broken: [ScheduleRow, RegExp][] = [
    [{ use_company_hours: false, business_hours: null, runs: [] }, /no runs/],
    [{ use_company_hours: true, business_hours: [], runs: [run()] }, /business_hours/],
    [{ use_company_hours: true, business_hours: null, runs: [run()] }, /business_hours/],
    ...(
      [
        [{ start_date: '2026-02-30' }, /runs\[0\]\.start_date/],
        [{ end_date: 'never' }, /runs\[0\]\.end_date/],
        [{ end_date: undefined }, /runs\[0\]\.end_date/],
        [{ start_time: null }, /runs\[0\] has no readable hours/],
        [{ start_time: '17:00' }, /runs\[0\] has no readable hours/],
        [{ selected_days: ['Caturday'] }, /Caturday/],
        [{ selected_days: 'Monday' }, /selected_days/],
      ] as [Partial<RunRow>, RegExp][]
    ).map(([fields, message]): [ScheduleRow, RegExp] => [
      { use_company_hours: false, business_hours: null, runs: [run(fields)] },
      message,
    ]),
    [null as unknown as ScheduleRow, /no runs/],
    [{ runs: [null] } as unknown as ScheduleRow, /runs\[0\]/],
  ]
  for (const [row, message] of broken) assert.match(compileSchedule(row).problems.join('; '), message)
})
