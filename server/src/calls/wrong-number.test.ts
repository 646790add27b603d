import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { seedCampaign } from '../../test/support/seed.ts'
import { explainContact } from '../campaigns/explain-contact.ts'
import { consentAddresses } from '../compliance/opt-out.ts'
import { notReached } from './not-reached.ts'
import { settle } from './settle.ts'

const { pool } = await startApi()

test('at a wrong number the contact is called and texted no more, in no campaign; others there, and they elsewhere, are', async () => {
  const { companyId, campaignId } = await seedCampaign(pool, { contacts: 2 })
  const [one, other] = await pool.many<{ id: number; case_id: number; mobile_e164: string }>(sql`
    select c.id, l.case_id, c.mobile_e164 from clients c join case_clients l on l.company_id = c.company_id and l.client_id = c.id
    where c.company_id = ${companyId} order by c.id`)
  const { id: client_id, case_id, mobile_e164: number } = one!
  await pool.run(sql`update clients set mobile_e164 = ${number} where id = ${other!.id}`)
  await pool.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, attempts)
    values (${companyId}, ${campaignId}, ${client_id}, ${case_id}, 'live', 1)`)
  const { id: call_id } = await pool.one<{ id: number }>(sql`
    insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, provider, to_number, decision, created_at)
    values (${companyId}, ${campaignId}, ${client_id}, ${case_id}, ${`agent_${companyId}`}, 1, 'live', 'sandbox', ${number}, '{}', now())
    returning id`)
  const now = new Date()
  const end = notReached({ company_id: companyId, call_id }, 'failed', 'error_unknown', now)
  await pool.transaction((db) => settle(db, [{ ...end, result: 'wrong_number' }], now))

  const scope = { db: pool, companyId }
  const listed = async (id: number, channel: 'call' | 'sms') => {
    const { reasons } = await explainContact(scope as never, id, { channel, purpose: 'case_update', at: now })
    return reasons.some(({ rule }) => rule === 'suppressed')
  }
  for (const channel of ['call', 'sms'] as const)
    assert.deepEqual([await listed(client_id, channel), await listed(other!.id, channel)], [true, false], channel)
  await pool.run(sql`update clients set mobile_e164 = '+12125559999' where id = ${client_id}`)
  assert.equal(await listed(client_id, 'call'), false)
  await pool.run(sql`update clients set mobile_e164 = ${number} where id = ${client_id}`)
  assert.equal(await listed(client_id, 'call'), true)
  const consent = { channel: 'call' as const, purpose: 'informational', address: number, source: 'person' as const }
  await pool.transaction((db) => consentAddresses({ db, companyId }, [consent], 'system'))
  assert.deepEqual([await listed(client_id, 'call'), await listed(client_id, 'sms')], [false, true])
})
