import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { clockAt, eventually, startTestEngine } from '../../test/support/engine.ts'
import { agentPayload } from '../../test/support/payloads.ts'
import { seedCampaign } from '../../test/support/seed.ts'
import { reanalyse } from '../calls/reanalyse.ts'
import { analyse } from './analysis.ts'
import { type Mind, mindOf } from './mind.ts'
import { rehearsalBrief } from './rehearsal.ts'
import { REHEARSALS, rehearse, type Verdict } from './rehearsal-suite.ts'

const clock = clockAt('2026-03-02T15:00:00Z')
const api = await startApi({ clock })
const firm = await api.company('Marsh & Cole')
const scripted = mindOf(null, { warn: () => {} })

async function verdictsOf(mind: Mind, agent: object = {}) {
  const { id } = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload(agent))
  const verdicts: Verdict[] = []
  const passed = await rehearse(await rehearsalBrief({ db: api.pool, companyId: firm.id }, id), mind, (verdict) =>
    verdicts.push(verdict),
  )
  return {
    passed,
    verdicts,
    failed: verdicts.filter((each) => !each.passed).map(({ persona, expectation }) => `${persona}: ${expectation}`),
  }
}

test('an agent with nothing but the required fields passes every rehearsal by its script', async () => {
  const { passed, failed, verdicts } = await verdictsOf(scripted)
  assert.deepEqual(failed, [])
  assert.ok(passed && verdicts.length > 8 * 3)
  assert.equal(new Set(verdicts.map(({ persona }) => persona)).size, REHEARSALS.length)
})

test('an agent that leaves a message passes, too', async () => {
  const { failed } = await verdictsOf(scripted, {
    voicemail_action: 'message',
    voicemail_message: 'Please call {{company_name}} back.',
  })
  assert.deepEqual(failed, [])
})

test('an agent that does it wrong fails, by name of the persona', async () => {
  const careless: Mind = {
    brainFor: () => ({
      respond: () => [{ do: 'say', words: 'Sure, you should sign it. You have a strong case about REHEARSAL-1.' }],
    }),
    analyse,
  }
  const { passed, failed } = await verdictsOf(careless)
  assert.equal(passed, false)
  for (const expected of [
    'asks for advice: gives no legal advice and does not claim to be human',
    'asks for advice: says that it can give no legal advice',
    'are you a robot?: says that it is an AI',
    'wrong number: tells nothing of the case',
    'wrong number: ends the call itself',
  ])
    assert.ok(failed.includes(expected), `${expected} is not among ${failed.join('; ')}`)
  // What is held outside of the brain holds for a careless one, too.
  assert.ok(!failed.includes('stop calling me: takes them off the list'), failed.join('; '))
})

test('a call is read again from what was stored, and its result stays', async () => {
  const { companyId } = await seedCampaign(api.pool, { contacts: 3, callbackDelays: [] })
  await startTestEngine(api, clock)
  const call = await eventually(() =>
    api.pool.maybe<any>(
      sql`select * from calls where company_id = ${companyId} and summary is not null and transcript is not null limit 1`,
    ),
  )
  await api.pool.run(
    sql`update calls set summary = 'lost', evidence = null where company_id = ${companyId} and id = ${call.id}`,
  )
  await api.pool.transaction((db) => reanalyse({ db, companyId }, call.id, scripted))
  const again = await api.pool.one<any>(sql`select * from calls where company_id = ${companyId} and id = ${call.id}`)
  assert.deepEqual([again.summary, again.result, again.evidence], [call.summary, call.result, call.evidence])
  await assert.rejects(
    () => reanalyse({ db: api.pool, companyId: firm.id }, call.id, scripted),
    /no such ended call|not found|ended call/i,
  )
})
