import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { campaignWorld } from '../../test/support/campaigns.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'
import type { Engine } from '../engine/job.ts'
import { followCampaigns } from './progress.ts'

const { api, clock, firm, create, row } = await campaignWorld()
const follow = () =>
  followCampaigns.pass({
    pool: api.pool,
    clock,
    wake: () => {},
    log: pino({ level: 'silent' }),
  } as Partial<Engine> as Engine)

const PROMISED = new Date('2026-03-06T23:00:00Z')

/** A contact of the campaign, as a call that asked for a callback has left it and the gate may have settled it since. */
async function contact(campaign: number, { state, reason }: { state: string; reason: string | null }) {
  const { id: client } = await firm.ok('POST /v1/clients', clientPayload())
  const { id: record } = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client] }))
  await api.pool.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, priority, settled_reason, callback_at, attempts)
    values (${firm.id}, ${campaign}, ${client}, ${record}, ${state}, 0, ${reason}, ${PROMISED}, 1)`)
  return client as number
}

test('every callback that was promised and not made is a task once the campaign is over', async () => {
  const campaign = await create()
  const waits = await contact(campaign, { state: 'due', reason: null })
  const tooLate = await contact(campaign, { state: 'settled', reason: 'run' })
  await contact(campaign, { state: 'settled', reason: 'opted_out' })
  clock.at = new Date('2026-06-01T12:00:00Z')
  await follow()
  assert.equal((await row(campaign)).status, 'completed')
  const tasks = await api.pool.many(
    sql`select client_id from case_tasks where company_id = ${firm.id} order by client_id`,
  )
  assert.deepEqual(tasks, [{ client_id: waits }, { client_id: tooLate }])
})
