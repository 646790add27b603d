import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { cloneDatabase } from '../../test/support/database.ts'
import { seedCampaign } from '../../test/support/seed.ts'
import { notReached } from '../calls/not-reached.ts'
import { type CallEnd, settle } from '../calls/settle.ts'
import { eraseClients } from '../clients/deletion.ts'
import { openPool } from '../core/db.ts'
import type { Engine } from '../engine/job.ts'
import { createProviders } from '../providers/index.ts'
import { takeTime } from './book.ts'

const pool = openPool({ ...(await cloneDatabase()), max: 8 })
after(() => pool.end())
const NOW = new Date('2026-03-02T15:00:00Z')
const clock = { now: () => NOW } as Engine['clock']
const engine = { pool, clock, providers: createProviders(pool, clock) } as Engine
const ZONE = 'America/New_York'
const at = (time: string, day = '10') => new Date(`2026-03-${day}T${time}:00Z`)

/** A company with so many contacts, all on the phone. */
async function onThePhone(contacts: number) {
  const { companyId } = await seedCampaign(pool, { contacts })
  await pool.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, attempts)
    select l.company_id, p.id, l.client_id, l.case_id, 'live', 1
    from case_clients l join campaigns p on p.company_id = l.company_id where l.company_id = ${companyId}`)
  const calls = await pool.many<{ company_id: number; call_id: number }>(sql`
    insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, provider, to_number, decision, created_at)
    select c.company_id, p.id, c.id, l.case_id, p.agent_id, 1, 'live', 'test', c.mobile_e164, '{}', ${NOW}
    from clients c join case_clients l on l.company_id = c.company_id and l.client_id = c.id
    join campaigns p on p.company_id = c.company_id
    where c.company_id = ${companyId} order by c.id
    returning company_id, id as call_id`)
  return { companyId, calls, ask: (n: number, time: Date) => takeTime(engine, calls[n]!, time, ZONE) }
}

/** The call ends, with nothing known of what was said. */
const end = (call: { company_id: number; call_id: number }, known: Partial<CallEnd> = {}) =>
  pool.transaction((db) => settle(db, [{ ...notReached(call, 'failed', 'error_unknown', NOW), ...known }], NOW))

test('of ten who ask for the same time at once one gets it, and the others hear what is free', async () => {
  const { ask, calls } = await onThePhone(10)
  const answers = await Promise.all(calls.map((_, n) => ask(n, at('15:00'))))
  assert.deepEqual(answers.map(({ outcome }) => outcome).toSorted(), ['booked', ...Array(9).fill('taken')])
  const other = answers.find((each) => each.outcome === 'taken')!
  assert.deepEqual(
    ['14:30', '14:45', '15:29', '15:30'].map((time) => other.isTaken(at(time))),
    [false, true, true, false],
  )
})

test('a firm that has more people takes as many at a time as it says', async () => {
  const { ask, companyId } = await onThePhone(3)
  await pool.run(sql`update companies set appointments_at_once = 2 where id = ${companyId}`)
  const answers = [await ask(0, at('15:00')), await ask(1, at('15:15')), await ask(2, at('15:00'))]
  assert.deepEqual(
    answers.map(({ outcome }) => outcome),
    ['booked', 'booked', 'taken'],
  )
})

test('a case has one appointment to come, until its task is skipped', async () => {
  const { ask, companyId, calls } = await onThePhone(2)
  await pool.run(
    sql`update calls set case_id = (select min(case_id) from calls where company_id = ${companyId}) where company_id = ${companyId}`,
  )
  await ask(0, at('15:00'))
  const again = await ask(1, at('18:00', '12'))
  assert.deepEqual(again, { outcome: 'already', at: at('15:00') })
  await end(calls[0]!)
  assert.equal((await ask(1, at('18:00', '12'))).outcome, 'already')
  await pool.run(sql`update case_tasks set status = 'skipped' where company_id = ${companyId}`)
  assert.equal((await ask(1, at('15:00'))).outcome, 'booked')
})

test('what follows from an appointment follows once, even when the rest of the conversation is lost', async () => {
  const { ask, companyId, calls } = await onThePhone(1)
  await pool.run(sql`update clients set email = 'ana@example.com' where company_id = ${companyId}`)
  assert.deepEqual(await ask(0, at('15:00')), { outcome: 'booked', mail: true })
  await end(calls[0]!)
  assert.equal((await ask(0, at('16:00'))).outcome, 'failed', 'the call is over')
  const messages = await pool.many<any>(
    sql`select status, campaign_id, body from messages where company_id = ${companyId}`,
  )
  assert.deepEqual(
    messages.map(({ status, campaign_id }) => [status, campaign_id]),
    [['scheduled', null]],
  )
  await assert.rejects(
    pool.run(sql`
      insert into messages (company_id, channel, status, client_id, appointment_id, body, origin, created_at)
      select company_id, 'email', 'scheduled', client_id, id, 'again', 'system', now() from appointments where company_id = ${companyId}`),
    /messages_of_appointment/,
  )
})

test('an erased contact leaves no appointment, and no task that names them', async () => {
  const { ask, companyId, calls } = await onThePhone(1)
  await ask(0, at('15:00'))
  await end(calls[0]!)
  const { id } = await pool.one<{ id: number }>(sql`select id from clients where company_id = ${companyId}`)
  await pool.transaction((db) => eraseClients({ db, companyId }, [id]))
  const { left } = await pool.one<{ left: number }>(sql`
    select (select count(*) from appointments where company_id = ${companyId})::int
      + (select count(*) from tasks where company_id = ${companyId})::int as left`)
  assert.equal(left, 0)
})

test('who wants to be left alone afterwards gets no mail, and the task says so', async () => {
  const { ask, companyId, calls } = await onThePhone(1)
  await pool.run(sql`update clients set email = 'ana@example.com' where company_id = ${companyId}`)
  await ask(0, at('15:00'))
  await end(calls[0]!, { result: 'opted_out', opted_out: true })
  assert.deepEqual(await pool.many(sql`select from messages where company_id = ${companyId}`), [])
  const [task] = await pool.many<{ body: string }>(sql`select body from tasks where company_id = ${companyId}`)
  assert.match(task!.body, /asked to be left alone afterwards/)
})
