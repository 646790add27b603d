import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { campaignWorld } from '../../test/support/campaigns.ts'
import { agentPayload, runPayload } from '../../test/support/payloads.ts'

const { api, firm, payload, create, refusals, row, runsOf, auditOf } = await campaignWorld()

test('create answers the id and nothing else, with 201', async () => {
  const answer = await firm.call('POST /v1/campaigns', payload())
  assert.equal(answer.status, 201)
  assert.deepEqual(Object.keys(answer.body), ['id'])
})

test('rule 1: agent_id may be left out only when every run is messaging-only', async () => {
  const messages = { start_date: '2026-03-02', end_date: '2026-03-06', messaging_only: true }
  assert.deepEqual(await refusals(payload({ agent_id: null })), [
    'agent_id: is required unless every run has messaging_only true',
  ])
  assert.deepEqual(await refusals(payload({ agent_id: undefined, runs: [messages, runPayload()] })), [
    'agent_id: is required unless every run has messaging_only true',
  ])
  const id = await create({ agent_id: undefined, runs: [messages, messages] })
  assert.equal((await row(id)).agent_id, null)
})

test('rule 2: use_company_hours requires business_hours, and its hours stand instead of those of the runs', async () => {
  const needed = 'business_hours: is required when use_company_hours is true'
  for (const business_hours of [undefined, null, []])
    assert.deepEqual(await refusals(payload({ use_company_hours: true, business_hours })), [needed])
  const runs = [{ start_date: '2026-03-02', end_date: '2026-03-06' }]
  const business_hours = [{ start_time: '09:00', end_time: '12:00' }]
  const id = await create({ use_company_hours: true, business_hours, runs })
  assert.deepEqual((await row(id)).business_hours, business_hours)
})

test('rule 3: business hours lie within 08:00 to 21:00, end after they start, and do not overlap', async () => {
  const business_hours = [
    { start_time: '07:59', end_time: '09:00' },
    { start_time: '20:00', end_time: '21:01' },
    { start_time: '10:00', end_time: '10:00' },
    { start_time: '12:00', end_time: '15:00' },
    { start_time: '11:00', end_time: '12:01' },
  ]
  const expected = [
    'business_hours[0].start_time: must lie within 08:00 to 21:00',
    'business_hours[1].end_time: must lie within 08:00 to 21:00',
    'business_hours[2].end_time: must be after start_time (10:00)',
    'business_hours[4]: overlaps business_hours[3] (12:00 to 15:00)',
  ]
  assert.deepEqual(await refusals(payload({ business_hours, use_company_hours: true })), expected)
  assert.deepEqual(await refusals(payload({ business_hours })), expected, 'also without use_company_hours')
  await create({
    use_company_hours: true,
    business_hours: [
      { start_time: '12:00', end_time: '21:00' },
      { start_time: '08:00', end_time: '12:00' },
    ],
  })
})

test('rule 4: a run that is not messaging-only requires start_time and end_time', async () => {
  assert.deepEqual(await refusals(payload({ runs: [runPayload({ start_time: null, end_time: undefined })] })), [
    'runs[0].start_time: is required for a run that is not messaging-only',
    'runs[0].end_time: is required for a run that is not messaging-only',
  ])
})

test('rule 4: a messaging-only run must not carry call times', async () => {
  assert.deepEqual(await refusals(payload({ runs: [runPayload(), runPayload({ messaging_only: true })] })), [
    'runs[1].start_time: must be left out of a messaging-only run',
    'runs[1].end_time: must be left out of a messaging-only run',
  ])
})

test('the calling times of a run lie within 08:00 to 21:00 and are in order', async () => {
  const runs = [runPayload({ start_time: '07:00' }), runPayload({ start_time: '17:00', end_time: '09:00' })]
  assert.deepEqual(await refusals(payload({ runs })), [
    'runs[0].start_time: must lie within 08:00 to 21:00',
    'runs[1].end_time: must be after start_time (17:00)',
  ])
  await create({ runs: [runPayload({ start_time: '08:00', end_time: '21:00' })] })
})

test('rule 5: a weekly report requires weekday, a monthly one day_of_month', async () => {
  const report = { name: 'Report', time: '18:00', recipients: ['reports@example.com'] }
  assert.deepEqual(await refusals(payload({ report_schedule: { ...report, frequency: 'weekly' } })), [
    'report_schedule.weekday: is required for a weekly report (0 is Sunday)',
  ])
  assert.deepEqual(await refusals(payload({ report_schedule: { ...report, frequency: 'monthly', weekday: 1 } })), [
    'report_schedule.day_of_month: is required for a monthly report (1 to 31)',
  ])
  const outOfRange = { ...report, frequency: 'weekly', weekday: 7, day_of_month: 0 }
  assert.deepEqual(await refusals(payload({ report_schedule: outOfRange })), [
    'report_schedule.weekday: must be at most 6',
    'report_schedule.day_of_month: must be at least 1',
  ])
  for (const good of [
    { frequency: 'weekly', weekday: 0 },
    { frequency: 'monthly', day_of_month: 31 },
    { frequency: 'daily' },
  ])
    await create({ report_schedule: { ...report, ...good } })
})

test("rule 6: every run_client_id of a report equals some run's client_run_id; none means the entire campaign", async () => {
  const report = { name: 'Report', frequency: 'daily', time: '18:00', recipients: ['reports@example.com'] }
  const runs = [runPayload({ client_run_id: 'one' }), runPayload({ client_run_id: 'two' })]
  assert.deepEqual(
    await refusals(payload({ runs, report_schedule: { ...report, run_client_ids: ['one', 'three'] } })),
    ["report_schedule.run_client_ids[1]: no run has the client_run_id 'three'"],
  )
  await create({ runs, report_schedule: { ...report, run_client_ids: ['two', 'one'] } })
  await create({ runs, report_schedule: { ...report, run_client_ids: [] } })
  await create({ report_schedule: report })
})

test('rule 7: the report schedule is created together with the campaign, with its first delivery', async () => {
  const report_schedule = {
    name: 'Every Friday',
    frequency: 'weekly',
    weekday: 5,
    time: '22:30',
    recipients: ['reports@example.com', 'partner@example.com'],
    date_range: 'previous_week',
    filters: { results: ['converted', 'transferred'] },
  }
  const id = await create({ report_schedule })
  const [stored] = await api.pool.many<any>(
    sql`select * from report_schedules where company_id = ${firm.id} and campaign_id = ${id}`,
  )
  assert.deepEqual(stored.due_at, new Date('2026-03-06T22:30:00Z'))
  assert.deepEqual(stored.recipients, report_schedule.recipients)
  assert.deepEqual(stored.filters, report_schedule.filters)
  assert.equal(stored.format, 'csv')
  assert.equal(stored.date_range, 'previous_week')
})

test('a report is refused with its campaign: unknown case types, no recipients, no address', async () => {
  const report = { name: 'Report', frequency: 'daily', time: '18:00', recipients: ['reports@example.com'] }
  assert.deepEqual(
    await refusals(payload({ report_schedule: { ...report, filters: { case_type_ids: [1, 999_999] } } })),
    ['report_schedule.filters.case_type_ids[1]: no such case type: 999999'],
  )
  assert.deepEqual(await refusals(payload({ report_schedule: { ...report, recipients: [] } })), [
    'report_schedule.recipients: must not be empty',
  ])
  assert.deepEqual(await refusals(payload({ report_schedule: { ...report, recipients: ['nobody'], format: 'pdf' } })), [
    'report_schedule.recipients[0]: must be an e-mail address',
    'report_schedule.format: must be one of csv',
  ])
})

test('rule 8: concurrency_limit 0 is taken and means no limit; a negative one is refused', async () => {
  assert.equal((await row(await create({ concurrency_limit: 0 }))).concurrency_limit, 0)
  assert.equal((await row(await create())).concurrency_limit, 0)
  assert.equal((await row(await create({ concurrency_limit: 7 }))).concurrency_limit, 7)
  assert.deepEqual(await refusals(payload({ concurrency_limit: -1 })), ['concurrency_limit: must be at least 0'])
})

test('every broken rule is answered at once, by the path of its field', async () => {
  const body = payload({
    agent_id: 'agent_nobody',
    case_list_id: 999_999,
    form_id: 999_998,
    business_hours: [{ start_time: '06:00', end_time: '09:00' }],
    runs: [
      runPayload({ end_date: '2026-03-01', client_run_id: 'a' }),
      runPayload({
        client_run_id: 'a',
        messages: [{ channel: 'email', trigger: 'before_call', message: '{{case_nmae}}' }],
      }),
    ],
    callback_delays: [{ hours: 1 }, { hours: 0, days: 0 }],
  })
  assert.deepEqual(await refusals(body), [
    'agent_id: no such agent: agent_nobody',
    'case_list_id: no such case list: 999999',
    'form_id: no such form: 999998',
    'business_hours[0].start_time: must lie within 08:00 to 21:00',
    'runs[0].end_date: must not be before start_date (2026-03-02)',
    'runs[1].messages[0].delay_minutes: is required before a call and must be at least 2',
    "runs[1].messages[0].message: unknown template variable 'case_nmae'; did you mean 'case_name'?",
    'runs[1].messages[0].subject: is required for an e-mail',
    "runs[1].client_run_id: 'a' is already runs[0]",
    'callback_delays[1]: must be longer than zero',
  ])
})

test("another company's list, agent and form are as unknown as none", async () => {
  const other = await api.company()
  const theirs = await other.ok('POST /v1/case_lists', { name: 'Theirs' })
  const theirAgent = await other.ok('POST /v1/agent_builder/campaign_agents', agentPayload())
  const form = await api.pool.one<{ id: number }>(
    sql`insert into forms (company_id, name) values (${other.id}, 'Intake') returning id`,
  )
  const body = payload({ case_list_id: theirs.id, agent_id: theirAgent.id, form_id: form.id })
  assert.deepEqual(await refusals(body), [
    `agent_id: no such agent: ${theirAgent.id}`,
    `case_list_id: no such case list: ${theirs.id}`,
    `form_id: no such form: ${form.id}`,
  ])
})

test('a deleted agent and a deleted list are unknown', async () => {
  const gone = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload())
  await firm.ok(`DELETE /v1/agent_builder/campaign_agents/${gone.id}`)
  const old = await firm.ok('POST /v1/case_lists', { name: 'Old' })
  await firm.ok('POST /v1/case_lists/bulk_delete', { ids: [old.id] })
  assert.deepEqual(await refusals(payload({ agent_id: gone.id, case_list_id: old.id })), [
    `agent_id: no such agent: ${gone.id}`,
    `case_list_id: no such case list: ${old.id}`,
  ])
})

test('selected_days takes dates inside the run and weekday names in any case; [] is as if left out', async () => {
  const id = await create({
    runs: [
      runPayload({ selected_days: ['MONDAY', 'wednesday', '2026-03-06', 'Monday'] }),
      runPayload({ selected_days: [] }),
    ],
  })
  const [first, second] = await runsOf(id)
  assert.deepEqual(first.selected_days, ['monday', 'wednesday', '2026-03-06'])
  assert.equal(second.selected_days, null)
  assert.deepEqual(
    await refusals(payload({ runs: [runPayload({ selected_days: ['Mon', '2026-03-07', '2026-02-30'] })] })),
    [
      'runs[0].selected_days[0]: must be a date inside the run or an English weekday name',
      'runs[0].selected_days[1]: must lie within the run (2026-03-02 to 2026-03-06)',
      'runs[0].selected_days[2]: must be a date inside the run or an English weekday name',
    ],
  )
})

test('without callback_delays there is one retry after 4 hours; [] means none', async () => {
  assert.deepEqual((await row(await create())).callback_delays, [{ minutes: 0, hours: 4, days: 0 }])
  assert.deepEqual((await row(await create({ callback_delays: [] }))).callback_delays, [])
  assert.deepEqual(
    (await row(await create({ callback_delays: [{ minutes: 30 }, { days: 1, hours: null }] }))).callback_delays,
    [
      { minutes: 30, hours: 0, days: 0 },
      { minutes: 0, hours: 0, days: 1 },
    ],
  )
})

test('a callback delay of all zeros, of nothing, and a negative one are refused', async () => {
  const delays = [{ minutes: 0, hours: 0, days: 0 }, {}]
  assert.deepEqual(await refusals(payload({ callback_delays: delays })), [
    'callback_delays[0]: must be longer than zero',
    'callback_delays[1]: must be longer than zero',
  ])
  assert.deepEqual(await refusals(payload({ callback_delays: [{ hours: -1 }] })), [
    'callback_delays[0].hours: must be at least 0',
  ])
})

test('a campaign whose first run lies ahead is scheduled, any other is active at once, past dates included', async () => {
  const ahead = await create({
    runs: [runPayload({ start_date: '2026-03-04' }), runPayload({ start_date: '2026-03-05' })],
  })
  assert.equal((await row(ahead)).status, 'scheduled')
  const begun = await create({ runs: [runPayload({ start_date: '2026-03-05' }), runPayload()] })
  assert.equal((await row(begun)).status, 'active')
  const past = await create({ runs: [runPayload({ start_date: '2020-01-06', end_date: '2020-01-10' })] })
  assert.equal((await row(past)).status, 'active')
  const activities = async (id: number) => (await auditOf(id)).map(({ activity }) => activity)
  assert.deepEqual(await activities(ahead), ['campaign_created'])
  assert.deepEqual(await activities(begun), ['campaign_created', 'campaign_started'])
})

test('a new campaign stands at the beginning of its list, for the planner', async () => {
  assert.equal((await row(await create())).plan_cursor, 0)
})

test('what breaks the schema and what breaks a rule across fields are named together', async () => {
  const broken = payload({
    name: 5,
    use_company_hours: true,
    business_hours: [{ start_time: '07:00', end_time: '09:00' }],
    report_schedule: { name: 'Weekly', frequency: 'weekly', time: '25:00', recipients: ['a@example.com'] },
  })
  const details = await refusals(broken)
  for (const start of [
    'name: ',
    'report_schedule.time: ',
    'business_hours[0].start_time: ',
    'report_schedule.weekday: ',
  ])
    assert.ok(
      details.some((detail: string) => detail.startsWith(start)),
      `${start} in ${details}`,
    )
})
