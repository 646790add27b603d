import type Retell from 'retell-sdk'
import type { CallCreatePhoneCallParams, PhoneCallResponse } from 'retell-sdk/resources/call'
import type { HostScript, PostCallField } from '../call-brief.ts'
import { type HostCall, OPTED_OUT_FIELD, OPTED_OUT_QUESTION, type Reading } from '../hosts/host.ts'
import type { OutgoingCall, Turn } from '../voice.ts'
import type { RetellAccount } from './account.ts'
import { endingOf } from './reasons.ts'

/** Where our reference stands in the metadata of a call. */
export const REFERENCE = 'docketcall'

/** What the prompt of the agent must have a place for: `{{docketcall_instructions}}`. */
export const INSTRUCTIONS = 'docketcall_instructions'

type Override = NonNullable<NonNullable<CallCreatePhoneCallParams['agent_override']>['agent']>
type AnalysisField = NonNullable<Override['post_call_analysis_data']>[number]

const SECOND = 1000

export function requestFor(
  { to, from, ring_seconds, max_seconds }: OutgoingCall,
  script: HostScript,
  reference: string,
  account: RetellAccount,
  version: number,
): CallCreatePhoneCallParams {
  const { voicemail, screening, transfer } = script
  return {
    from_number: from ?? account.from,
    to_number: to,
    override_agent_id: account.agentId,
    override_agent_version: version,
    metadata: { [REFERENCE]: reference },
    retell_llm_dynamic_variables: { [INSTRUCTIONS]: script.instructions, transfer_number: transfer?.number ?? '' },
    agent_override: {
      agent: {
        webhook_url: `${account.publicUrl}/providers/retell/events`,
        webhook_events: [
          'call_started',
          'call_ended',
          'call_analyzed',
          'transcript_updated',
          'transfer_started',
          'transfer_bridged',
          'transfer_cancelled',
          'transfer_ended',
        ],
        // Retell finds a call by its metadata only while it keeps it.
        data_storage_setting: 'everything',
        ring_duration_ms: ring_seconds * SECOND,
        max_call_duration_ms: max_seconds * SECOND,
        voicemail_option: { action: voicemail ? { type: 'static_text', text: voicemail } : { type: 'hangup' } },
        ivr_option: { action: { type: 'hangup' } },
        call_screening_option: { agent_identity: screening.who, call_purpose: screening.why },
        post_call_analysis_data: [
          ...(['call_summary', 'call_successful', 'user_sentiment'] as const).map((name) => ({
            type: 'system-presets' as const,
            name,
          })),
          { type: 'boolean', name: OPTED_OUT_FIELD, description: OPTED_OUT_QUESTION },
          ...script.fields.map(analysisField),
        ],
      },
      retell_llm: { begin_message: script.opening, start_speaker: 'agent' },
    },
  }
}

function analysisField({ name, type, description, choices }: PostCallField): AnalysisField {
  const about = { name, description: description ?? name, required: false }
  switch (type) {
    case 'selector':
      return { ...about, type: 'enum', choices: choices ?? [] }
    case 'text':
      return { ...about, type: 'string' }
    default:
      return { ...about, type }
  }
}

const STATES: Record<PhoneCallResponse['call_status'], HostCall['state']> = {
  registered: 'ringing',
  ongoing: 'in_progress',
  not_connected: 'ended',
  ended: 'ended',
  error: 'ended',
}

/** A call as a callback or a look-up tells of it: whatever is not there yet is left out by Retell. */
export function hostCall(call: Partial<PhoneCallResponse> & { call_id: string }): HostCall {
  const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms))
  const state = STATES[call.call_status ?? 'registered'] ?? 'in_progress'
  const facts = {
    provider_call_id: call.call_id,
    to: call.to_number ?? '',
    placed_at: null,
    answered_at: at(call.start_timestamp),
    ended_at: at(call.end_timestamp),
    duration_seconds: Math.round((call.duration_ms ?? 0) / SECOND),
    transcript: transcriptOf(call.transcript_object ?? []),
    transferred_to: call.transfer_destination ?? null,
    reading: call.call_analysis ? readingOf(call.call_analysis) : null,
  }
  if (state !== 'ended') return { ...facts, state }
  const ending = endingOf(call.disconnection_reason)
  // Whoever hung up: it was a machine.
  const machine = call.call_analysis?.in_voicemail === true && 'talked' in ending
  return { ...facts, state, ending: machine ? { talked: 'voicemail_reached' } : ending }
}

const SPEAKERS: Record<string, Turn['speaker']> = { agent: 'agent', user: 'contact' }

/** Without what was said with whom the contact was put through to. */
const transcriptOf = (utterances: PhoneCallResponse.TranscriptObject[]): Turn[] =>
  utterances.flatMap(({ role, content, words }) => {
    const speaker = SPEAKERS[role]
    return speaker && content ? [{ speaker, text: content, at: words?.[0]?.start ?? 0 }] : []
  })

const MOODS: Record<string, number> = { Negative: 0.2, Neutral: 0.5, Positive: 0.8 }

function readingOf(analysis: PhoneCallResponse.CallAnalysis): Reading {
  const { [OPTED_OUT_FIELD]: optedOut, ...fields } = (analysis.custom_analysis_data ?? {}) as Record<string, unknown>
  return {
    successful: analysis.call_successful ?? null,
    opted_out: optedOut === true,
    summary: analysis.call_summary || null,
    sentiment_score: MOODS[analysis.user_sentiment ?? ''] ?? null,
    extracted_fields: fields,
  }
}

/**
 * Which version of the agent may be rung with.
 *
 * @throws where its first words would not be ours, or it would not hear what it must not do
 */
export async function versionToCallWith(client: Retell, agentId: string): Promise<number> {
  const { response_engine: engine, version } = await client.agent.retrieve(agentId)
  if (engine.type !== 'retell-llm')
    throw new Error(`the agent ${agentId} is a ${engine.type}: only a retell-llm lets us choose its first words`)
  const { general_prompt } = await client.llm.retrieve(
    engine.llm_id,
    engine.version == null ? {} : { version: engine.version },
  )
  if (!general_prompt?.includes(`{{${INSTRUCTIONS}}}`))
    throw new Error(`the prompt of the agent ${agentId} has no {{${INSTRUCTIONS}}} in it`)
  return version
}
