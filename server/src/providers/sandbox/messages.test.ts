import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { cloneDatabase } from '../../../test/support/database.ts'
import { fastClock } from '../../core/clock.ts'
import { openPool } from '../../core/db.ts'
import { type MessageEvents, MessageRefused, type MessageStatusEvent } from '../message.ts'
import { sandboxEmail, sandboxSms } from './messages.ts'

const pool = openPool(await cloneDatabase())
after(() => pool.end())
const clock = fastClock(new Date('2026-03-02T17:00:00Z'), new Date(), 10_000)

type Provider = { start(events: MessageEvents): Promise<void>; stop(): Promise<void> }

async function listenTo(provider: Provider) {
  const heard = new Map<string, MessageStatusEvent>()
  const waiting = new Map<string, (event: MessageStatusEvent) => void>()
  await provider.start({
    status(event) {
      assert.ok(!heard.has(event.key), 'told twice')
      heard.set(event.key, event)
      waiting.get(event.key)?.(event)
    },
    received: async () => null,
  })
  after(() => provider.stop())
  return (key: string) =>
    new Promise<MessageStatusEvent>((resolve) => {
      const known = heard.get(key)
      if (known) resolve(known)
      else waiting.set(key, resolve)
    })
}

const sms = sandboxSms(pool, clock)
const smsTold = await listenTo(sms)
const email = sandboxEmail(pool, clock)
const emailTold = await listenTo(email)

const text = (key: string, to = '+12125550142') => ({
  company_id: 1,
  key,
  to,
  from: null,
  body: 'Your hearing is tomorrow.',
})
const mail = (key: string, to = 'maria@example.com') => ({
  company_id: 1,
  key,
  to,
  from_name: 'Marsh & Cole',
  subject: 'Your hearing',
  text: 'It is tomorrow.',
})

test('a text is kept as it was sent, and delivered a moment later', async () => {
  const { provider_message_id } = await sms.send(text('message:1'))
  const [row] = await pool.many(
    sql`select channel, to_address, body from sandbox_messages where company_id = 1 and key = 'message:1'`,
  )
  assert.deepEqual(row, { channel: 'sms', to_address: '+12125550142', body: 'Your hearing is tomorrow.' })
  const event = await smsTold('message:1')
  assert.deepEqual([event.status, event.provider_message_id], ['delivered', provider_message_id])
  assert.equal((await sms.lookup({ company_id: 1, key: 'message:1' }))?.status, 'delivered')
})

test('a message sent twice under one key goes out and is reported once', async () => {
  const ids = await Promise.all([sms.send(text('message:2')), sms.send(text('message:2'))])
  assert.deepEqual(ids[0], ids[1])
  await smsTold('message:2')
  await sms.send({ ...text('message:2'), body: 'Something else' })
  const rows = await pool.many(sql`select body from sandbox_messages where key = 'message:2'`)
  assert.deepEqual(rows, [{ body: 'Your hearing is tomorrow.' }])
})

test('the reserved numbers fail as they are documented', async () => {
  for (const [key, to, error] of [
    ['message:3', '+12025550120', 'the number is a landline'],
    ['message:4', '+12025550121', 'the phone could not be reached'],
  ] as const) {
    await sms.send(text(key, to))
    const event = await smsTold(key)
    assert.deepEqual([event.status, event.reason, event.error], ['failed', 'unreachable', error])
    assert.deepEqual((await sms.lookup({ company_id: 1, key }))?.error, error)
  }
  await assert.rejects(
    sms.send(text('message:5', '+12025550122')),
    (error) => error instanceof MessageRefused && error.reason === 'opted_out',
  )
  await assert.rejects(
    sms.send(text('message:6', '+12025550123')),
    (error) => error instanceof MessageRefused && error.reason === 'invalid_address',
  )
  assert.equal(await sms.lookup({ company_id: 1, key: 'message:5' }), null)
})

test('about two in a hundred numbers are landlines, always the same ones', async () => {
  const keys = Array.from({ length: 1000 }, (_, n) => `bulk:${n}`)
  await Promise.all(keys.map((key, n) => sms.send(text(key, `+1${212 + (n % 500)}5550${100 + (n % 97)}`))))
  const events = await Promise.all(keys.map(smsTold))
  const failed = events.filter(({ status }) => status === 'failed').length
  assert.ok(failed >= 5 && failed <= 45, `${failed}`)
})

test('a mail is kept with its subject and attachments, and delivered', async () => {
  const attachments = [{ filename: 'report.csv', content_type: 'text/csv', content: 'id,result\n1,converted\n' }]
  await email.send({ ...mail('report:1:counsel@example.com', 'counsel@example.com'), attachments })
  assert.equal((await emailTold('report:1:counsel@example.com')).status, 'delivered')
  const [row] = await pool.many(
    sql`select from_address, subject, body, attachments from sandbox_messages where key = 'report:1:counsel@example.com'`,
  )
  assert.deepEqual(row, { from_address: 'Marsh & Cole', subject: 'Your hearing', body: 'It is tomorrow.', attachments })
})

test('mail bounces and is refused where the address says so', async () => {
  await email.send(mail('message:7', 'bounce+7@example.com'))
  assert.deepEqual((await emailTold('message:7')).error, 'the mailbox does not exist')
  await assert.rejects(email.send(mail('message:8', 'refused@example.com')), MessageRefused)
})

test('a key of another company or channel is another message', async () => {
  assert.equal(await sms.lookup({ company_id: 2, key: 'message:1' }), null)
  assert.equal(await email.lookup({ company_id: 1, key: 'message:1' }), null)
})

test('what was on its way when its process died is known to have arrived', async () => {
  const dying = sandboxSms(pool, clock)
  await dying.start({ status: () => assert.fail('told after it stopped'), received: async () => null })
  await dying.send(text('message:9'))
  await dying.send(text('message:10', '+12025550120'))
  await dying.stop()
  while ((await sms.lookup({ company_id: 1, key: 'message:10' }))?.status === 'accepted')
    await new Promise((resolve) => setTimeout(resolve, 2))
  assert.equal((await sms.lookup({ company_id: 1, key: 'message:9' }))?.status, 'delivered')
  assert.equal((await sms.lookup({ company_id: 1, key: 'message:10' }))?.error, 'the number is a landline')
})

test('an appointment is kept as a calendar entry', async () => {
  const [starts_at, created_at] = [new Date('2026-03-10T15:00:00Z'), new Date('2026-03-02T17:00:00Z')]
  const appointment = { company_id: 1, key: 'appointment:1', title: 'Appointment', starts_at, minutes: 30, created_at }
  await email.send({ ...mail('message:900'), appointment })
  const { attachments } = await pool.one<{ attachments: { filename: string; content: string }[] }>(
    sql`select attachments from sandbox_messages where company_id = 1 and key = 'message:900'`,
  )
  assert.deepEqual(
    attachments.map(({ filename }) => filename),
    ['appointment.ics'],
  )
  assert.match(attachments[0]!.content, /DTSTART:20260310T150000Z/)
})
