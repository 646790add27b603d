import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { clockAt, eventually } from '../support/engine.ts'
import { startHostedCalls } from '../support/hosted-calls.ts'
import { seedCampaign } from '../support/seed.ts'

/** Two contacts whose call another carrier was asked for, by a process that is gone, and what Retell knows of it. */
const { api, host } = await startHostedCalls({
  name: 'retell',
  clock: clockAt('2026-03-02T15:00:00Z', 100),
  behaviour: () => ({ pickup: 'answers' }),
  async seed({ pool }) {
    const { companyId, campaignId } = await seedCampaign(pool, { contacts: 2, callbackDelays: [] })
    await pool.run(sql`
      with member as (
        insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, attempts)
        select company_id, ${campaignId}, client_id, case_id, 'live', 1 from case_clients
        returning *
      )
      insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, node_id, provider, provider_call_id,
        to_number, decision, created_at, start_time)
      select m.company_id, m.campaign_id, m.client_id, m.case_id, ${`agent_${companyId}`}, 1,
        case when c.external_source_id = '1' then 'placing' else 'live' end, 'gone', 'twilio',
        case when c.external_source_id = '1' then null else 'CA0' end, c.mobile_e164, '{}',
        '2026-03-02T14:59:00Z', '2026-03-02T14:59:00Z'
      from member m join clients c on c.company_id = m.company_id and c.id = m.client_id`)
  },
})

test('what another carrier was asked for before the settings changed is not asked for once more', async () => {
  await eventually(async () => {
    const { open } = await api.pool.one<{ open: number }>(sql`
      select count(*)::int as open from campaign_contacts where state <> 'settled'`)
    return open === 0
  }, 30)
  const calls = await api.pool.many(sql`select state, result, disconnection_reason from calls`)
  const failed = { state: 'ended', result: 'failed', disconnection_reason: 'error_unknown' }
  assert.deepEqual(calls, [failed, failed])
  assert.equal(host.calls.length, 0)
})
