import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import ICAL from 'ical.js'
import sql from 'sql-template-tag'
import { reanalyse } from '../../src/calls/reanalyse.ts'
import { addRule } from '../../src/compliance/change-rules.ts'
import { mindOf } from '../../src/voice-agents/mind.ts'
import { clockAt, eventually } from '../support/engine.ts'
import { startMailServer } from '../support/mail-server.ts'
import { startRealCalls } from '../support/real-calls.ts'
import { seedCampaign } from '../support/seed.ts'
import { type Asked, type Reply, startModel } from '../support/stub-model.ts'

/** What the contact whose number ends in its index asks for, one wish after the other; days of March 2026. */
const WISHES: [day: number, time: string][][] = [
  [[10, '11:00']],
  [
    [12, '16:45'],
    [12, '16:30'],
  ],
  [[17, '10:00']],
  [[18, '10:00']],
  [
    [19, '09:00'],
    [20, '09:00'],
  ],
  [
    [23, '10:00'],
    [24, '14:00'],
  ],
  [[25, '10:00']],
]
const [PLAIN, LATE, NO_ADDRESS, OPTED_OUT, HOLIDAY, CHANGES, BOUNCED] = [1, 2, 3, 4, 5, 6, 7] as const
const contacts = WISHES.length

const model = await startModel((asked) => {
  if (!asked.stream) return { says: 'I can not read this.' }
  const [, n] = /Ana Lee (\d+)/.exec(asked.messages[0]!.content)!
  return wishFor(WISHES[Number(n) - 1]!, asked)
})
after(model.close)

function wishFor(wishes: [number, string][], { messages }: Asked): Reply {
  const said = messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
  const tried = said.filter((words) => /put you down|is open|is closed|is taken/.test(words)).length
  const booked = tried > 0 && tried >= wishes.length
  if (booked) return { says: 'Thank you. Goodbye.', calls: [{ name: 'end_call', input: {} }] }
  if (said.length < 2) return { says: 'Which day and time would suit you?' }
  const [day, time] = wishes[tried]!
  const promise = 'Done. I will e-mail you an invitation for your calendar.'
  return { says: promise, calls: [{ name: 'book_appointment', input: { date: `2026-03-${day}`, time } }] }
}

const mail = await startMailServer()
const clock = clockAt('2026-03-02T15:00:00Z', 60)
let companyId = 0
const { api, twilio } = await startRealCalls({
  clock,
  mail,
  languageModel: model.model,
  behaviour: () => ({ pickup: 'answers', persona: 'converted' }),
  async seed({ pool }) {
    companyId = (await seedCampaign(pool, { name: 'Marsh & Cole', contacts, callbackDelays: [] })).companyId
    await pool.run(sql`update agents set is_appointment_booking_enabled = true`)
    await pool.run(
      sql`update clients set email = 'ana' || external_source_id || '@example.com' where external_source_id <> ${String(NO_ADDRESS)}`,
    )
    await pool.run(sql`update clients set email_opted_out = true where external_source_id = ${String(OPTED_OUT)}`)
    await pool.run(sql`
      insert into undeliverable (company_id, channel, address, reason, noted_at)
      values (${companyId}, 'email', ${`ana${BOUNCED}@example.com`}, 'invalid_address', now())`)
    await pool.transaction((db) =>
      addRule(
        { db, companyId },
        {
          channels: ['call'],
          hours: { default: [['00:00', '24:00']], holiday: [] },
          holidays: [{ name: 'Founder’s day', month: 3, day: 19 }],
        },
        new Date('2026-03-01'),
      ),
    )
  },
})
const { pool } = api

await eventually(async () => {
  const { ended } = await pool.one<{ ended: number }>(
    sql`select count(*)::int as ended from calls where state = 'ended'`,
  )
  const { open } = await pool.one<{ open: number }>(
    sql`select count(*)::int as open from messages where status in ('scheduled', 'sending')`,
  )
  return ended === contacts && open === 0
}, 60)

const at = (n: number) => `+1212${2_000_000 + n}`
const heardBy = (n: number) => twilio.calls.find(({ to }) => to === at(n))!.heard.join('\n')
const mailedTo = (n: number) => mail.received.filter(({ to_address }) => to_address === `ana${n}@example.com`)
const appointmentOf = (n: number) =>
  pool.one<any>(sql`
    select a.*, t.title, t.body, k.due_on::text, k.case_id as of_case from appointments a
    join clients c on c.company_id = a.company_id and c.id = a.client_id and c.external_source_id = ${String(n)}
    join case_tasks k on k.company_id = a.company_id and k.id = a.case_task_id
    join tasks t on t.company_id = k.company_id and t.id = k.task_id`)

function eventIn(mail: ReturnType<typeof mailedTo>[number]) {
  const [part] = mail.attachments.filter(({ filename }) => filename === 'appointment.ics')
  const content = part!.content
  const calendar = new ICAL.Component(
    ICAL.parse(typeof content === 'string' ? content : new TextDecoder().decode(content)),
  )
  const [event] = calendar.getAllSubcomponents('vevent')
  return { calendar, component: event!, event: new ICAL.Event(event!) }
}

test('what was agreed on the phone is a task on the case, on its day', async () => {
  const booked = await appointmentOf(PLAIN)
  assert.equal(booked.starts_at.toISOString(), '2026-03-10T15:00:00.000Z')
  assert.equal(booked.title, 'Appointment with Ana Lee 1: Tuesday, March 10 at 11 AM Eastern Time (America/New_York).')
  assert.match(booked.body, /sent to them by e-mail/)
  assert.deepEqual([booked.due_on, booked.of_case], ['2026-03-10', booked.case_id])
  assert.match(heardBy(PLAIN), /Tuesday, March 10 at 11 AM Eastern Time\. You will get it by e-mail/)
})

test('it is mailed once as text, HTML and a calendar entry that a calendar understands', async () => {
  const [message, ...others] = mailedTo(PLAIN)
  assert.equal(others.length, 0)
  assert.equal(message!.subject, 'Your appointment with Marsh & Cole')
  assert.match(message!.text!, /^Dear Ana,\n\n.*Tuesday, March 10 at 11 AM Eastern Time \(30 minutes\)/s)
  assert.match(message!.html!, /Tuesday, March 10/)
  assert.ok(message!.headers.some(({ key }) => key === 'list-unsubscribe-post'))
  assert.match(message!.raw, /Content-Type: text\/calendar; charset=utf-8; method=PUBLISH/i)
  const { calendar, component, event } = eventIn(message!)
  assert.equal(calendar.getFirstPropertyValue('method'), 'PUBLISH')
  assert.equal(calendar.getFirstPropertyValue('version'), '2.0')
  assert.equal(event.startDate.toJSDate().toISOString(), '2026-03-10T15:00:00.000Z')
  assert.equal(event.endDate.toJSDate().toISOString(), '2026-03-10T15:30:00.000Z')
  assert.equal(event.summary, 'Appointment with Marsh & Cole')
  assert.equal(event.organizer, 'mailto:cases@marsh.example.com')
  assert.match(event.uid, /^[0-9a-f]{40}@marsh\.example\.com$/)
  assert.ok(component.getFirstPropertyValue('dtstamp'))
  // Neither who it is for nor what about: calendars are shared.
  assert.doesNotMatch(component.toString(), /Ana|Lee|T-1|ATTENDEE|DESCRIPTION|@example\.com/)
})

test('the message is kept on the case, and the gate has allowed it', async () => {
  const { case_id, client_id } = await appointmentOf(PLAIN)
  const [message] = await pool.many<any>(sql`select * from messages where client_id = ${client_id}`)
  assert.deepEqual(
    [message.status, message.case_id, message.channel, message.decision.allowed],
    ['sent', case_id, 'email', true],
  )
})

test('half an hour that ends after the office does is not booked', async () => {
  assert.match(heardBy(LATE), /The office is open Monday to Friday, 9 AM to 5 PM Eastern Time/)
  assert.equal((await appointmentOf(LATE)).starts_at.toISOString(), '2026-03-12T20:30:00.000Z')
})

test('a day on which the firm calls nobody is no day for appointments', async () => {
  assert.match(heardBy(HOLIDAY), /The office is closed on that day/)
  assert.equal((await appointmentOf(HOLIDAY)).starts_at.toISOString(), '2026-03-20T13:00:00.000Z')
})

for (const [what, n] of [
  ['has no address', NO_ADDRESS],
  ['has opted out of e-mail', OPTED_OUT],
  ['has an address where nothing arrives', BOUNCED],
] as const)
  test(`a contact who ${what} is promised no e-mail, gets none, and the task says so`, async () => {
    const booked = await appointmentOf(n)
    assert.match(booked.body, /Nothing was sent to them/)
    assert.doesNotMatch(heardBy(n), /mail/)
    assert.deepEqual(mailedTo(n), [])
    assert.deepEqual(await pool.many(sql`select from messages where client_id = ${booked.client_id}`), [])
  })

test('what a model promises by itself about mail is not said', () => {
  for (const { heard } of twilio.calls) assert.doesNotMatch(heard.join('\n'), /invitation|…/)
})

test('another time in the same call moves the appointment, and only that is mailed', async () => {
  assert.equal((await appointmentOf(CHANGES)).starts_at.toISOString(), '2026-03-24T18:00:00.000Z')
  const [message, ...others] = mailedTo(CHANGES)
  assert.equal(others.length, 0)
  assert.equal(eventIn(message!).event.startDate.toJSDate().toISOString(), '2026-03-24T18:00:00.000Z')
})

test('who opts out before it is sent does not get it', async () => {
  const { client_id } = await appointmentOf(LATE)
  await pool.run(sql`update clients set email_opted_out = true where id = ${client_id}`)
  await pool.run(sql`
    update messages set status = 'scheduled', provider_message_id = null, due_at = ${clock.now()} where client_id = ${client_id}`)
  const [message] = await eventually(async () => {
    const rows = await pool.many<any>(
      sql`select * from messages where client_id = ${client_id} and status <> 'scheduled'`,
    )
    return rows.length > 0 ? rows : undefined
  })
  assert.deepEqual([message.status, message.error], ['skipped', 'the contact has opted out of e-mail'])
  assert.equal(mailedTo(LATE).length, 1)
})

test('reading the call anew makes no second appointment, task or mail', async () => {
  const { call_id, client_id } = await appointmentOf(PLAIN)
  await reanalyse((work) => work({ db: pool, companyId }), call_id, mindOf(null, { warn() {} }))
  const { tasks, messages } = await pool.one<any>(sql`
    select (select count(*)::int from case_tasks where client_id = ${client_id}) as tasks,
      (select count(*)::int from messages where client_id = ${client_id}) as messages`)
  assert.deepEqual([tasks, messages, mailedTo(PLAIN).length], [1, 1, 1])
})
