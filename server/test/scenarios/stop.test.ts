import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openPool } from '../../src/core/db.ts'
import { cloneDatabase } from '../support/database.ts'
import { eventually } from '../support/engine.ts'
import { forkEngine, messagesOf, person, startRealMessages } from '../support/real-messages.ts'
import { seedCampaign } from '../support/seed.ts'

/*
 * Show 3: who opts out is left alone on that channel within a second, whichever process heard it and whatever was to
 * come: what is scheduled, what a provider put off, what a campaign has planned.
 */

const world = await startRealMessages({ engine: false })
const { api, texts, mail } = world
const { pool } = api
const firm = await api.company('Marsh & Cole')
const processes = await Promise.all([forkEngine(world), forkEngine(world)])

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A contact to whom everything is still to be sent that can be, on both channels. */
async function withPending(mobile: string, email: string) {
  const contact = await person(firm, { mobile, email, state: 'NY', postal_code: '10007' })
  await contact.text('First text')
  await contact.mail('First mail')
  await eventually(async () => {
    const rows = await messagesOf(pool, contact.id)
    return rows.length === 2 && rows.every(({ status }) => status === 'sent')
  })
  const campaign = await pool.one<{ id: number }>(sql`
    insert into campaigns (company_id, name, case_list_id, callback_delays, status, origin, plan_cursor)
    select ${firm.id}, 'Reminders', ${(await firm.ok('POST /v1/case_lists', { name: `List of ${mobile}` })).id}, '[]', 'active', 'public_api', null
    returning id`)
  const write = (channel: 'sms' | 'email', body: string, fields: { in: string; put_off?: number; manual?: boolean }) =>
    pool.run(sql`
      insert into messages (company_id, channel, status, client_id, case_id, campaign_id, subject, body, manual, put_off, due_at, origin, created_at)
      values (${firm.id}, ${channel}, 'scheduled', ${contact.id}, ${contact.case_id}, ${fields.manual ? null : campaign.id}, 'Subject', ${body},
        ${fields.manual ?? false}, ${fields.put_off ?? 0}, now() + ${fields.in}::interval, 'system', now())`)
  for (const channel of ['sms', 'email'] as const) {
    await write(channel, 'of a person, in an hour', { in: '1 hour', manual: true })
    await write(channel, 'put off three times', { in: '8 minutes', manual: true, put_off: 3 })
    await write(channel, 'of a campaign, tomorrow', { in: '1 day' })
  }
  const standing = async (channel: string) =>
    (await messagesOf(pool, contact.id))
      .filter((row) => row.channel === channel && !row.body.startsWith('First') && row.direction === 'outbound')
      .map(({ body, status }) => `${body}: ${status}`)
      .filter((line) => !line.startsWith('Marsh'))
  return { ...contact, standing, write }
}

const KINDS = ['of a person, in an hour', 'put off three times', 'of a campaign, tomorrow']
const all = (status: string) => KINDS.map((kind) => `${kind}: ${status}`)

test('STOP by text, heard by one process, stops every text that is to come within a second, and no mail', async () => {
  const mobile = '+12125550701'
  const contact = await withPending(mobile, 'stop@example.com')
  assert.deepEqual(await contact.standing('sms'), all('scheduled'))
  const heard = Date.now()
  assert.match((await texts.write(processes[0]!.url, mobile, 'STOP'))!, /no more messages/)
  assert.deepEqual(await contact.standing('sms'), all('skipped'))
  assert.ok(Date.now() - heard < 1000, `${Date.now() - heard} ms`)
  assert.deepEqual(await contact.standing('email'), all('scheduled'))
  // What a campaign writes only now is stopped, too, by whichever process has its turn.
  const asked = texts.asked.length
  await contact.write('sms', 'written afterwards', { in: '0 s', manual: true })
  await eventually(async () => (await contact.standing('sms')).includes('written afterwards: skipped'))
  await pool.run(sql`update messages set due_at = now() where client_id = ${contact.id} and manual`)
  await eventually(async () => mail.received.filter(({ to_address }) => to_address === 'stop@example.com').length === 3)
  assert.equal(texts.asked.length, asked)
})

test('one click in a mail, taken by one process, stops every mail that is to come within a second, and no text', async () => {
  const contact = await withPending('+12125550702', 'click@example.com')
  const [received] = mail.received.filter(({ to_address }) => to_address === 'click@example.com')
  const header = received!.headers.find(({ key }) => key === 'list-unsubscribe')!.value
  const [, link] = /^<([^>]+)>/.exec(header)!
  const path = new URL(link!).pathname
  const sender = new URL(link!).origin
  const other = processes.find(({ url }) => url !== sender)!
  assert.equal((await fetch(other.url + path)).status, 200)
  assert.deepEqual(await contact.standing('email'), all('scheduled'), 'a GET stops nothing')
  const clicked = Date.now()
  const answer = await fetch(other.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  })
  assert.equal(answer.status, 200)
  assert.deepEqual(await contact.standing('email'), all('skipped'))
  assert.ok(Date.now() - clicked < 1000, `${Date.now() - clicked} ms`)
  assert.deepEqual(await contact.standing('sms'), all('scheduled'))
  const mailed = () => mail.asked.filter((to) => to === 'click@example.com').length
  const before = mailed()
  await contact.write('email', 'written afterwards', { in: '0 s', manual: true })
  await eventually(async () => (await contact.standing('email')).includes('written afterwards: skipped'))
  assert.equal(mailed(), before)
})

test('an opt-out spoken in a call stops every call that is to come within a second, in all campaigns and processes', async () => {
  const database = await cloneDatabase()
  const calling = openPool({ ...database, max: 4 })
  const children = [0, 1].map(() =>
    fork(new URL('../support/engine-process.ts', import.meta.url), {
      env: {
        ...process.env,
        DATABASE_URL: database.connectionString,
        SANDBOX_CLOCK: '2026-03-02T15:00:00Z',
        SANDBOX_SPEED: '20',
      },
      execArgv: [],
    }),
  )
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await calling.end()
  })
  // Two contacts: one whom the sandbox has say "stop calling me", and one at another number.
  const { companyId, campaignId } = await seedCampaign(calling, { contacts: 2 })
  await calling.run(sql`
    update clients set mobile = '+1 202-555-0106', mobile_e164 = '+12025550106' where company_id = ${companyId} and external_source_id = '1'`)
  const others = await calling.many<{ id: number }>(sql`
    with copies as (
      insert into campaigns (company_id, name, agent_id, case_list_id, callback_delays, status, origin, plan_cursor)
      select company_id, 'Copy ' || n, agent_id, case_list_id, callback_delays, status, origin, null
      from campaigns, generate_series(1, 3) n where id = ${campaignId}
      returning company_id, id
    ), stats as (
      insert into campaign_stats (company_id, campaign_id) select company_id, id from copies
    ), runs as (
      insert into campaign_runs (company_id, campaign_id, position, start_date, end_date, start_time, end_time, selected_days)
      select r.company_id, c.id, r.position, r.start_date, r.end_date, r.start_time, r.end_time, r.selected_days
      from campaign_runs r cross join copies c where r.campaign_id = ${campaignId}
    )
    select id from copies order by id`)
  const [retry, requested, planned] = others.map(({ id }) => id)
  const later = new Date('2026-03-02T19:00:00Z')
  await calling.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, due_at, attempts, delays_used, last_result, priority, requested_at)
    select c.company_id, k.campaign_id, c.id, l.case_id, 'due', ${later}, k.attempts, k.attempts, k.last_result, k.priority, k.requested_at
    from clients c
    join case_clients l on l.company_id = c.company_id and l.client_id = c.id
    cross join (values
      (${retry}::bigint, 1, 'no_answer', 1::smallint, null::timestamptz),
      (${requested}::bigint, 0, null, 0::smallint, ${later}::timestamptz),
      (${planned}::bigint, 0, null, 1::smallint, null)) as k (campaign_id, attempts, last_result, priority, requested_at)
    where c.company_id = ${companyId}`)
  await Promise.all(children.map((child) => once(child, 'message')))

  const spoken = () => calling.maybe(sql`select from permissions where source = 'spoken'`)
  await eventually(spoken, 30)
  const heard = Date.now()
  const standing = () =>
    calling.many<{ client: string; state: string; settled_reason: string | null; due: boolean }>(sql`
      select c.external_source_id as client, cc.state, cc.settled_reason, cc.due_at is not null as due
      from campaign_contacts cc join clients c on c.company_id = cc.company_id and c.id = cc.client_id
      where cc.campaign_id = any(${others.map(({ id }) => id)}) order by c.id, cc.campaign_id`)
  const stopped = { client: '1', state: 'settled', settled_reason: 'opted_out', due: false }
  const open = { client: '2', state: 'due', settled_reason: null, due: true }
  assert.deepEqual(await standing(), [stopped, stopped, stopped, open, open, open])
  assert.ok(Date.now() - heard < 1000, `${Date.now() - heard} ms`)
  await pause(2000)
  const { calls } = await calling.one<{ calls: number }>(sql`
    select count(*)::int as calls from calls where to_number = '+12025550106'`)
  assert.equal(calls, 1)
})
