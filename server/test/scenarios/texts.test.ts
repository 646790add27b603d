import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { eventually } from '../support/engine.ts'
import { messagesOf, person, startRealMessages } from '../support/real-messages.ts'

const world = await startRealMessages()
const { api, url, texts } = world
const { pool } = api
const firm = await api.company('Marsh & Cole')
let last = 200
const number = () => `+1212555${String(++last).padStart(4, '0')}`

async function texted(mobile = number(), of = firm) {
  const contact = await person(of, { mobile, first_name: 'María' })
  await contact.text('Hello {{first_name}}')
  const text = await eventually(async () => texts.texts.findLast(({ to }) => to === mobile))
  await eventually(async () => (await messagesOf(pool, contact.id)).at(-1)?.status === 'sent')
  return { ...contact, mobile, sent: text }
}
const statusOf = async (id: number) => (await messagesOf(pool, id)).at(-1)!.status
const becomes = (id: number, status: string, seconds = 20) =>
  eventually(async () => ((await statusOf(id)) === status ? (await messagesOf(pool, id)).at(-1) : undefined), seconds)
const activities = (id: number) =>
  pool.many<any>(sql`select activity, actor from audit_log where client_id = ${id} order by id`)

test('a text goes out from our number, is told delivered once, and its parts are kept', async () => {
  const { id, sent } = await texted()
  assert.deepEqual([sent.body, sent.from], ['Hello María', '+12125550100'])
  for (const status of ['delivered', 'sent', 'delivered', 'failed']) assert.equal(await texts.tell(sent, status), 204)
  const [row] = await messagesOf(pool, id)
  assert.deepEqual(
    [row.status, row.segments, row.provider, row.provider_message_id, row.from_address, row.intent],
    ['delivered', 1, 'twilio', sent.sid, '+12125550100', null],
  )
  const told = (await activities(id)).map(({ activity }) => activity).filter((each) => each.startsWith('message_'))
  assert.deepEqual(told, ['message_scheduled', 'message_sent', 'message_delivered'])
})

test("a callback without Twilio's signature is refused and changes nothing", async () => {
  const { id, sent } = await texted()
  const answer = await fetch(sent.callback!, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'AAAA' },
    body: `MessageSid=${sent.sid}&MessageStatus=delivered`,
  })
  assert.equal(answer.status, 403)
  assert.equal(await statusOf(id), 'sent')
})

for (const [code, reason, status] of [
  [21610, 'opted_out', 400],
  [21614, 'invalid_address', 400],
  [21211, 'invalid_address', 400],
] as const)
  test(`error ${code} on sending is recorded as ${reason}`, async () => {
    const mobile = number()
    texts.fate = (to) => (to === mobile ? { status, code } : undefined)
    const contact = await person(firm, { mobile })
    await contact.text('Hello')
    const row = await becomes(contact.id, 'failed')
    assert.equal(row.reason, reason)
    assert.equal((await contact.get()).sms_opted_out, reason === 'opted_out')
    assert.equal(texts.asked.filter((to) => to === mobile).length, 1)
  })

for (const code of [30003, 30005, 30006])
  test(`a text undelivered with ${code} marks the number as unreachable, and an answer from it clears that`, async () => {
    const { id, sent, mobile } = await texted()
    await texts.tell(sent, 'undelivered', code)
    assert.deepEqual(
      [(await messagesOf(pool, id))[0].status, (await messagesOf(pool, id))[0].reason],
      ['failed', 'unreachable'],
    )
    const marks = () => pool.many(sql`select from undeliverable where address = ${mobile}`)
    assert.equal((await marks()).length, 1)
    await texts.write(url, mobile, 'I am here')
    assert.equal((await marks()).length, 0)
  })

for (const fate of ['taken, then 500', 'taken, connection cut'] as const)
  test(`a text whose sending was answered with "${fate}" is looked up, not sent again`, async () => {
    const mobile = number()
    texts.fate = (to) => (to === mobile ? fate : undefined)
    const contact = await person(firm, { mobile })
    await contact.text('Your hearing is tomorrow')
    const row = await becomes(contact.id, 'sent')
    assert.equal(row.provider_message_id, texts.texts.find(({ to }) => to === mobile)!.sid)
    assert.equal(texts.asked.filter((to) => to === mobile).length, 1)
  })

test('a carrier that is busy is asked again later, and only then', async () => {
  const mobile = number()
  texts.fate = (to, tries) => (to === mobile && tries === 1 ? { status: 429, code: 20429 } : undefined)
  const contact = await person(firm, { mobile })
  await contact.text('Hello')
  await eventually(async () => (await messagesOf(pool, contact.id))[0].put_off === 1)
  assert.equal(await statusOf(contact.id), 'scheduled')
  await pool.run(sql`update messages set due_at = now() where client_id = ${contact.id}`)
  await becomes(contact.id, 'sent')
})

test('a text of a contact is kept on the latest case and told as message_received', async () => {
  const { id, case_id, mobile } = await texted()
  assert.equal(await texts.write(url, mobile, 'I will come at nine', { NumMedia: '1' }), null)
  const row = (await messagesOf(pool, id)).at(-1)
  assert.deepEqual(
    [row.direction, row.status, row.case_id, row.from_address, row.body],
    ['inbound', 'received', case_id, mobile, 'I will come at nine\n[a picture or file, kept at the carrier]'],
  )
  assert.deepEqual((await activities(id)).at(-1), { activity: 'message_received', actor: 'contact' })
})

for (const words of [
  'STOP',
  ' stop. ',
  'Unsubscribe',
  'END',
  'Arrêt',
  'please don’t text me again',
  'Stop texting me!!',
])
  test(`"${words}" is honoured at once and confirmed once`, async () => {
    const { id, mobile, get, text } = await texted()
    await pool.run(sql`
      insert into messages (company_id, channel, status, client_id, body, manual, due_at, origin, created_at)
      select company_id, 'sms', 'scheduled', id, 'Later', true, now() + interval '1 hour', 'system', now() from clients where id = ${id}`)
    const sid = `SM${'a'.repeat(28)}${id}`
    const reply = await texts.write(url, mobile, words, { MessageSid: sid })
    assert.match(reply ?? '', /^Marsh &amp; Cole: you will get no more messages/)
    assert.equal((await get()).sms_opted_out, true)
    assert.equal((await get()).voice_calls_opted_out, false)
    assert.equal((await messagesOf(pool, id)).find(({ body }) => body === 'Later').status, 'skipped')
    assert.equal(await texts.write(url, mobile, words, { MessageSid: sid }), null, 'told twice')
    assert.equal(await texts.write(url, mobile, words), null, 'said twice')
    await assert.rejects(text('Hello again'), /opted out/)
  })

test('"stop calling and texting me" stops calls, too', async () => {
  const { mobile, get } = await texted()
  await texts.write(url, mobile, 'Stop calling and texting me')
  assert.deepEqual([(await get()).sms_opted_out, (await get()).voice_calls_opted_out], [true, true])
})

for (const words of ['Do I have to stop the physical therapy?', "Don't text me before noon", 'YES', 'How does it end?'])
  test(`"${words}" is an ordinary answer`, async () => {
    const { mobile, get } = await texted()
    assert.equal(await texts.write(url, mobile, words), null)
    assert.equal((await get()).sms_opted_out, false)
  })

test('a STOP that is said twice at once is confirmed once', async () => {
  const { mobile } = await texted()
  const replies = await Promise.all(Array.from({ length: 5 }, () => texts.write(url, mobile, 'STOP')))
  assert.equal(replies.filter((reply) => reply !== null).length, 1)
})

test('START takes a STOP back, and HELP is answered', async () => {
  const { mobile, get, text } = await texted()
  await texts.write(url, mobile, 'STOP')
  assert.match((await texts.write(url, mobile, 'START'))!, /you will get our messages again/)
  assert.equal((await get()).sms_opted_out, false)
  await text('Welcome back')
  const help = (await texts.write(url, mobile, 'help'))!
  assert.match(help, /^Marsh &amp; Cole: .*Reply STOP/)
  const page = await fetch(/http:\S+\/preferences\/[\w-]+/.exec(help)![0])
  assert.match(await page.text(), /Text messages to the number ending in/)
  assert.ok(await texts.write(url, mobile, 'STOP'), 'and STOP counts anew')
})

test('what Twilio has handled by itself is honoured and left without an answer', async () => {
  const { mobile, get } = await texted()
  assert.equal(await texts.write(url, mobile, 'Stop', { OptOutType: 'STOP' }), null)
  assert.equal((await get()).sms_opted_out, true)
  assert.equal(await texts.write(url, mobile, 'Start', { OptOutType: 'START' }), null)
  assert.equal((await get()).sms_opted_out, false)
})

test('a STOP holds for every firm and contact that was written to at the number, and for no other firm', async () => {
  const [second, third] = [await api.company('Okafor LLP'), await api.company('Third')]
  const one = await texted()
  const other = await texted(one.mobile, second)
  const partner = await person(firm, { mobile: one.mobile })
  const stranger = await person(third, { mobile: one.mobile })
  await texts.write(url, one.mobile, 'STOP')
  const flags = await Promise.all([one, other, partner, stranger].map(async (each) => (await each.get()).sms_opted_out))
  assert.deepEqual(flags, [true, true, true, false])
})

test('a text that Twilio never took is sent once that is certain', async () => {
  const mobile = number()
  texts.fate = (to, tries) => (to === mobile && tries === 1 ? '500' : undefined)
  const contact = await person(firm, { mobile })
  await contact.text('Hello')
  const row = await eventually(async () =>
    (await messagesOf(pool, contact.id)).find(({ intent, node_id }) => intent && !node_id),
  )
  assert.equal(row.status, 'sending')
  // A minute later.
  await pool.run(sql`
    update messages set intent = intent || jsonb_build_object('at', now() - interval '61 seconds'), due_at = now()
    where client_id = ${contact.id}`)
  await becomes(contact.id, 'sent')
  assert.equal(texts.asked.filter((to) => to === mobile).length, 2)
  assert.equal(texts.texts.filter(({ to }) => to === mobile).length, 1)
})

test('news of a message that was given up because nobody knew still counts', async () => {
  const { id, sent } = await texted()
  await pool.run(sql`
    update messages set status = 'failed', provider_message_id = null, error = 'unknown', intent = '{"to": "x", "body": "y"}'
    where client_id = ${id}`)
  await texts.tell(sent, 'delivered')
  const [row] = await messagesOf(pool, id)
  assert.deepEqual([row.status, row.error, row.provider_message_id, row.intent], ['delivered', null, sent.sid, null])
})

test('a STOP also stops a text that is claimed already and waits for its turn', async () => {
  const target = await texted()
  const others = await Promise.all(Array.from({ length: 10 }, () => person(firm, { mobile: number() })))
  texts.fate = (to) => (to === target.mobile ? undefined : 'taken, held')
  const ids = [...others.map(({ id }) => id), target.id]
  await pool.run(sql`
    insert into messages (company_id, channel, status, client_id, body, manual, due_at, origin, created_at)
    select ${firm.id}, 'sms', 'scheduled', t.id, 'In turn', true, now() - interval '1 minute' + t.n * interval '1 second', 'system', now()
    from unnest(${ids}::bigint[]) with ordinality as t (id, n)`)
  await eventually(async () => texts.texts.filter(({ body }) => body === 'In turn').length === 10)
  assert.equal(await statusOf(target.id), 'sending')
  await texts.write(url, target.mobile, 'STOP')
  texts.fate = () => undefined
  texts.release()
  const row = await eventually(async () =>
    (await messagesOf(pool, target.id)).find(({ body, status }) => body === 'In turn' && status === 'skipped'),
  )
  assert.match(row.error, /opted out/)
  assert.equal(texts.asked.filter((to) => to === target.mobile).length, 1)
})

test('an erased contact leaves no address among those where nothing arrives', async () => {
  const { id, sent, mobile } = await texted()
  await texts.tell(sent, 'undelivered', 30005)
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id], force: true })
  assert.deepEqual(await pool.many(sql`select from undeliverable where address = ${mobile}`), [])
})
