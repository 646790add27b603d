import type { Clock } from '../../src/core/clock.ts'
import {
  type HostBehaviour,
  type HostEmulator,
  type HostedCall,
  type Moment,
  startHost,
  type Vendor,
} from './host-emulator.ts'

export const VAPI_KEY = 'the-private-key-of-the-emulated-account'
export const NUMBER_ID = '42b4b25d-031e-4786-857f-63b346c9580f'
export const OTHER_NUMBER = '+12125550177'
export const ASSISTANT_ID = '5b0a4a08-133c-4146-9315-0984f8c6be80'

const REASONS: Record<NonNullable<HostedCall['how']>, string> = {
  user: 'customer-ended-call',
  agent: 'assistant-ended-call',
  stopped: 'manually-canceled',
  transfer: 'assistant-forwarded-call',
  voicemail: 'voicemail',
  silence: 'silence-timed-out',
  'too long': 'exceeded-max-duration',
  busy: 'customer-busy',
  'no-answer': 'customer-did-not-answer',
  failed: 'twilio-failed-to-connect-call',
}

const STATUS = { ringing: 'ringing', talking: 'in-progress', ended: 'ended' }

const reasonOf = (call: HostedCall) => (call.how ? (call.behaviour.reason ?? REASONS[call.how]) : undefined)

const artifact = (call: HostedCall) => ({
  messages: [
    {
      role: 'system',
      message: call.request.assistant.model.messages.at(-1).content,
      time: 0,
      endTime: 0,
      secondsFromStart: 0,
    },
    ...call.turns.map(({ agent, text, at }) => ({
      role: agent ? 'bot' : 'user',
      message: text,
      time: 0,
      endTime: 0,
      secondsFromStart: at,
    })),
  ],
})

const destination = ({ transferredTo }: HostedCall) =>
  transferredTo ? { type: 'number', number: transferredTo } : undefined

const analysis = ({ turns, behaviour, how }: HostedCall) =>
  turns.length > 2
    ? {
        summary: 'They spoke about the matter.',
        successEvaluation: String(how === 'agent'),
        structuredData: behaviour.finds ?? {},
      }
    : {}

const resource = (call: HostedCall, base: string) => ({
  id: call.id,
  orgId: 'org',
  type: 'outboundPhoneCall',
  createdAt: call.created.toISOString(),
  updatedAt: (call.ended ?? call.created).toISOString(),
  startedAt: call.answered?.toISOString(),
  endedAt: call.ended?.toISOString(),
  status: STATUS[call.state],
  endedReason: reasonOf(call),
  name: call.request.name,
  phoneNumberId: call.request.phoneNumberId,
  customer: call.request.customer,
  assistant: call.request.assistant,
  monitor: { controlUrl: `${base}/${call.id}/control` },
  destination: destination(call),
  ...(call.state === 'ended' ? { artifact: artifact(call) } : {}),
  ...(call.read ? { analysis: analysis(call) } : {}),
})

const MOMENT_STATUS: Partial<Record<Moment, string>> = {
  queued: 'queued',
  ringing: 'ringing',
  answered: 'in-progress',
  transferring: 'forwarding',
  ended: 'ended',
}

/** Vapi's interface and server messages, as far as calls need them. Times are the clock's. */
export async function startVapi(clock: Clock, behaviour: (to: string) => HostBehaviour): Promise<HostEmulator> {
  let base = ''
  const vendor: Vendor = {
    key: VAPI_KEY,
    prefix: 'vapi-',
    isCreate: (method, path) => method === 'POST' && path === '/call',
    wanted: ({ customer, phoneNumberId, assistant }) => ({
      to: customer.number,
      from: phoneNumberId,
      opening: assistant.firstMessage,
      voicemail: assistant.voicemailMessage ?? null,
      transferNumber:
        assistant.model.tools.find(({ type }: { type: string }) => type === 'transferCall')?.destinations[0].number ??
        null,
      maxSeconds: assistant.maxDurationSeconds,
      ringSeconds: assistant.transportConfigurations[0].timeout,
    }),
    resource: (call) => resource(call, base),
    refusal: (status, why) => ({ statusCode: status, message: why, error: 'No' }),
    answer({ method, path, query, calls, hangUp, body }) {
      const [, id, control] = /^\/(?:call\/)?(vapi-\d+)(\/control)?$/.exec(path) ?? []
      const call = calls.find((each) => each.id === id)
      if (call && control) {
        if (body.type !== 'end-call') return { status: 400, body: {} }
        hangUp(call)
        return { status: 200, body: {} }
      }
      if (call && method === 'GET') return { status: 200, body: resource(call, base) }
      if (path === '/call') {
        const [from, to] = ['createdAtGe', 'createdAtLe'].map((name) => Date.parse(query.get(name) ?? ''))
        const found = calls
          .filter(({ created }) => !(created.getTime() < from!) && !(created.getTime() > to!))
          .reverse()
          .slice(0, Number(query.get('limit') ?? 100))
        return { status: 200, body: found.map((each) => resource(each, base)) }
      }
      if (path === '/phone-number')
        return { status: 200, body: [{ id: 'other-number', number: OTHER_NUMBER, provider: 'vapi' }] }
      if (path === `/assistant/${ASSISTANT_ID}`)
        return {
          status: 200,
          body: {
            id: ASSISTANT_ID,
            firstMessage: 'Hey there!',
            voicemailMessage: 'Ring us!',
            voice: { provider: '11labs', voiceId: 'warm' },
            model: {
              provider: 'anthropic',
              model: 'claude',
              messages: [{ role: 'system', content: 'Be warm.' }],
              tools: [{ type: 'endCall' }, { type: 'dtmf' }],
            },
          },
        }
      return undefined
    },
    callback(call, moment) {
      const { url, headers } = call.request.assistant.server
      const { analysis: _analysis, artifact: _artifact, ...known } = resource(call, base)
      const tell = (message: object) => ({
        url,
        headers,
        body: JSON.stringify({ message: { timestamp: clock.now().getTime(), call: known, ...message } }),
      })
      const turn = call.turns.at(-1)
      if (moment === 'turn')
        return tell({
          type: 'transcript',
          transcriptType: 'final',
          role: turn!.agent ? 'assistant' : 'user',
          transcript: turn!.text,
        })
      if (moment === 'read')
        return tell({
          type: 'end-of-call-report',
          endedReason: reasonOf(call),
          startedAt: call.answered?.toISOString(),
          endedAt: call.ended?.toISOString(),
          destination: destination(call),
          artifact: artifact(call),
          analysis: analysis(call),
        })
      const status = MOMENT_STATUS[moment]
      if (!status) return null
      return tell({
        type: 'status-update',
        status,
        endedReason: status === 'ended' ? reasonOf(call) : undefined,
        destination: status === 'forwarding' ? destination(call) : undefined,
      })
    },
  }
  const host = await startHost(clock, behaviour, vendor)
  base = host.url
  return host
}
