import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sign } from 'retell-sdk'
import sql from 'sql-template-tag'
import { references } from '../../src/providers/hosts/references.ts'
import { requestFor } from '../../src/providers/retell/calls.ts'
import { scriptOf } from '../../src/voice-agents/host-script.ts'
import { clockAt, eventually } from '../support/engine.ts'
import { startHostedCalls } from '../support/hosted-calls.ts'
import { brief } from '../support/phone.ts'
import { AGENT_ID, RETELL_KEY } from '../support/retell-emulator.ts'
import { seedCampaign } from '../support/seed.ts'

const TO = '+12125550142'
/** Was struck off, because Retell said that it had never heard of it. */
const CALL_ID = 4711

let companyId = 0
const clock = clockAt('2026-03-02T15:00:00Z', 25)
const { api, host, url } = await startHostedCalls({
  name: 'retell',
  clock,
  behaviour: () => ({ pickup: 'answers', deaf: true }),
  async seed({ pool }) {
    companyId = (await seedCampaign(pool, { contacts: 0 })).companyId
  },
})
const reference = await references(api.pool).of({ company_id: companyId, call_id: CALL_ID })

test('a call that a host begins after we gave it up is hung up', async () => {
  const outgoing = { company_id: companyId, call_id: CALL_ID, to: TO, from: null, attempt: 1, place_by: 0 }
  const account = {
    apiKey: '',
    from: '+12125550100',
    agentId: AGENT_ID,
    apiBase: '',
    publicUrl: url,
    callsPerSecond: 1,
  }
  const limits = { ring_seconds: 30, max_seconds: 1800 }
  const script = scriptOf(brief(), clock.now())
  const response = await fetch(`${host.url}/v2/create-phone-call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${RETELL_KEY}` },
    body: JSON.stringify(requestFor({ ...outgoing, ...limits }, script, reference, account, 3)),
  })
  assert.equal(response.status, 201)
  const [stray] = host.calls
  await eventually(async () => stray!.state === 'ended')
  assert.equal(stray!.how, 'stopped')
  assert.ok(stray!.turns.length < 3, 'before anything was said')
  assert.deepEqual(await api.pool.many(sql`select id from calls`), [])
})

test('who opted out in such a call is not called again, though nothing else is known of it', async () => {
  const said = (role: string, content: string) => ({ role, content, words: [] })
  const body = JSON.stringify({
    event: 'call_analyzed',
    call: {
      call_id: 'call_77',
      call_status: 'ended',
      metadata: { docketcall: reference },
      to_number: TO,
      disconnection_reason: 'user_hangup',
      transcript_object: [said('agent', 'Hello, this is an AI assistant.'), said('user', 'Take me off your list.')],
      call_analysis: { call_successful: true },
    },
  })
  const answer = await fetch(`${url}/providers/retell/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-retell-signature': await sign(body, RETELL_KEY) },
    body,
  })
  assert.equal(answer.status, 204)
  assert.deepEqual(
    await api.pool.many(sql`
      select address, channel, source, evidence from permissions where company_id = ${companyId} and kind = 'suppression'`),
    [{ address: TO, channel: 'call', source: 'spoken', evidence: { call_id: CALL_ID } }],
  )
})
