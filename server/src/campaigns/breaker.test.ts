import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { seedCampaign } from '../../test/support/seed.ts'
import { notReached } from '../calls/not-reached.ts'
import { settler } from '../calls/settle.ts'
import type { Clock } from '../core/clock.ts'
import type { Engine } from '../engine/job.ts'
import { BREAKER, isBroken } from './breaker.ts'

const START = new Date('2026-03-02T15:00:00Z')
const clock: Clock & { at: Date } = { at: START, speed: 1, now: () => clock.at, sleep: async () => {} }
const api = await startApi({ clock })
const { pool } = api
const engine = { pool, clock, wake: () => {}, log: pino({ level: 'silent' }) } as unknown as Engine

/** A campaign whose calls end as the test says, each a contact's first. */
async function campaign() {
  const { companyId, campaignId } = await seedCampaign(pool, { contacts: 300 })
  const clients = await pool.many<{ id: number; case_id: number }>(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, attempts)
    select l.company_id, ${campaignId}, l.client_id, l.case_id, 'live', 1 from case_clients l where l.company_id = ${companyId}
    returning client_id as id, case_id`)
  const settle = settler(engine)
  return {
    companyId,
    campaignId,
    async end(count: number, result: 'failed' | 'no_answer') {
      const taken = clients.splice(0, count)
      const calls = await pool.many<{ id: number }>(sql`
        insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, provider, to_number, decision, created_at)
        select ${companyId}, ${campaignId}, t.id, t.case_id, ${`agent_${companyId}`}, 1, 'live', 'sandbox', '+12125550101', '{}', ${clock.at}
        from unnest(${taken.map(({ id }) => id)}::bigint[], ${taken.map(({ case_id }) => case_id)}::bigint[]) as t (id, case_id)
        returning id`)
      const reason = result === 'failed' ? 'dial_failed' : 'dial_no_answer'
      await Promise.all(
        calls.map(({ id }) => settle(notReached({ company_id: companyId, call_id: id }, result, reason, clock.at))),
      )
    },
    row: () =>
      pool.one<{ status: string; pause_reason: string | null }>(
        sql`select status, pause_reason from campaigns where id = ${campaignId}`,
      ),
  }
}

test('it is broken when 80 of 100 calls fail, from 20 calls on', () => {
  const of = (recent_calls: number, recent_failed: number) =>
    isBroken({ company_id: 1, campaign_id: 1, recent_calls, recent_failed })
  assert.deepEqual([of(19, 19), of(20, 15), of(20, 16), of(100, 79), of(100, 80)], [false, false, true, false, true])
})

test('a campaign whose calls fail pauses itself and says why, in the audit log too', async () => {
  const { end, row, companyId, campaignId } = await campaign()
  await end(4, 'no_answer')
  await end(15, 'failed')
  assert.equal((await row()).status, 'active')
  await end(1, 'failed')
  const reason = '16 of the last 20 calls failed (dial_failed); look into it, then resume'
  assert.deepEqual(await row(), { status: 'paused', pause_reason: reason })
  const [entry] = await pool.many<any>(sql`
    select activity, actor, record_id, changes from audit_log where company_id = ${companyId} and record_type = 'campaign'`)
  assert.deepEqual(
    [entry.activity, entry.actor, entry.record_id, entry.changes.pause_reason.to],
    ['campaign_paused', 'engine', String(campaignId), reason],
  )
})

test('nobody at home is no failure', async () => {
  const { end, row } = await campaign()
  await end(200, 'no_answer')
  assert.equal((await row()).status, 'active')
})

test('failures that are spread over hours are none to stop for', async () => {
  const { end, row } = await campaign()
  for (let turn = 0; turn < 5; turn++) {
    await end(19, 'failed')
    clock.at = new Date(clock.at.getTime() + BREAKER.window_ms)
  }
  assert.equal((await row()).status, 'active')
})

test('a line that breaks after a good hour is noticed within the next hundred calls', async () => {
  const { end, row } = await campaign()
  await end(100, 'no_answer')
  await end(20, 'failed')
  assert.equal((await row()).status, 'paused')
})

test('a resumed campaign gets as many tries again', async () => {
  const { end, row, campaignId } = await campaign()
  await end(20, 'failed')
  await pool.run(sql`update campaigns set status = 'active' where id = ${campaignId}`)
  await end(19, 'failed')
  assert.equal((await row()).status, 'active')
  await end(1, 'failed')
  assert.equal((await row()).status, 'paused')
})
