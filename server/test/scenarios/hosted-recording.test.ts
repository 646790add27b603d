import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sign } from 'retell-sdk'
import sql from 'sql-template-tag'
import { clockAt, eventually } from '../support/engine.ts'
import { startHostedCalls } from '../support/hosted-calls.ts'
import { RETELL_KEY } from '../support/retell-emulator.ts'
import { seedCampaign } from '../support/seed.ts'

/** One contact in California, where all must agree to a recording, and one in New York; Retell's agent does not listen. */
const { api, host, url } = await startHostedCalls({
  name: 'retell',
  clock: clockAt('2026-03-02T18:00:00Z', 25),
  behaviour: () => ({ pickup: 'answers', deaf: true }),
  async seed({ pool }) {
    await seedCampaign(pool, { contacts: 2, callbackDelays: [] })
    await pool.run(sql`update clients set state = 'CA', postal_code = '90001' where external_source_id = '1'`)
  },
})

test('who refuses to be recorded where all must agree is let go by a host that always records; a person gets in touch', async () => {
  await eventually(async () => host.calls.length === 2 && host.calls.every(({ turns }) => turns.length > 0))
  for (const call of host.calls) {
    call.turns.push({ agent: false, text: "I don't want to be recorded.", at: 5 })
    const body = JSON.stringify({
      event: 'transcript_updated',
      call: {
        call_id: call.id,
        call_status: 'ongoing',
        to_number: call.to,
        metadata: call.request.metadata,
        transcript_object: [{ role: 'user', content: "I don't want to be recorded.", words: [] }],
      },
    })
    const headers = { 'content-type': 'application/json', 'x-retell-signature': await sign(body, RETELL_KEY) }
    assert.equal((await fetch(`${url}/providers/retell/events`, { method: 'POST', headers, body })).status, 204)
  }
  const inCalifornia = host.calls.find(({ to }) => to === '+12122000001')!
  const inNewYork = host.calls.find((call) => call !== inCalifornia)!
  assert.match(inCalifornia.turns[0]!.text, /This call is recorded\. If you would rather it were not, tell me so\./)
  await eventually(async () => inCalifornia.state === 'ended')
  assert.equal(inCalifornia.how, 'stopped')
  assert.equal(inNewYork.state, 'talking')
  await eventually(
    async () => (await api.pool.many(sql`select from tasks where title like 'Call Ana Lee 1 back%'`)).length,
  )
})
