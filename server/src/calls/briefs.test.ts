import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { seedCampaign } from '../../test/support/seed.ts'
import { selectBriefs } from './briefs.ts'

const api = await startApi()

/** What the law asks of a call to somebody with such a number, at such an address. */
async function lawOf(mobile: string, state: string | null, at = '2026-03-02T16:00:00Z') {
  const { companyId } = await seedCampaign(api.pool, { contacts: 1 })
  await api.pool.run(sql`
    update clients set state = ${state}, postal_code = null, mobile = ${mobile}, mobile_e164 = ${mobile}
    where company_id = ${companyId}`)
  const { id } = await api.pool.one<{ id: number }>(sql`
    insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, to_number, provider, decision, created_at)
    select cc.company_id, cc.id, c.id, k.id, cc.agent_id, 1, 'placing', c.mobile_e164, 'test', '{}', ${new Date(at)}
    from campaigns cc join clients c on c.company_id = cc.company_id join cases k on k.company_id = cc.company_id
    where cc.company_id = ${companyId} returning id`)
  const [brief] = await selectBriefs(api.pool, [{ company_id: companyId, call_id: id }], true)
  const { says_why, all_agree_to_recording } = brief!.law
  return [says_why, all_agree_to_recording]
}

test('where the contact may be in a state that asks for it, all have to agree to the recording, and the opening says why', async () => {
  assert.deepEqual(await lawOf('+12125550101', 'NY'), [false, false])
  assert.deepEqual(await lawOf('+12135550101', 'CA'), [false, true])
  assert.deepEqual(await lawOf('+12135550101', 'NY'), [false, true], 'a Californian number in New York')
  assert.deepEqual(await lawOf('+12065550101', 'WA'), [true, true])
  assert.deepEqual(await lawOf('+12065550101', 'OR'), [true, true], 'a number of Washington in Oregon')
  assert.deepEqual(await lawOf('+18005550101', null), [true, true], 'who may be anywhere')
})
