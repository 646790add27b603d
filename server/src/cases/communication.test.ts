import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'
import { fastClock } from '../core/clock.ts'

const NOW = new Date('2026-03-02T15:00:00Z')
const api = await startApi({ clock: { ...fastClock(NOW, NOW, 1), now: () => NOW } })
const firm = await api.company('Okafor & Lee')

const reachable = { mobile: '(212) 555-0123', email: 'ana@example.com' }

/** A case with one client. */
async function linked(clientFields?: object, caseFields?: object) {
  const client = (await firm.ok('POST /v1/clients', clientPayload({ ...reachable, ...clientFields }))).id
  const about = (await firm.ok('POST /v1/cases', casePayload({ client_ids: [client], ...caseFields }))).id
  return { case_id: about, client_id: client }
}

const SMS = 'POST /v1/cases/communication/sms'
const EMAIL = 'POST /v1/cases/communication/email'

const scheduled = (case_id: number) =>
  api.pool.many(sql`
    select channel, direction, status, client_id, campaign_id, manual, to_address, subject, body, due_at, origin
    from messages where company_id = ${firm.id} and case_id = ${case_id} order by id`)

async function refused(route: string, body: object) {
  const answer = await firm.call(route, body)
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
  return answer.body.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`)
}

test('rule 6: the SMS operation only schedules the message', async () => {
  const to = await linked({ first_name: 'Zoë' })
  const answer = await firm.call(SMS, { ...to, message: 'Hi {{first_name}}' })
  assert.deepEqual([answer.status, answer.body], [200, { message: 'sms scheduled' }])
  assert.deepEqual(await scheduled(to.case_id), [
    {
      channel: 'sms',
      direction: 'outbound',
      status: 'scheduled',
      client_id: to.client_id,
      campaign_id: null,
      manual: true,
      to_address: '+12125550123',
      subject: null,
      body: 'Hi Zoë',
      due_at: NOW,
      origin: 'public_api',
    },
  ])
})

test('rule 6: the e-mail operation only schedules the message', async () => {
  const to = await linked()
  const answer = await firm.call(EMAIL, { ...to, subject: 'Your case', message: 'Dear client' })
  assert.deepEqual([answer.status, answer.body], [200, { message: 'email scheduled' }])
  const [message] = await scheduled(to.case_id)
  assert.deepEqual(
    { ...message, due_at: null },
    {
      channel: 'email',
      direction: 'outbound',
      status: 'scheduled',
      client_id: to.client_id,
      campaign_id: null,
      manual: true,
      to_address: 'ana@example.com',
      subject: 'Your case',
      body: 'Dear client',
      due_at: null,
      origin: 'public_api',
    },
  )
})

test('rule 7: the message may contain template variables in double curly braces, the subject too', async () => {
  const to = await linked({ meta: { colour: 'red' } }, { name: 'Lee v. Acme', court_date: '2026-04-01' })
  await firm.ok(EMAIL, {
    ...to,
    subject: '{{case_name}}',
    message: '{{ first_name }} {{court_date}} {{meta.colour}} {{company_name}} [{{agent_name}}{{court_name}}]',
  })
  const [message] = await scheduled(to.case_id)
  assert.equal(message!.subject, 'Lee v. Acme')
  assert.equal(message!.body, 'Ana 2026-04-01 red Okafor & Lee []')
})

test('a value that looks like a variable stays what it is', async () => {
  const to = await linked({ first_name: '{{last_name}} $&' })
  await firm.ok(SMS, { ...to, message: 'Hi {{first_name}}' })
  assert.equal((await scheduled(to.case_id))[0]!.body, 'Hi {{last_name}} $&')
})

test('a subject keeps to one line whatever its values hold', async () => {
  const to = await linked({}, { name: 'Lee\r\nBcc: everybody@example.com' })
  await firm.ok(EMAIL, { ...to, subject: 'About {{case_name}}', message: 'x' })
  assert.equal((await scheduled(to.case_id))[0]!.subject, 'About Lee Bcc: everybody@example.com')
})

test('an unknown template variable is refused with the nearest, in message and subject', async () => {
  const to = await linked()
  assert.deepEqual(await refused(EMAIL, { ...to, subject: '{{case_nmber}}', message: 'Hi {{frist_name}}' }), [
    "subject: unknown template variable 'case_nmber'; did you mean 'case_number'?",
    "message: unknown template variable 'frist_name'; did you mean 'first_name'?",
  ])
  assert.deepEqual(await scheduled(to.case_id), [])
})

test('a client that is not linked to the case is refused', async () => {
  const [one, other] = [await linked(), await linked()]
  assert.deepEqual(await refused(SMS, { ...one, client_id: other.client_id, message: 'x' }), [
    `client_id: client ${other.client_id} is not linked to case ${one.case_id}`,
  ])
})

test('an opted-out, deceased or unreachable client is refused with every reason', async () => {
  const sms = await linked({ sms_opted_out: true, mobile: '12', date_of_death: '2026-01-01' })
  assert.deepEqual(await refused(SMS, { ...sms, message: 'x' }), [
    `client_id: client ${sms.client_id} is deceased`,
    `client_id: client ${sms.client_id} opted out of text messages`,
    `client_id: the mobile number of client ${sms.client_id} can't be dialled: 12`,
  ])
  const email = await linked({ email_opted_out: true, email: null })
  assert.deepEqual(await refused(EMAIL, { ...email, subject: 's', message: 'x' }), [
    `client_id: client ${email.client_id} opted out of e-mail`,
    `client_id: client ${email.client_id} has no e-mail address`,
  ])
  const missing = await linked({ mobile: null })
  assert.deepEqual(await refused(SMS, { ...missing, message: 'x' }), [
    `client_id: client ${missing.client_id} has no mobile number`,
  ])
})

test('an opt-out holds for its own channel only', async () => {
  const to = await linked({ voice_calls_opted_out: true, email_opted_out: true })
  await firm.ok(SMS, { ...to, message: 'x' })
  const other = await linked({ voice_calls_opted_out: true, sms_opted_out: true })
  await firm.ok(EMAIL, { ...other, subject: 's', message: 'x' })
})

test('a message that its variables make too long, or leave empty, is refused', async () => {
  const to = await linked({ first_name: 'Ana' }, { description: '😀'.repeat(1597) })
  await firm.ok(SMS, { ...to, message: '{{first_name}}{{description}}' })
  assert.deepEqual(await refused(SMS, { ...to, message: '{{first_name}}!{{description}}' }), [
    'message: has 1601 characters once its variables are filled in; 1600 at the most',
  ])
  assert.deepEqual(await refused(EMAIL, { ...to, subject: '{{court_name}}', message: ' {{meta.none}} ' }), [
    'subject: is empty once its variables are filled in',
    'message: is empty once its variables are filled in',
  ])
})

test('message lengths: 1,600 characters of SMS, 100,000 of e-mail', async () => {
  const to = await linked()
  await firm.ok(SMS, { ...to, message: 'x'.repeat(1600) })
  assert.deepEqual(await refused(SMS, { ...to, message: 'x'.repeat(1601) }), [
    'message: must have at most 1600 characters',
  ])
  await firm.ok(EMAIL, { ...to, subject: 's', message: 'x'.repeat(100_000) })
  assert.deepEqual(await refused(EMAIL, { ...to, subject: ' ', message: 'x'.repeat(100_001) }), [
    'subject: must not be blank',
    'message: must have at most 100000 characters',
  ])
})

test('an unknown case or client is not found', async () => {
  const to = await linked()
  const other = await api.company()
  const foreign = (await other.ok('POST /v1/cases', casePayload())).id
  for (const [body, message] of [
    [{ ...to, case_id: 987_654 }, 'case 987654 not found'],
    [{ ...to, client_id: 987_654 }, 'client 987654 not found'],
    [{ ...to, case_id: foreign }, `case ${foreign} not found`],
  ] as const) {
    const answer = await firm.call(SMS, { ...body, message: 'x' })
    assert.deepEqual([answer.status, answer.body.message], [404, message])
  }
})

test('a scheduled message is in the audit log', async () => {
  const to = await linked()
  await firm.ok(SMS, { ...to, message: 'x' })
  const entries = await api.pool.many(sql`
    select activity, record_type, client_id from audit_log
    where company_id = ${firm.id} and case_id = ${to.case_id} and record_type = 'message'`)
  assert.deepEqual(entries, [{ activity: 'message_scheduled', record_type: 'message', client_id: to.client_id }])
})
