import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { optOutAddresses } from '../../src/compliance/opt-out.ts'
import { pause } from '../../src/core/clock.ts'
import { openPool } from '../../src/core/db.ts'
import { createProviders } from '../../src/providers/index.ts'
import { DialPutOff, DialRefused, type VoiceEvents } from '../../src/providers/voice.ts'
import { campaignWorld } from '../support/campaigns.ts'
import { eventually, startTestEngine } from '../support/engine.ts'
import { casePayload, clientPayload, runPayload } from '../support/payloads.ts'
import { brief } from '../support/phone.ts'
import { settingsFor } from '../support/real-messages.ts'
import { startTwilio } from '../support/twilio-emulator.ts'

/*
 * What happens between the look of a dial pass and its commit, or while it waits for its lock, is made to happen there:
 * a trigger that waits for an advisory lock stands in for a slow disk, a stopped process, an unlucky moment.
 */

const HOLD = 4711

/** Its clock goes on by itself from wherever it is set to. */
async function runningWorld() {
  const world = await campaignWorld()
  const { clock } = world
  const begun = Date.now()
  clock.now = () => new Date(clock.at.getTime() + Date.now() - begun)
  clock.sleep = pause
  return world
}

/** A campaign whose only dial pass is held before it writes its calls, until `letGo`. */
async function heldPass(contacts: number) {
  const world = await runningWorld()
  const { api, clock, firm } = world
  const { pool } = api
  await pool.run(sql`
    create function hold() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(4711); return null; end'`)
  await pool.run(sql`create trigger hold before insert on calls for each statement execute function hold()`)
  const people: { id: number; case_id: number; mobile: string }[] = []
  for (let n = 0; n < contacts; n++) {
    const mobile = `+1212202${1000 + n}`
    const { id } = await firm.ok('POST /v1/clients', clientPayload({ mobile, state: 'NY', postal_code: '10007' }))
    const record = await firm.ok('POST /v1/cases', casePayload({ client_ids: [id] }))
    people.push({ id, case_id: record.id, mobile })
  }
  await firm.tool('attach_to_case_list', { id: world.list.id, include_ids: people.map(({ case_id }) => case_id) })
  const campaignId = await world.create({ runs: [runPayload({ start_time: '08:00', end_time: '21:00' })] })
  await pool.run(sql`update campaigns set status = 'active' where id = ${campaignId}`)
  const holder = await pool.pg.connect()
  await holder.query(`select pg_advisory_lock(${HOLD})`)
  await startTestEngine(api, clock)
  const isHeld = sql`select from pg_locks where locktype = 'advisory' and objid = ${HOLD} and not granted`
  await eventually(async () => (await pool.many(isHeld)).length > 0)
  let letGo = async () => {
    letGo = async () => {}
    await holder.query(`select pg_advisory_unlock(${HOLD})`)
    holder.release()
  }
  api.closing.push(() => letGo())
  return {
    ...world,
    pool,
    people,
    campaignId,
    letGo: () => letGo(),
    rung: async () =>
      (await pool.many<{ to_number: string }>(sql`select to_number from sandbox_calls order by to_number`)).map(
        ({ to_number }) => to_number,
      ),
  }
}

test('whatever is changed while a dial pass is under way holds for the calls of that pass', async () => {
  const { pool, firm, list, clock, people, letGo, rung } = await heldPass(9)
  const [untouched, optedOut, listed, moved, closed, detached, unlinked, dead, away] = people as [
    (typeof people)[0],
    ...any[],
  ]
  const put = ({ id }: { id: number }, fields: object) =>
    firm.ok(`PUT /v1/clients/${id}`, { ...clientPayload(), ...fields })
  await put(optedOut, { voice_calls_opted_out: true })
  const { id: companyId } = firm
  await pool.transaction((db) =>
    optOutAddresses(
      { db, companyId },
      [{ address: listed.mobile, channel: 'call', purpose: 'case_update', source: 'import' }],
      'system',
    ),
  )
  await put(moved, { mobile: '+12122029999' })
  // The interface would wait for the pass.
  await pool.run(sql`update cases set deleted_at = now() where id = ${closed.case_id}`)
  await firm.ok(`POST /v1/case_lists/${list.id}/clients/remove`, { client_ids: [detached.id] })
  await put(unlinked, { case_ids: [] })
  await pool.run(sql`update clients set date_of_death = '2026-03-01' where id = ${dead.id}`)
  await put(away, { timezone: 'Pacific/Honolulu' })
  await letGo()
  await eventually(async () => (await rung()).length > 0)
  // Long enough for those held back to be asked about again.
  clock.at = new Date(clock.at.getTime() + 60_000)
  const reasons = await eventually(async () => {
    const rows = await pool.many<{ client_id: number; rule: string | null }>(sql`
      select client_id, coalesce(settled_reason, last_decision -> 'reasons' -> 0 ->> 'rule') as rule from campaign_contacts
      where client_id <> all(${[untouched.id, moved.id]}::bigint[]) order by client_id`)
    return rows.every(({ rule }) => rule !== null) && rows.map(({ rule }) => rule)
  })
  assert.deepEqual(reasons, [
    'opted_out',
    'suppressed',
    'not_member',
    'not_member',
    'not_member',
    'deceased',
    'run_hours',
  ])
  await eventually(async () => (await rung()).includes('+12122029999'))
  assert.deepEqual(await rung(), [untouched.mobile, '+12122029999'])
})

test('a pass that is held beyond the end of the hours rings nobody', async () => {
  const { pool, clock, letGo, rung } = await heldPass(2)
  clock.at = new Date('2026-03-03T02:00:00Z')
  await letGo()
  await eventually(async () => {
    clock.at = new Date(clock.at.getTime() + 1000)
    const refused = sql`select from campaign_contacts where last_decision -> 'reasons' -> 0 ->> 'rule' = 'run_hours'`
    return (await rung()).length > 0 || (await pool.many(refused)).length === 2
  })
  assert.deepEqual(await rung(), [])
})

test('a pass that waits for its turn until the hours are over rings nobody', async () => {
  const world = await runningWorld()
  const { api, clock, firm } = world
  const { pool } = api
  const client = await firm.ok('POST /v1/clients', clientPayload({ mobile: '+12122021000', state: 'NY' }))
  const record = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client.id] }))
  await firm.tool('attach_to_case_list', { id: world.list.id, include_ids: [record.id] })
  const campaignId = await world.create({ runs: [runPayload({ start_time: '08:00', end_time: '21:00' })] })
  await pool.run(sql`update campaigns set status = 'active' where id = ${campaignId}`)
  const other = await pool.pg.connect()
  await other.query('begin')
  await other.query('select from dial_lock for update')
  await startTestEngine(api, clock)
  await eventually(async () => {
    const waiting = await pool.many(
      sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%dial_lock%'`,
    )
    return waiting.length > 0
  })
  await eventually(
    async () => (await pool.many(sql`select from campaign_contacts where due_at is not null`)).length > 0,
  )
  clock.at = new Date('2026-03-03T02:00:00Z')
  await other.query('commit')
  other.release()
  await eventually(
    async () => (await pool.many(sql`select from campaign_contacts where last_decision is not null`)).length > 0,
  )
  assert.deepEqual(await pool.many(sql`select id from calls`), [])
})

test('while the clocks of the process and the database differ nobody is rung', async () => {
  const { api, clock, firm, list, create } = await runningWorld()
  const { pool } = api
  const client = await firm.ok('POST /v1/clients', clientPayload({ mobile: '+12122021000', state: 'NY' }))
  const record = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client.id] }))
  await firm.tool('attach_to_case_list', { id: list.id, include_ids: [record.id] })
  await create({ runs: [runPayload({ start_time: '08:00', end_time: '21:00' })] })
  // Ours, found before PostgreSQL's own by connections from now on.
  const { name } = await pool.one<{ name: string }>(sql`select current_database() as name`)
  await pool.run(sql`
    create function public.clock_timestamp() returns timestamptz language sql as
      $$ select pg_catalog.clock_timestamp() + interval '2 minutes' $$`)
  await pool.pg.query(`alter database ${name} set search_path = public, pg_catalog`)
  const engine = openPool({ connectionString: pool.pg.options.connectionString, max: 4 })
  await startTestEngine(api, clock, { pool: engine, providers: createProviders(engine, clock) })
  api.closing.unshift(() => engine.end())
  const planned = sql`select from campaign_contacts where due_at is not null`
  await eventually(async () => (await pool.many(planned)).length > 0)
  await pool.run(sql`update campaigns set status = 'active'`)
  await pause(2500)
  assert.deepEqual(await pool.many(sql`select id from calls`), [])
  await pool.run(sql`drop function public.clock_timestamp()`)
  await eventually(async () => (await pool.many(sql`select call_id from sandbox_calls`)).length > 0)
})

test('Twilio is not asked for a call that the gate allowed too long ago', async () => {
  const { api, clock, firm } = await campaignWorld()
  const twilio = await startTwilio(clock, () => ({ pickup: 'busy', create: 400 }))
  api.closing.push(twilio.close)
  const voice = createProviders(api.pool, clock, settingsFor(twilio.url, '', 'http://127.0.0.1:9')).voice
  await voice.start({ brief: async () => brief() } as unknown as VoiceEvents)
  const call = {
    company_id: firm.id,
    call_id: 1,
    to: '+12122021000',
    from: null,
    attempt: 1,
    ring_seconds: 30,
    max_seconds: 60,
  }
  await assert.rejects(voice.place({ ...call, place_by: Date.now() - 1 }), DialPutOff)
  assert.equal(twilio.asked.size, 0)
  await assert.rejects(voice.place({ ...call, place_by: Date.now() + 5000 }), DialRefused)
  assert.equal(twilio.asked.size, 1)
  await voice.stop()
})
