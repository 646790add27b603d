import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { sign } from 'retell-sdk'
import { startApi } from '../../../test/support/api.ts'
import { clockAt, eventually } from '../../../test/support/engine.ts'
import type { HostBehaviour, HostEmulator } from '../../../test/support/host-emulator.ts'
import { type HostName, hostSettings } from '../../../test/support/hosted-calls.ts'
import { brief } from '../../../test/support/phone.ts'
import { RETELL_KEY, startRetell } from '../../../test/support/retell-emulator.ts'
import { ASSISTANT_ID, NUMBER_ID, OTHER_NUMBER, startVapi } from '../../../test/support/vapi-emulator.ts'
import { scriptOf } from '../../voice-agents/host-script.ts'
import { createProviders } from '../index.ts'
import { DialPutOff, DialRefused, type OutgoingCall, type VoiceEvents, type VoiceProvider } from '../voice.ts'
import { references } from './references.ts'

const clock = clockAt('2026-03-02T15:00:00Z', 200)
const script = scriptOf(
  brief({
    transfer_number: '+12125550199',
    is_transfer_enabled: true,
    voicemail_action: 'message',
    voicemail_message: 'Please call back.',
    post_call_fields: [
      { name: 'will_come', type: 'boolean', description: 'Comes to the office' },
      { name: 'contact_method', type: 'selector', choices: ['phone', 'email'] },
    ],
  }),
  new Date('2026-03-02T15:00:00Z'),
)

const api = await startApi({ clock })

interface Heard {
  what: string
  call_id: number
  status?: string
}

interface World {
  voice: VoiceProvider
  host: HostEmulator
  app: FastifyInstance
  url: string
  heard: Heard[]
}

/** A host's carrier with whoever listens to it, and no engine. */
async function world(
  name: HostName,
  behaviour: HostBehaviour = { pickup: 'answers' },
  { settings = {}, agent }: { settings?: Record<string, string>; agent?: Parameters<typeof startRetell>[2] } = {},
): Promise<World> {
  const host =
    name === 'vapi' ? await startVapi(clock, () => behaviour) : await startRetell(clock, () => behaviour, agent)
  const app = Fastify()
  const publicUrl = 'http://127.0.0.1:1'
  const { voice } = createProviders(api.pool, clock, hostSettings(name, host.url, publicUrl, settings))
  const heard: Heard[] = []
  const note = (what: string) => (event: { call_id: number; status?: string }) => {
    heard.push({ what, call_id: event.call_id, ...(event.status ? { status: event.status } : {}) })
  }
  const events: VoiceEvents = {
    status: note('status'),
    transfer: note('transfer'),
    machine: note('machine'),
    lineEnded: note('lineEnded'),
    overheard: note('overheard'),
    report: note('report'),
    conversation: () => assert.fail('a host holds its conversations itself'),
    brief: async () => brief(),
    script: async () => script,
  }
  await voice.start(events)
  voice.addRoutes?.(app)
  after(async () => {
    await voice.stop()
    await app.close()
    await host.close()
  })
  return { voice, host, app, url: publicUrl, heard }
}

let lastId = 0
const call = (more: Partial<OutgoingCall> = {}): OutgoingCall => ({
  company_id: 1,
  call_id: ++lastId,
  to: '+12125550142',
  from: null,
  attempt: 1,
  ring_seconds: 30,
  max_seconds: 1800,
  place_by: Date.now() + 60_000,
  ...more,
})

for (const name of ['vapi', 'retell'] as const) {
  for (const [create, kind] of [
    [400, DialRefused],
    [401, DialPutOff],
    [429, DialPutOff],
    ['no concurrency', DialPutOff],
  ] as const)
    test(`${name}: where it answers ${create}, it is certain that nobody was rung`, async () => {
      const { voice, host } = await world(name, { pickup: 'answers', create })
      await assert.rejects(voice.place(call()), kind)
      assert.equal(host.calls.length, 0)
    })

  test(`${name}: one that is not there takes no calls just now`, async () => {
    const { voice, host } = await world(name)
    await host.close()
    await assert.rejects(voice.place(call()), DialPutOff)
  })

  for (const create of [500, 'placed, then 500', 'placed, never answered'] as const)
    test(`${name}: "${create}" leaves it open; the request is sent once, and the call is found by our id`, async () => {
      const { voice, host } = await world(name, { pickup: 'no-answer', create })
      const one = call()
      await assert.rejects(voice.place(one), (error) => !(error instanceof DialRefused || error instanceof DialPutOff))
      assert.equal(host.asked.get(one.to), 1)
      const found = await voice.lookup({ ...one, since: host.calls[0]?.created ?? clock.now() })
      assert.equal(found?.provider_call_id, host.calls[0]?.id)
      const stranger = await voice.lookup({ ...call(), since: new Date(0) })
      assert.equal(stranger, null, 'a call of the same number that is not this one')
    })

  test(`${name}: a call that rings or goes on is hung up, one that is over stays as it is`, async () => {
    const { voice, host } = await world(name, { pickup: 'answers', deaf: true })
    const one = call()
    const placed = { ...one, ...(await voice.place(one)) }
    await eventually(async () => host.calls[0]!.state === 'talking')
    assert.equal((await voice.lookup(placed))?.status, 'in_progress')
    await voice.hangUp(placed)
    await eventually(async () => host.calls[0]!.state === 'ended')
    assert.equal(host.calls[0]!.how, 'stopped')
    await voice.hangUp(placed)
    await voice.hangUp({ ...one, provider_call_id: 'call_999999' })
  })

  test(`${name}: that a call is not there is believed only when it would have stopped ringing`, async () => {
    const { voice } = await world(name)
    const ago = (seconds: number) => new Date(clock.now().getTime() - seconds * 1000)
    assert.equal(await voice.resume({ ...call(), since: ago(100) }), null)
    // The search itself takes half an hour of this clock.
    await assert.rejects(voice.resume({ ...call(), since: ago(-1800) }), /may not list the call yet/)
  })

  test(`${name}: a call of which nobody heard is told when it is asked for`, async () => {
    const { voice, host, heard } = await world(name, { pickup: 'answers', callbacks: 'lost' })
    const one = call()
    const { provider_call_id } = await voice.place(one)
    await eventually(async () => host.calls[0]!.read)
    await voice.resume({ ...one, provider_call_id })
    assert.deepEqual(
      heard.map(({ what }) => what),
      ['status', 'overheard', 'report'],
    )
  })
}

test('what Retell is told: our id as metadata, our words as the first ones, our limits', async () => {
  const { voice, host, url } = await world('retell')
  await voice.place(call({ from: '+12125550123' }))
  const { request } = host.calls[0]!
  assert.deepEqual([request.from_number, request.to_number], ['+12125550123', '+12125550142'])
  assert.deepEqual(request.metadata, { docketcall: await references(api.pool).of({ company_id: 1, call_id: lastId }) })
  assert.equal(request.override_agent_version, 3)
  const { agent, retell_llm } = request.agent_override
  assert.deepEqual(retell_llm, { begin_message: script.opening, start_speaker: 'agent' })
  assert.equal(request.retell_llm_dynamic_variables.docketcall_instructions, script.instructions)
  assert.equal(agent.webhook_url, `${url}/providers/retell/events`)
  assert.deepEqual([agent.ring_duration_ms, agent.max_call_duration_ms], [30_000, 1_800_000])
  assert.deepEqual(agent.voicemail_option, { action: { type: 'static_text', text: script.voicemail } })
  assert.deepEqual(
    agent.post_call_analysis_data.map((each: { name: string; type: string }) => `${each.name} ${each.type}`),
    [
      'call_summary system-presets',
      'call_successful system-presets',
      'user_sentiment system-presets',
      'docketcall_opted_out boolean',
      'will_come boolean',
      'contact_method enum',
    ],
  )
  assert.equal(voice.records, true, 'Retell keeps a recording of every call')
})

test('what Vapi is told: an assistant of ours for one call, with the address and the secret of its callbacks', async () => {
  const { voice, host, url } = await world('vapi')
  await voice.place(call())
  const { request } = host.calls[0]!
  const reference = await references(api.pool).of({ company_id: 1, call_id: lastId })
  assert.ok(reference.length <= 40, 'names at Vapi end there')
  assert.equal(request.name, reference)
  assert.equal(request.phoneNumberId, NUMBER_ID)
  assert.deepEqual(request.customer, { number: '+12125550142' })
  const { assistant } = request
  assert.equal(assistant.firstMessage, script.opening)
  assert.equal(assistant.firstMessageMode, 'assistant-speaks-first')
  assert.equal(assistant.voicemailMessage, script.voicemail)
  assert.equal(assistant.maxDurationSeconds, 1800)
  assert.deepEqual(assistant.artifactPlan, { recordingEnabled: false })
  assert.equal(assistant.server.url, `${url}/providers/vapi/events/${reference}`)
  assert.ok(assistant.server.headers['x-vapi-secret'].length > 40)
  assert.deepEqual(assistant.model.messages, [{ role: 'system', content: script.instructions }])
  assert.deepEqual(assistant.model.tools[1].destinations[0].number, '+12125550199')
  assert.deepEqual(Object.keys(assistant.analysisPlan.structuredDataPlan.schema.properties), [
    'docketcall_opted_out',
    'will_come',
    'contact_method',
  ])
})

test("an assistant of the firm's lends Vapi its model and voice, and nothing that it says", async () => {
  const { voice, host } = await world('vapi', undefined, { settings: { VAPI_ASSISTANT_ID: ASSISTANT_ID } })
  await voice.place(call())
  const { assistant } = host.calls[0]!.request
  assert.deepEqual(assistant.voice, { provider: '11labs', voiceId: 'warm' })
  assert.equal(assistant.model.provider, 'anthropic')
  assert.deepEqual(
    assistant.model.messages.map(({ content }: { content: string }) => content),
    ['Be warm.', script.instructions],
  )
  assert.deepEqual(
    assistant.model.tools.map(({ type }: { type: string }) => type),
    ['dtmf', 'endCall', 'transferCall'],
  )
  assert.deepEqual([assistant.firstMessage, assistant.voicemailMessage], [script.opening, script.voicemail])
})

test("an agent's own number is shown where the account at Vapi has it; otherwise nobody is rung", async () => {
  const { voice, host } = await world('vapi')
  await voice.place(call({ from: OTHER_NUMBER }))
  assert.equal(host.calls[0]!.request.phoneNumberId, 'other-number')
  await assert.rejects(voice.place(call({ from: '+12125550178' })), DialRefused)
  assert.equal(host.calls.length, 1)
})

for (const [why, agent] of [
  ['has no place for what it must do', { prompt: 'Be kind.' }],
  ['chooses its first words itself', { engine: 'conversation-flow' }],
] as const)
  test(`nobody is rung by an agent at Retell that ${why}`, async () => {
    const { voice, host } = await world('retell', undefined, { agent })
    await assert.rejects(voice.place(call()), DialPutOff)
    assert.equal(host.calls.length, 0)
  })

test('a call is found at Vapi among hundreds of others since', async () => {
  const { voice, host } = await world('vapi', { pickup: 'no-answer' })
  const since = clock.now()
  const one = call()
  await voice.place(one)
  for (let others = 0; others < 250; others++) await voice.place(call())
  const found = await voice.lookup({ ...one, since })
  assert.equal(found?.provider_call_id, host.calls[0]!.id)
})

const told = (body: object) => JSON.stringify(body)

test("Retell's callbacks are heard by its signature only, fresh and over these very words", async () => {
  const { app, heard } = await world('retell')
  const metadata = { docketcall: await references(api.pool).of({ company_id: 1, call_id: 4711 }) }
  const body = told({ event: 'call_started', call: { call_id: 'call_1', call_status: 'ongoing', metadata } })
  const post = (payload: string, signature?: string) =>
    app
      .inject({
        method: 'POST',
        url: '/providers/retell/events',
        headers: { 'content-type': 'application/json', ...(signature ? { 'x-retell-signature': signature } : {}) },
        payload,
      })
      .then(({ statusCode }) => statusCode)
  const good = await sign(body, RETELL_KEY)
  assert.equal(await post(body), 401)
  assert.equal(await post(body, 'v=1,d=00'), 401)
  assert.equal(await post(body, await sign(body, 'another key of that length')), 401)
  assert.equal(await post(body.replace('call_1', 'call_2'), good), 401)
  const old = Date.now() - 6 * 60_000
  const { symmetric } = await import('retell-sdk/lib/webhook_auth')
  assert.equal(await post(body, await symmetric.sign(body, RETELL_KEY, old)), 401)
  assert.equal(await post('{', await sign('{', RETELL_KEY)), 400)
  assert.equal(heard.length, 0)
  assert.equal(await post(body, good), 204)
  assert.deepEqual(heard, [{ what: 'status', call_id: 4711, status: 'answered' }])
})

test('a call of the same account at Retell that another installation has made is none of ours', async () => {
  const { app, heard } = await world('retell')
  for (const metadata of [undefined, {}, { docketcall: '1.4711.AAAAAAAAAAAAAAAA' }, { docketcall: ['x'] }]) {
    const payload = told({ event: 'call_started', call: { call_id: 'call_1', call_status: 'ongoing', metadata } })
    const headers = { 'content-type': 'application/json', 'x-retell-signature': await sign(payload, RETELL_KEY) }
    const { statusCode } = await app.inject({ method: 'POST', url: '/providers/retell/events', headers, payload })
    assert.equal(statusCode, 204)
  }
  assert.equal(heard.length, 0)
})

test("Vapi's callbacks are heard by the secret of their own call only", async () => {
  const { app, heard } = await world('vapi')
  const known = references(api.pool)
  const [one, other] = await Promise.all([4711, 4712].map((call_id) => known.of({ company_id: 1, call_id })))
  const payload = told({ message: { type: 'status-update', status: 'in-progress', call: { id: 'vapi-1' } } })
  const post = (reference: string, secret?: string, body = payload) =>
    app
      .inject({
        method: 'POST',
        url: `/providers/vapi/events/${reference}`,
        headers: { 'content-type': 'application/json', ...(secret ? { 'x-vapi-secret': secret } : {}) },
        payload: body,
      })
      .then(({ statusCode }) => statusCode)
  assert.equal(await post(one!), 401)
  assert.equal(await post(one!, 'guess'), 401)
  assert.equal(await post(one!, await known.secretOf(other!)), 401)
  assert.equal(await post(one!, await known.secretOf(one!), '['), 400)
  assert.equal(
    await post(one!, await known.secretOf(one!), told({ message: { type: 'hang', call: { id: 'x' } } })),
    204,
  )
  assert.equal(await post(one!, await known.secretOf(one!), told({ message: {} })), 204)
  assert.equal(heard.length, 0)
  assert.equal(await post(one!, await known.secretOf(one!)), 204)
  assert.deepEqual(heard, [{ what: 'status', call_id: 4711, status: 'answered' }])
})

test('nobody sends a callback of more than ten megabytes', async () => {
  const { app } = await world('retell')
  const payload = told({ event: 'x'.repeat(10 * 1024 * 1024) })
  const headers = { 'content-type': 'application/json', 'x-retell-signature': await sign(payload, RETELL_KEY) }
  const { statusCode } = await app.inject({ method: 'POST', url: '/providers/retell/events', headers, payload })
  assert.equal(statusCode, 413)
})
