import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { type Company, startApi } from '../support/api.ts'
import { clockAt, eventually, startTestEngine } from '../support/engine.ts'

// Monday, 10:00 in New York; a day passes in about six seconds.
const clock = clockAt('2026-03-02T15:00:00Z', 15_000)
const api = await startApi({ clock })
await startTestEngine(api, clock)

const ANYBODY = {
  external_source: 'import',
  external_source_id: '1',
  first_name: 'Ana',
  last_name: 'Lee',
  state: 'NY',
  postal_code: '10007',
}

/** A list of all cases of the type `civil` and an agent to call about them. */
async function prepare(firm: Company): Promise<{ agent_id: string; case_list_id: number }> {
  const { id } = await api.pool.one<{ id: number }>(
    sql`select id from case_types where company_id = ${firm.id} and name = 'civil'`,
  )
  const list = await firm.ok('POST /v1/case_lists', { name: 'Civil', filter: { case_type_ids: [id] } })
  const { voices } = await firm.ok('GET /v1/agent_builder/voices')
  const agent = await firm.ok('POST /v1/agent_builder/campaign_agents', {
    name: 'Grace',
    voice_id: voices[0].voice_id,
    greeting: 'Hello {{first_name}}, this is {{agent_name}}.',
    task: 'Ask whether the client can come to the office this week.',
    post_call_fields: [{ name: 'can_come', type: 'boolean', description: 'Can they come to the office?' }],
  })
  return { agent_id: agent.id, case_list_id: list.id }
}

let cases = 0

async function addPerson(
  firm: Company,
  person: Record<string, unknown>,
  type = 'civil',
): Promise<{ id: number; case_id: number }> {
  const client = await firm.ok('POST /v1/clients', { ...ANYBODY, ...person })
  const filed = await firm.ok('POST /v1/cases', {
    case_number: `C-${++cases}`,
    external_source: 'import',
    external_source_id: String(cases),
    status: 'active',
    type,
    client_ids: [client.id],
  })
  return { id: client.id, case_id: filed.id }
}

const EVERY_DAY = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const run = {
  start_date: '2026-03-02',
  end_date: '2026-12-31',
  start_time: '09:00',
  end_time: '18:00',
  selected_days: EVERY_DAY,
}

const contactOf = (clientId: number) =>
  api.pool.maybe<{ state: string; settled_reason: string | null; attempts: number; case_id: number }>(
    sql`select state, settled_reason, attempts, case_id from campaign_contacts where client_id = ${clientId}`,
  )

const settled = (clientId: number) =>
  eventually(async () => {
    const contact = await contactOf(clientId)
    return contact?.state === 'settled' ? contact : undefined
  }, 40)

const callsTo = (clientId: number) =>
  api.pool.many<{
    id: number
    result: string
    start_time: Date
    ended_at: Date
    to_number: string
    decision: { allowed: boolean; rule_versions: string[] }
  }>(sql`select * from calls where client_id = ${clientId} and state = 'ended' order by id`)

const completed = (campaignId: number) =>
  eventually(async () => {
    const { status } = await api.pool.one<{ status: string }>(
      sql`select status from campaigns where id = ${campaignId}`,
    )
    return status === 'completed'
  }, 60)

test('a campaign calls who may be called, retries as its delays say, says why it left out the others, and completes', async () => {
  const firm = await api.company()
  const base = await prepare(firm)
  // +1 202 555 01xx: the sandbox's reserved numbers, each with its persona.
  const agrees = await addPerson(firm, { mobile: '202-555-0100' })
  const asksForCallback = await addPerson(firm, { mobile: '202-555-0105' })
  const optsOut = await addPerson(firm, { mobile: '202-555-0106' })
  const wrongNumber = await addPerson(firm, { mobile: '202-555-0108' })
  const nobody = await addPerson(firm, { mobile: '202-555-0116' })
  const refused = {
    opted_out: await addPerson(firm, { mobile: '202-555-0101', voice_calls_opted_out: true }),
    number_missing: await addPerson(firm, {}),
    number_malformed: await addPerson(firm, { mobile: '12345' }),
    deceased: await addPerson(firm, { mobile: '202-555-0102', date_of_death: '2020-01-01' }),
  }
  const stranger = await addPerson(firm, { mobile: '202-555-0103' }, 'family')
  const { id } = await firm.ok('POST /v1/campaigns', {
    ...base,
    name: 'Spring',
    callback_delays: [{ hours: 1 }, { hours: 2 }],
    runs: [{ ...run, end_date: '2026-03-06' }],
  })
  assert.equal((await settled(agrees.id)).settled_reason, 'converted')
  assert.equal((await settled(optsOut.id)).settled_reason, 'opted_out')
  assert.equal((await settled(wrongNumber.id)).settled_reason, 'wrong_number')
  assert.equal((await settled(nobody.id)).attempts, 3)
  for (const [reason, person] of Object.entries(refused)) {
    const contact = await settled(person.id)
    assert.deepEqual([contact.settled_reason, contact.attempts], [reason, 0])
  }
  assert.equal(await contactOf(stranger.id), undefined)

  const attempts = await callsTo(nobody.id)
  assert.deepEqual(
    attempts.map(({ result }) => result),
    ['no_answer', 'no_answer', 'no_answer'],
  )
  for (const [index, hours] of [1, 2].entries()) {
    const waited = attempts[index + 1]!.start_time.getTime() - attempts[index]!.ended_at.getTime()
    assert.ok(waited >= hours * 3_600_000, `the ${index + 1}. retry waits ${hours} h from the end of the attempt`)
  }
  assert.ok(
    attempts.every(({ decision }) => decision.allowed && decision.rule_versions.length > 0),
    'the decision is stored with each attempt',
  )

  const client = await firm.ok(`GET /v1/clients/${optsOut.id}`)
  assert.deepEqual([client.voice_calls_opted_out, client.sms_opted_out, client.update_origin], [true, false, 'system'])

  await completed(id)
  const [campaign] = await firm.ok('GET /v1/campaigns')
  const [{ total, success, contacts } = { total: 0, success: 0, contacts: 0 }] = await api.pool.many<{
    total: number
    success: number
    contacts: number
  }>(sql`
    select count(*)::int as total, count(*) filter (where result in ('converted', 'successful', 'disqualified', 'callback_requested', 'transferred'))::int as success,
      count(distinct client_id)::int as contacts from calls where campaign_id = ${id}`)
  assert.equal(campaign.stats.total_calls, total)
  assert.equal(campaign.stats.success_calls, success)
  assert.equal(campaign.stats.failed_calls, total - success)
  assert.equal(campaign.stats.conversion_rate, Math.round(1000 / contacts) / 10)
  // It always asks for another callback: the last one lies behind the campaign's end and becomes a task.
  const tasks = await api.pool.many<{ case_id: number; client_id: number }>(
    sql`select case_id, client_id from case_tasks where company_id = ${firm.id} and task_id in (select id from tasks where title like 'Call back%')`,
  )
  assert.deepEqual(tasks, [{ case_id: asksForCallback.case_id, client_id: asksForCallback.id }])
})

test('a dynamic list is followed: newcomers are called, leavers never, and who is another case of a leaver is called for that', async () => {
  const firm = await api.company()
  const base = await prepare(firm)
  const late = await addPerson(firm, { mobile: '202-555-0100' })
  // Far enough ahead on the fast clock for everything to change before the first call.
  const start_date = new Date(clock.now().getTime() + 3 * 86_400_000).toISOString().slice(0, 10)
  const { id } = await firm.ok('POST /v1/campaigns', {
    ...base,
    name: 'Open',
    never_ending: true,
    runs: [{ ...run, start_date }],
  })
  await eventually(async () => (await contactOf(late.id))?.state === 'due')
  const leaving = await firm.ok(`GET /v1/cases/${late.case_id}`)
  await firm.ok(`PUT /v1/cases/${late.case_id}`, { ...leaving, type: 'family' })
  const other = await firm.ok('POST /v1/cases', {
    ...leaving,
    case_number: 'other',
    type: 'civil',
    client_ids: [late.id],
  })
  const newcomer = await addPerson(firm, { mobile: '202-555-0101' })
  const couple = await addPerson(firm, { mobile: '202-555-0102' })
  await firm.ok('POST /v1/cases', { ...leaving, case_number: 'second', type: 'civil', client_ids: [couple.id] })
  await settled(newcomer.id)
  assert.equal((await settled(couple.id)).case_id, couple.case_id, 'once, for the case with the lowest id')
  assert.equal((await callsTo(couple.id)).length, 1)
  // Settled as a leaver for a moment, then planned anew for the other case.
  await eventually(async () => (await callsTo(late.id)).length > 0)
  assert.equal((await contactOf(late.id))!.case_id, other.id)
  assert.equal((await callsTo(late.id)).length, 1)
  const { status } = await api.pool.one<{ status: string }>(sql`select status from campaigns where id = ${id}`)
  assert.equal(status, 'active', 'never-ending')
})

test('with calls scheduled externally only POST /v1/calls makes calls, for whoever it names', async () => {
  const firm = await api.company()
  const base = await prepare(firm)
  const member = await addPerson(firm, { mobile: '202-555-0100' })
  const outsider = await addPerson(firm, { mobile: '202-555-0101' }, 'family')
  const { id } = await firm.ok('POST /v1/campaigns', {
    ...base,
    name: 'External',
    calls_scheduled_externally: true,
    runs: [run],
  })
  const answer = await firm.call('POST /v1/calls', { campaign_id: id, case_id: outsider.case_id })
  assert.deepEqual(
    [answer.status, answer.body],
    [201, { campaign_id: id, client_id: outsider.id, case_id: outsider.case_id }],
  )
  await settled(outsider.id)
  assert.equal((await callsTo(outsider.id)).length, 1)
  assert.equal((await callsTo(member.id)).length, 0)
})

test('texts go out before and after calls and at set times, in the words of the contact, and never to who opted out of them', async () => {
  const firm = await api.company()
  const base = await prepare(firm)
  const person = await addPerson(firm, { mobile: '202-555-0100', first_name: 'Zoë' })
  const silent = await addPerson(firm, { mobile: '202-555-0103', sms_opted_out: true })
  await firm.ok('POST /v1/campaigns', {
    ...base,
    name: 'Texts',
    runs: [
      {
        ...run,
        messages: [
          {
            channel: 'sms',
            trigger: 'before_call',
            delay_minutes: 30,
            message: 'Hello {{ first_name }}, we call you about {{case_number}} soon.',
          },
          { channel: 'sms', trigger: 'after_successful_call', message: 'Thank you {{first_name}}.' },
          { channel: 'sms', trigger: 'after_failed_call', message: 'We missed you.' },
        ],
      },
      {
        start_date: '2026-03-02',
        end_date: '2026-12-31',
        messaging_only: true,
        messages: [{ channel: 'sms', trigger: 'scheduled', time: '20:30', message: 'Good evening {{last_name}}.' }],
        selected_days: EVERY_DAY,
      },
    ],
  })
  await settled(person.id)
  await settled(silent.id)
  const sent = await eventually(async () => {
    const texts = await api.pool.many<{ body: string; to_address: string; at: Date }>(sql`
      select b.body, b.to_address, b.accepted_at as at from sandbox_messages b where b.company_id = ${firm.id} order by b.accepted_at`)
    return texts.some(({ body }) => body.startsWith('Good')) && texts.some(({ body }) => body.startsWith('Thank'))
      ? texts
      : undefined
  }, 40)
  const [first, ...later] = sent
  assert.match(first!.body, /\nReply STOP to get no more texts\.$/)
  assert.ok(later.length > 0 && later.every(({ body }) => !body.includes('STOP')), 'only the first names the way out')
  first!.body = first!.body.replace(/\nReply STOP.*/, '')
  const of = (start: string) => sent.filter(({ body }) => body.startsWith(start))
  const { case_number } = await firm.ok(`GET /v1/cases/${person.case_id}`)
  assert.deepEqual(
    of('Hello').map(({ body }) => body),
    [`Hello Zoë, we call you about ${case_number} soon.`],
  )
  assert.deepEqual(
    of('Thank').map(({ body }) => body),
    ['Thank you Zoë.'],
  )
  assert.equal(of('We missed').length, 0)
  assert.ok(
    sent.every(({ to_address }) => to_address === '+12025550100'),
    'nothing to who opted out of texts',
  )
  const [call] = await callsTo(person.id)
  assert.ok(
    call!.start_time.getTime() - of('Hello')[0]!.at.getTime() >= 29 * 60_000,
    'the text goes out half an hour before the call',
  )
  const due = await api.pool.many<{ hour: string }>(sql`
    select distinct to_char(due_at at time zone 'America/New_York', 'HH24:MI') as hour from messages
    where company_id = ${firm.id} and body like 'Good evening%' and status in ('sent', 'delivered')`)
  assert.deepEqual(due, [{ hour: '20:30' }], 'in the local time of the contact')
  assert.equal((await callsTo(silent.id)).length, 1, 'a text opt-out does not stop calls')
  const skipped = await api.pool.many<{ error: string }>(
    sql`select error from messages where client_id = ${silent.id} and status = 'skipped'`,
  )
  assert.ok(skipped.length > 0 && skipped.every(({ error }) => error.includes('opted out of text messages')))
})

test('a scheduled report goes to its recipients once, with a row per call, and its run is recorded', async () => {
  const firm = await api.company()
  const base = await prepare(firm)
  const person = await addPerson(firm, { mobile: '202-555-0100', last_name: '=SUM(A1)' })
  const { id } = await firm.ok('POST /v1/campaigns', {
    ...base,
    name: 'Reported',
    never_ending: true,
    runs: [{ ...run, client_run_id: 'first' }],
    report_schedule: {
      name: 'Daily',
      frequency: 'daily',
      time: '23:30',
      recipients: ['a@example.com', 'b@example.com'],
      run_client_ids: ['first'],
    },
  })
  await settled(person.id)
  const runs = await eventually(async () => {
    const found = await api.pool.many<{ status: string; row_count: number }>(sql`
      select r.status, r.row_count from report_runs r join report_schedules s on s.company_id = r.company_id and s.id = r.report_schedule_id
      where s.campaign_id = ${id} and r.row_count > 0 order by r.id`)
    return found.length > 0 ? found : undefined
  }, 40)
  assert.deepEqual(runs[0], { status: 'sent', row_count: 1 })
  const mails = await api.pool.many<{ to_address: string; attachments: { content: string }[] }>(sql`
    select to_address, attachments from sandbox_messages where company_id = ${firm.id} and channel = 'email' order by accepted_at, to_address limit 2`)
  assert.deepEqual(
    mails.map(({ to_address }) => to_address),
    ['a@example.com', 'b@example.com'],
  )
  assert.match(JSON.stringify(mails[0]!.attachments), /call_id,start_time/)
  assert.match(JSON.stringify(mails[0]!.attachments), /Ana =SUM\(A1\)/)
})
