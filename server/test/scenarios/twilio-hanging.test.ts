import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { clockAt, eventually } from '../support/engine.ts'
import { startRealCalls } from '../support/real-calls.ts'
import { seedCampaign } from '../support/seed.ts'

let companyId = 0
// So slow that a conversation does not end by itself, for want of an answer, before it is told.
const { api } = await startRealCalls({
  clock: clockAt('2026-03-02T15:00:00Z', 2),
  behaviour: () => ({ pickup: 'answers', persona: 'hangs_up', closes: 'never' }),
  async seed({ pool }) {
    companyId = (await seedCampaign(pool, { contacts: 1, callbackDelays: [] })).companyId
  },
})

test('a conversation whose socket hangs ends when the call is told to be over', async () => {
  const call = await eventually(
    () => api.pool.maybe<any>(sql`select * from calls where company_id = ${companyId} and state = 'ended'`),
    30,
  )
  assert.deepEqual([call.result, call.disconnection_reason], ['unsuccessful', 'user_hangup'])
  assert.doesNotMatch(JSON.stringify(call.transcript), /still there/)
})
