import assert from 'node:assert/strict'
import sql from 'sql-template-tag'
import type { Clock } from '../../src/core/clock.ts'
import { startApi } from './api.ts'
import { agentPayload, runPayload } from './payloads.ts'

/** A Monday, in the morning in New York: the first day of `runPayload`. */
const START = new Date('2026-03-02T15:00:00Z')

/** A company with a list and an agent, on a clock that stands still until it is set. */
export async function campaignWorld() {
  const clock: Clock & { at: Date } = { at: START, speed: 1, now: () => clock.at, sleep: async () => {} }
  const api = await startApi({ clock })
  const firm = await api.company()
  const list = await firm.ok('POST /v1/case_lists', { name: 'All' })
  const agent = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload())
  const mine = sql`company_id = ${firm.id}`

  const payload = <T extends object>(fields?: T) => ({
    name: 'Hearing reminders',
    agent_id: agent.id,
    case_list_id: list.id,
    runs: [runPayload()],
    ...fields,
  })
  const count = async () =>
    (await api.pool.one<{ n: number }>(sql`select count(*)::int as n from campaigns where ${mine}`)).n

  return {
    api,
    clock,
    firm,
    list,
    agent,
    payload,
    count,
    create: async (fields?: object): Promise<number> => (await firm.ok('POST /v1/campaigns', payload(fields))).id,
    /** The broken rules as `field: message`. */
    async refusals(body: object): Promise<string[]> {
      const before = await count()
      const answer = await firm.call('POST /v1/campaigns', body)
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
      assert.equal(await count(), before, 'nothing is saved')
      return answer.body.details.map(({ field, message }: any) => `${field}: ${message}`)
    },
    row: (id: number) => api.pool.one<any>(sql`select * from campaigns where ${mine} and id = ${id}`),
    runsOf: (id: number) =>
      api.pool.many<any>(sql`select * from campaign_runs where ${mine} and campaign_id = ${id} order by position`),
    messagesOf: (id: number) =>
      api.pool.many<any>(sql`
        select m.*, r.position as run from campaign_messages m
        join campaign_runs r on r.company_id = m.company_id and r.id = m.run_id
        where m.company_id = ${firm.id} and m.campaign_id = ${id} order by m.position`),
    auditOf: (id: number) =>
      api.pool.many<any>(sql`
        select activity, actor, channel, changes from audit_log
        where ${mine} and record_type = 'campaign' and record_id = ${String(id)} order by id`),
  }
}
