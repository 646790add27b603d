import { sign } from 'retell-sdk'
import type { Clock } from '../../src/core/clock.ts'
import {
  type HostBehaviour,
  type HostEmulator,
  type HostedCall,
  type Moment,
  startHost,
  type Vendor,
} from './host-emulator.ts'

export const RETELL_KEY = 'key_of_the_emulated_account'
export const AGENT_ID = 'agent_emulated'

const REASONS: Record<NonNullable<HostedCall['how']>, string> = {
  user: 'user_hangup',
  agent: 'agent_hangup',
  stopped: 'manual_stopped',
  transfer: 'call_transfer',
  voicemail: 'voicemail_reached',
  silence: 'inactivity',
  'too long': 'max_duration_reached',
  busy: 'dial_busy',
  'no-answer': 'dial_no_answer',
  failed: 'invalid_destination',
}

const resource = (call: HostedCall) => ({
  call_type: 'phone_call',
  call_id: call.id,
  agent_id: AGENT_ID,
  agent_version: 3,
  direction: 'outbound',
  call_status: statusOf(call),
  metadata: call.request.metadata,
  retell_llm_dynamic_variables: call.request.retell_llm_dynamic_variables,
  from_number: call.from,
  to_number: call.to,
  ...(call.answered ? { start_timestamp: call.answered.getTime() } : {}),
  ...(call.turns.length > 0 ? { transcript_object: utterances(call) } : {}),
  ...(call.ended
    ? {
        end_timestamp: call.ended.getTime(),
        duration_ms: call.answered ? call.ended.getTime() - call.answered.getTime() : 0,
        disconnection_reason: call.behaviour.reason ?? REASONS[call.how!],
      }
    : {}),
  ...(call.transferredTo ? { transfer_destination: call.transferredTo } : {}),
  ...(call.read ? { call_analysis: analysis(call) } : {}),
})

function statusOf({ state, answered }: HostedCall): string {
  if (state === 'ended') return answered ? 'ended' : 'not_connected'
  return state === 'talking' ? 'ongoing' : 'registered'
}

const utterances = ({ turns }: HostedCall) =>
  turns.map(({ agent, text, at }) => ({
    role: agent ? 'agent' : 'user',
    content: text,
    words: text.split(' ').map((word, index) => ({ word, start: at + index * 0.3, end: at + index * 0.3 + 0.3 })),
  }))

const analysis = ({ how, behaviour, turns }: HostedCall) => ({
  call_summary: turns.length > 2 ? 'They spoke about the matter.' : '',
  in_voicemail: how === 'voicemail',
  user_sentiment: turns.length > 2 ? 'Positive' : 'Unknown',
  call_successful: how === 'agent',
  custom_analysis_data: behaviour.finds ?? {},
})

const EVENTS: Partial<Record<Moment, string>> = {
  answered: 'call_started',
  turn: 'transcript_updated',
  transferring: 'transfer_started',
  bridged: 'transfer_bridged',
  ended: 'call_ended',
  read: 'call_analyzed',
}

/** Which agent there is, as tests want it. */
export interface RetellAgent {
  engine?: 'retell-llm' | 'conversation-flow'
  prompt?: string
}

/** Retell's interface and webhooks (signed by Retell's own code), as far as calls need them. Times are the clock's. */
export function startRetell(
  clock: Clock,
  behaviour: (to: string) => HostBehaviour,
  { engine = 'retell-llm', prompt = 'Be kind.\n{{docketcall_instructions}}' }: RetellAgent = {},
): Promise<HostEmulator> {
  const vendor: Vendor = {
    key: RETELL_KEY,
    prefix: 'call_',
    isCreate: (method, path) => method === 'POST' && path === '/v2/create-phone-call',
    wanted: ({ to_number, from_number, agent_override: { agent, retell_llm }, retell_llm_dynamic_variables }) => ({
      to: to_number,
      from: from_number,
      opening: retell_llm.begin_message,
      voicemail: agent.voicemail_option.action.text ?? null,
      transferNumber: retell_llm_dynamic_variables.transfer_number || null,
      maxSeconds: agent.max_call_duration_ms / 1000,
      ringSeconds: agent.ring_duration_ms / 1000,
    }),
    resource,
    refusal: (_status, why) => ({ status: 'error', message: why }),
    answer({ method, path, body, calls, hangUp }) {
      const [, what, id] = /^\/v2\/(get-call|stop-call)\/(\w+)$/.exec(path) ?? []
      const call = calls.find((each) => each.id === id)
      if (call && what === 'get-call') return { status: 200, body: resource(call) }
      if (call && what === 'stop-call') {
        if (call.state === 'ended') return { status: 422, body: { status: 'error', message: 'Call is not ongoing' } }
        hangUp(call)
        return { status: 204 }
      }
      if (method === 'POST' && path === '/v3/list-calls') {
        const { key, value } = body.filter_criteria.metadata[0]
        const items = calls.filter(({ request }) => request.metadata[key] === value).map(resource)
        return { status: 200, body: { items, has_more: false } }
      }
      if (path === `/get-agent/${AGENT_ID}`)
        return {
          status: 200,
          body: { agent_id: AGENT_ID, version: 3, response_engine: { type: engine, llm_id: 'llm_1' } },
        }
      if (path === '/get-retell-llm/llm_1') return { status: 200, body: { llm_id: 'llm_1', general_prompt: prompt } }
      return undefined
    },
    async callback(call, moment) {
      const { webhook_url, webhook_events } = call.request.agent_override.agent
      const event = EVENTS[moment]
      if (!event || !webhook_events.includes(event)) return null
      const { call_analysis, ...known } = resource(call) as { call_analysis?: object }
      const body = JSON.stringify({ event, call: event === 'call_analyzed' ? { ...known, call_analysis } : known })
      return { url: webhook_url, headers: { 'x-retell-signature': await sign(body, RETELL_KEY) }, body }
    },
  }
  return startHost(clock, behaviour, vendor)
}
