import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { fastClock } from '../../src/core/clock.ts'
import { openPool } from '../../src/core/db.ts'
import { cloneDatabase } from '../support/database.ts'
import { eventually } from '../support/engine.ts'
import { startFront } from '../support/front.ts'
import { twilioSettings } from '../support/real-calls.ts'
import { seedCampaign } from '../support/seed.ts'
import { type Behaviour, type EmulatedCall, startTwilio } from '../support/twilio-emulator.ts'

/*
 * Several processes on one database, behind one address. The carrier's callbacks and sockets reach whichever the front
 * leads them to; processes come, are stopped and are killed meanwhile.
 */

const APART: [Behaviour, result: string, reason: string][] = [
  [{ pickup: 'answers', persona: 'converted' }, 'converted', 'agent_hangup'],
  [{ pickup: 'answers', persona: 'converted', callbacks: 'reversed' }, 'converted', 'agent_hangup'],
  [{ pickup: 'answers', persona: 'converted', callbacks: 'doubled' }, 'converted', 'agent_hangup'],
  [{ pickup: 'answers', persona: 'converted', create: 'placed, then 500' }, 'converted', 'agent_hangup'],
  [{ pickup: 'answers', persona: 'opts_out' }, 'opted_out', 'agent_hangup'],
  [{ pickup: 'answers', persona: 'hangs_up', closes: 1006 }, 'unsuccessful', 'user_hangup'],
  [{ pickup: 'answers', cut: 'closes' }, 'failed', 'error_unknown'],
  [{ pickup: 'machine', wordless: true }, 'voicemail', 'voicemail_reached'],
  [{ pickup: 'answers', persona: 'asks_for_person', colleague: 'takes it' }, 'transferred', 'call_transfer'],
  [{ pickup: 'answers', persona: 'asks_for_person', colleague: 'refuses' }, 'callback_requested', 'agent_hangup'],
]
/** Contacts of the first campaign have the numbers 1 to 10, of the others 100 and 200 and on. */
const nth = (to: string) => Number(to.slice(5)) - 2_000_000
const behaviour = (to: string): Behaviour =>
  APART[nth(to) - 1]?.[0] ?? { pickup: 'answers', persona: 'converted', ...(isDeaf(to) && { deaf: true }) }
/** Of the last campaign, every third. */
const isDeaf = (to: string) => nth(to) > 200 && nth(to) % 3 === 0

const clockSettings = { instant: '2026-03-02T15:00:00Z', since: Date.now(), speed: 15 }
const clock = fastClock(new Date(clockSettings.instant), new Date(clockSettings.since), clockSettings.speed)
const database = await cloneDatabase()
const pool = openPool({ ...database, max: 4 })
const twilio = await startTwilio(clock, behaviour)
const front = await startFront()
const children = new Set<ChildProcess>()
after(async () => {
  for (const child of children) child.kill('SIGKILL')
  await Promise.all([twilio.close(), front.close()])
  await pool.end()
})

async function startProcess(): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(path.join(import.meta.dirname, '../support/real-calls-process.ts'), {
    env: {
      ...process.env,
      DATABASE_URL: database.connectionString,
      SETTINGS: JSON.stringify(twilioSettings({ api: twilio.url, url: front.url })),
      CLOCK: JSON.stringify(clockSettings),
    },
    execArgv: [],
  })
  children.add(child)
  const [port] = (await once(child, 'message')) as [number]
  return { child, port }
}

const callsOf = (companyId: number) =>
  pool.many<any>(sql`select * from calls where company_id = ${companyId} order by to_number`)
const placed = (from: number): EmulatedCall[] =>
  twilio.calls.filter(({ to }) => Math.floor(nth(to) / 100) * 100 === from)

async function allEnded(companyId: number, contacts: number, seconds: number) {
  return await eventually(async () => {
    const calls = await callsOf(companyId)
    return calls.length === contacts && calls.every(({ state }) => state === 'ended') && calls
  }, seconds)
}

/** So many are talking with an agent: they have heard more than its opening. */
const inConversation = (from: number, many: number) =>
  eventually(async () => {
    const talking = placed(from).filter(({ status, heard }) => status === 'in-progress' && heard.length > 1)
    return talking.length >= many && talking
  }, 30)

test('what reaches another process than the one that holds the conversation is as good as what reaches that one', async () => {
  const [one, other] = await Promise.all([startProcess(), startProcess()])
  front.to = { sockets: [one.port], requests: [other.port] }
  const { companyId } = await seedCampaign(pool, { contacts: APART.length, callbackDelays: [] })
  await pool.run(sql`
    update agents set is_transfer_enabled = true, transfer_number = '+12125550199', transfer_mode = 'warm'
    where company_id = ${companyId}`)
  const calls = await allEnded(companyId, APART.length, 60)
  assert.deepEqual(
    calls.map(({ result, disconnection_reason }) => [result, disconnection_reason]),
    APART.map(([, result, reason]) => [result, reason]),
  )
  assert.equal(new Set(calls.map(({ talk_node }) => talk_node)).size, 1, 'all conversations were held in one process')
  assert.ok(front.answered.get(other.port)! > 5 * APART.length, 'and everything else was told to the other')
  assert.equal(front.answered.get(one.port), undefined)
  assert.equal(placed(0).length, APART.length)

  for (const { child } of [one, other]) child.kill('SIGTERM')
  await Promise.all([one, other].map(({ child }) => once(child, 'exit')))
})

test('a process that is stopped puts its conversations down: contacts are told so, nothing of them is lost, nobody is rung again', async () => {
  const CONTACTS = 30
  const only = await startProcess()
  front.to = { sockets: [only.port], requests: [only.port] }
  const { companyId, campaignId } = await seedCampaign(pool, {
    contacts: CONTACTS,
    after: 100,
    callbackDelays: [{ hours: 4 }],
  })
  const talking = await inConversation(100, 20)
  const since = performance.now()
  only.child.kill('SIGTERM')
  const [code] = await once(only.child, 'exit')
  assert.equal(code, 0)
  assert.ok(performance.now() - since < 8000, `${performance.now() - since} ms to stop`)

  const next = await startProcess()
  front.to = { sockets: [next.port], requests: [next.port] }
  const calls = await allEnded(companyId, CONTACTS, 60)
  const cut = calls.filter(({ result }) => result === 'failed')
  assert.ok(cut.length >= talking.length / 2, `${cut.length} of ${talking.length} were put down`)
  for (const call of cut) {
    const carried = twilio.calls.find(({ sid }) => sid === call.provider_call_id)!
    // Who picked up while nobody was there was cut off without a word from us.
    if (carried.sockets === 0) continue
    assert.match(carried.told.join(), /^I'm sorry, this is the AI assistant of Test firm/)
    assert.equal(call.disconnection_reason, 'error_unknown')
    const said = call.transcript.filter(({ speaker }: any) => speaker === 'agent').map(({ text }: any) => text)
    assert.deepEqual(said.slice(0, carried.heard.length), carried.heard, 'what was said is kept')
  }
  assert.ok(cut.filter(({ transcript }) => transcript?.length > 1).length >= talking.length / 2)
  assert.equal(placed(100).length, CONTACTS, 'each was rung once')
  const waiting = await pool.many<any>(sql`
    select cc.*, c.ended_at from campaign_contacts cc
    join calls c on c.company_id = cc.company_id and c.client_id = cc.client_id and c.result = 'failed'
    where cc.company_id = ${companyId}`)
  assert.equal(waiting.length, cut.length)
  for (const { state, attempts, due_at, ended_at } of waiting) {
    assert.deepEqual([state, attempts], ['due', 1])
    assert.ok(due_at.getTime() >= ended_at.getTime() + 4 * 3600_000, 'they are tried again when the campaign says so')
  }
  const { status } = await pool.one<any>(sql`select status from campaigns where id = ${campaignId}`)
  assert.equal(status, 'active', 'a restart is no sign of a broken line')

  next.child.kill('SIGTERM')
  await once(next.child, 'exit')
})

test('a process that is killed leaves no call behind: each is ended at the carrier, settled by another process, and rung once', async () => {
  const CONTACTS = 12
  const [victim, heir] = await Promise.all([startProcess(), startProcess()])
  front.to = { sockets: [victim.port, heir.port], requests: [victim.port, heir.port] }
  const { companyId } = await seedCampaign(pool, { contacts: CONTACTS, after: 200, callbackDelays: [{ hours: 4 }] })
  const talking = await inConversation(200, 6)
  victim.child.kill('SIGKILL')
  const calls = await allEnded(companyId, CONTACTS, 90)
  assert.ok(talking.some(({ to }) => isDeaf(to)))
  for (const carried of talking) {
    const call = calls.find(({ provider_call_id }) => provider_call_id === carried.sid)
    assert.equal(carried.status, 'completed')
    // One that was just being said goodbye to may have been over before.
    if (call.result !== 'converted') {
      assert.deepEqual([call.result, call.disconnection_reason], ['failed', 'error_unknown'])
      if (isDeaf(carried.to)) assert.equal(carried.hungUp, true)
      else assert.match(carried.told.join(), /^I'm sorry, this is the AI assistant of Test firm/)
    }
  }
  assert.ok(calls.filter(({ result }) => result === 'failed').length > 0, 'somebody was cut off')
  assert.equal(placed(200).length, CONTACTS, 'each was rung once')
  const { due } = await pool.one<any>(sql`
    select count(*)::int as due from campaign_contacts where company_id = ${companyId} and state <> 'settled'
      and (state <> 'due' or due_at < ${new Date(clock.now().getTime() + 3600_000)})`)
  assert.equal(due, 0, 'nobody is in limbo, and nobody is called again before the time')
})
