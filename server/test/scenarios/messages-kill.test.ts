import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { eventually } from '../support/engine.ts'
import { forkEngine, messagesOf, person, startRealMessages } from '../support/real-messages.ts'

const world = await startRealMessages({ engine: false })
const { api, texts, mail } = world
const { pool } = api
const firm = await api.company('Marsh & Cole')

test('a STOP heard by one process stops what another is about to send, within a second', async () => {
  const [one, other] = [await forkEngine(world), await forkEngine(world)]
  const mobile = '+12125550301'
  const contact = await person(firm, { mobile })
  await contact.text('First')
  await eventually(async () => (await messagesOf(pool, contact.id))[0]?.status === 'sent')
  // Every 50 ms a message falls due, for whichever process is sending.
  for (let n = 1; n <= 60; n++)
    await pool.run(sql`
      insert into messages (company_id, channel, status, client_id, body, manual, due_at, origin, created_at)
      values (${firm.id}, 'sms', 'scheduled', ${contact.id}, ${`No. ${n}`}, true, now() + ${`${n * 50} milliseconds`}::interval, 'system', now())`)
  await eventually(async () => texts.texts.length > 5)
  await texts.write(one.url, mobile, 'STOP')
  const stopped = Date.now()
  await eventually(async () => {
    const open = (await messagesOf(pool, contact.id)).filter(({ status }) => ['scheduled', 'sending'].includes(status))
    return open.length === 0
  }, 5)
  assert.ok(Date.now() - stopped < 1000)
  const sent = texts.texts.filter(({ direction }) => direction === 'outbound-api').length
  await new Promise((resolve) => setTimeout(resolve, 1500))
  assert.equal(
    texts.texts.filter(({ direction }) => direction === 'outbound-api').length,
    sent,
    'nothing more goes out',
  )
  assert.ok(
    texts.texts.every(({ created, direction }) => direction === 'outbound-reply' || created.getTime() < stopped + 1000),
  )
  for (const { child } of [one, other]) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

test('after kill -9 in the middle of sending, no text and no mail goes out twice, and what had not left is sent', async () => {
  const first = await forkEngine(world)
  texts.asked.length = 0
  texts.texts.length = 0
  texts.fate = () => 'taken, held'
  mail.contents = () => 'held'
  const people = await Promise.all(
    Array.from({ length: 30 }, (_, n) => person(firm, { mobile: `+121255504${10 + n}`, email: `k${n}@example.com` })),
  )
  await Promise.all(
    people.flatMap((each) => [each.text('Your hearing is tomorrow'), each.mail('Your hearing is tomorrow')]),
  )
  await eventually(async () => texts.texts.length === 10 && mail.received.length === 5)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  texts.fate = () => undefined
  mail.contents = () => undefined
  texts.release()
  await forkEngine(world)
  const states = () =>
    pool.many<{ channel: string; status: string; n: number }>(sql`
      select channel, status, count(*)::int as n from messages where client_id = any(${people.map(({ id }) => id)})
      group by 1, 2 order by 1, 2`)
  await eventually(async () => (await states()).every(({ status }) => ['sent', 'failed'].includes(status)), 60)
  assert.deepEqual(await states(), [
    { channel: 'email', status: 'failed', n: 5 },
    { channel: 'email', status: 'sent', n: 25 },
    { channel: 'sms', status: 'sent', n: 30 },
  ])
  assert.equal(new Set(texts.asked).size, 30)
  assert.equal(texts.asked.length, 30)
  const mailed = mail.received.map(({ to_address }) => to_address)
  assert.deepEqual([mailed.length, new Set(mailed).size], [30, 30])
})
