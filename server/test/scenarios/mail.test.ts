import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { eventually } from '../support/engine.ts'
import { messagesOf, person, startRealMessages } from '../support/real-messages.ts'

const world = await startRealMessages()
const { api, url, mail } = world
const { pool } = api
const firm = await api.company('Marsh & Cole, "Attorneys"')
let last = 0
const address = () => `maria${++last}@example.com`

const becomes = (id: number, status: string, seconds = 20) =>
  eventually(async () => (await messagesOf(pool, id)).find((each) => each.status === status), seconds)

async function mailed(body = 'Dear {{first_name}},\n\nsee https://marsh.example.com/a?b=1&c=2.\n<b>Bye</b>') {
  const email = address()
  const contact = await person(firm, { email, mobile: `+1212555${String(1000 + last)}`, first_name: 'María' })
  await contact.mail(body)
  await becomes(contact.id, 'sent')
  const received = mail.received.find(({ to_address }) => to_address === email)!
  const header = (name: string) => received.headers.find(({ key }) => key === name)?.value ?? ''
  const [, link] = /^<([^>]+)>, <mailto:/.exec(header('list-unsubscribe')) ?? []
  return { ...contact, email, received, header, link: link! }
}

const post = (link: string, body: string, type = 'application/x-www-form-urlencoded') =>
  fetch(link, { method: 'POST', headers: { 'content-type': type }, body, redirect: 'manual' })

test('a mail goes out as plain text and HTML, from the firm, under an id of its own', async () => {
  const { received, email, id } = await mailed()
  assert.deepEqual(received.from, { name: 'Marsh & Cole, "Attorneys"', address: 'cases@marsh.example.com' })
  assert.deepEqual(
    received.to?.map((to) => to.address),
    [email],
  )
  assert.equal(received.subject, 'Your case')
  assert.match(received.text!, /^Dear María,\n\nsee https:\/\/marsh\.example\.com\/a\?b=1&c=2\.\n<b>Bye<\/b>/)
  assert.match(received.html!, /<a href="https:\/\/marsh\.example\.com\/a\?b=1&amp;c=2">/)
  assert.match(received.html!, /&lt;b&gt;Bye&lt;\/b&gt;/)
  assert.match(received.messageId!, /^<[0-9a-f]{40}@marsh\.example\.com>$/)
  assert.equal((await messagesOf(pool, id))[0].provider_message_id, received.messageId)
})

test('it carries the headers of RFC 2369 and RFC 8058, and both ways out in its text', async () => {
  const { header, link, received } = await mailed()
  assert.equal(header('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
  assert.match(
    header('list-unsubscribe'),
    /^<http:\/\/[^>]+\/u\/[\w-]+>, <mailto:cases@marsh\.example\.com\?subject=unsubscribe&body=[^> ]+>$/,
  )
  assert.ok(received.text!.includes(link))
  assert.match(received.text!, /\/preferences\/[\w-]+/)
})

test('a GET only shows a page; the one-click POST stops e-mail, without a login, and only that', async () => {
  const { link, get, id } = await mailed()
  await pool.run(sql`
    insert into messages (company_id, channel, status, client_id, subject, body, manual, due_at, origin, created_at)
    select company_id, 'email', 'scheduled', id, 'x', 'Later', true, now() + interval '1 hour', 'system', now() from clients where id = ${id}`)
  const page = await fetch(link)
  assert.equal(page.status, 200)
  assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/)
  assert.match(await page.text(), /<form method="post"/)
  assert.equal((await get()).email_opted_out, false)
  assert.equal((await post(link, '')).status, 400)
  assert.equal((await get()).email_opted_out, false)
  const done = await post(link, 'List-Unsubscribe=One-Click')
  assert.deepEqual([done.status, done.headers.get('set-cookie')], [200, null])
  const client = await get()
  assert.deepEqual([client.email_opted_out, client.sms_opted_out, client.voice_calls_opted_out], [true, false, false])
  await becomes(id, 'skipped')
  assert.equal((await post(link, 'List-Unsubscribe=One-Click')).status, 200, 'again')
  const written = await pool.many<any>(sql`
    select actor, changes from audit_log where client_id = ${id} and activity = 'client_updated'`)
  assert.deepEqual(written, [{ actor: 'contact', changes: { email_opted_out: { from: false, to: true } } }])
  const [proof] = await pool.many<any>(
    sql`select source, evidence from permissions where evidence ->> 'message_id' is not null and channel = 'email' order by id desc limit 1`,
  )
  assert.deepEqual([proof.source, proof.evidence.url], ['unsubscribe', '/u/:token'])
})

test('the one-click POST is understood as multipart, too', async () => {
  const { link, get } = await mailed()
  const body = new FormData()
  body.set('List-Unsubscribe', 'One-Click')
  assert.equal((await fetch(link, { method: 'POST', body })).status, 200)
  assert.equal((await get()).email_opted_out, true)
})

test('a changed or made-up link opens nothing', async () => {
  const { link, get } = await mailed()
  const letter = link.at(-1) === 'A' ? 'B' : 'A'
  for (const wrong of [link.slice(0, -1) + letter, `${url}/u/1-1-1-aaaaaaaaaaaaaaaaaaaaaaaa`, `${url}/u/x`]) {
    assert.equal((await fetch(wrong)).status, 404)
    assert.equal((await post(wrong, 'List-Unsubscribe=One-Click')).status, 404)
  }
  assert.equal((await get()).email_opted_out, false)
  assert.equal((await fetch(link, { method: 'DELETE' })).status, 405)
})

test('on the preference page a contact opts out of each channel and back in, and sees no whole address', async () => {
  const { link, get, email, id } = await mailed()
  const page = link.replace('/u/', '/preferences/')
  const html = await (await fetch(page)).text()
  assert.ok(!html.includes(email) && !html.includes('+1212555'))
  assert.match(html, /Marsh &amp; Cole, &quot;Attorneys&quot;/)
  await post(page, 'call=no&sms=no&email=yes')
  const out = await get()
  assert.deepEqual([out.voice_calls_opted_out, out.sms_opted_out, out.email_opted_out], [true, true, false])
  assert.match(await (await post(page, 'call=yes&sms=no&email=yes')).text(), /Your choice is saved/)
  const back = await get()
  assert.deepEqual([back.voice_calls_opted_out, back.sms_opted_out, back.email_opted_out], [false, true, false])
  const written = await pool.many(
    sql`select from audit_log where client_id = ${id} and activity = 'client_updated' and actor = 'contact'`,
  )
  assert.equal(written.length, 2)
})

for (const [words, reason] of [
  ['5.1.1 no such mailbox', 'unreachable'],
  ['5.7.1 blocked by policy', 'not_allowed'],
] as const)
  test(`"550 ${words}" fails the message at once, as ${reason}`, async () => {
    const email = address()
    mail.recipient = (to) => (to === email ? { code: 550, words } : undefined)
    const contact = await person(firm, { email })
    await contact.mail('Hello')
    const row = await becomes(contact.id, 'failed')
    assert.equal(row.reason, reason)
    assert.match(row.error, new RegExp(words))
    const marks = await pool.many(sql`select from undeliverable where address = ${email}`)
    assert.equal(marks.length, reason === 'unreachable' ? 1 : 0)
    assert.equal(mail.asked.filter((to) => to === email).length, 1)
  })

for (const [words, reason] of [
  ['5.1.1 no such mailbox', 'unreachable'],
  ['5.2.3 message too long', 'not_allowed'],
  ['no thanks', 'not_allowed'],
] as const)
  test(`"550 ${words}", said only after the message, fails it as ${reason}`, async () => {
    const email = address()
    mail.contents = (to) => (to === email ? { code: 550, words } : undefined)
    const contact = await person(firm, { email })
    await contact.mail('Hello')
    assert.equal((await becomes(contact.id, 'failed')).reason, reason)
    const marks = await pool.many(sql`select from undeliverable where address = ${email}`)
    assert.equal(marks.length, reason === 'unreachable' ? 1 : 0)
  })

test('"450 try later" is tried later, under the same message id, and then arrives once', async () => {
  const email = address()
  mail.recipient = (to, tries) => (to === email && tries < 3 ? { code: 450, words: '4.2.0 greylisted' } : undefined)
  const contact = await person(firm, { email })
  await contact.mail('Hello')
  for (const tries of [1, 2]) {
    const row = await eventually(async () =>
      (await messagesOf(pool, contact.id)).find(({ put_off }) => put_off === tries),
    )
    assert.deepEqual([row.status, row.due_at > new Date(Date.now() + 60_000)], ['scheduled', true])
    await pool.run(sql`update messages set due_at = now() where client_id = ${contact.id}`)
  }
  await becomes(contact.id, 'sent')
  assert.equal(mail.received.filter(({ to_address }) => to_address === email).length, 1)
  const [row] = await messagesOf(pool, contact.id)
  const warnings = world.logged.filter(({ message_id }) => message_id === row.id)
  assert.deepEqual(
    warnings.map(({ channel, msg, retry_in_seconds }) => [channel, msg, retry_in_seconds]),
    [
      ['email', 'a message is put off', 300],
      ['email', 'a message is put off', 300],
    ],
  )
  assert.match(String(warnings[0]!.reason), /greylisted/)
  assert.ok(!JSON.stringify(world.logged).includes(email), 'the log knows no addresses')
})

test('where the line is cut before the answer, the message is failed honestly and not sent again', async () => {
  const email = address()
  mail.contents = (to) => (to === email ? 'cut' : undefined)
  const contact = await person(firm, { email })
  await contact.mail('Hello')
  const row = await becomes(contact.id, 'failed')
  assert.match(row.error, /not known whether this message was sent/)
  assert.equal(mail.received.filter(({ to_address }) => to_address === email).length, 1)
})
