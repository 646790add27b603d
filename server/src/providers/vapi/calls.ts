import type { Vapi } from '@vapi-ai/server-sdk'
import type { HostCall, Reading } from '../hosts/host.ts'
import { OPTED_OUT_FIELD } from '../hosts/host.ts'
import type { Turn } from '../voice.ts'
import { endingOf } from './reasons.ts'

/** A call as Vapi tells of it, now more, now less. */
export type ToldCall = Partial<Vapi.Call> & { id: string }

const STATES: Record<string, HostCall['state']> = {
  scheduled: 'ringing',
  queued: 'ringing',
  ringing: 'ringing',
  'in-progress': 'in_progress',
  forwarding: 'in_progress',
  ended: 'ended',
  'not-found': 'ended',
  'deletion-failed': 'ended',
}

export function hostCall(call: ToldCall): HostCall {
  const at = (instant: string | undefined) => (instant ? new Date(instant) : null)
  const answered_at = at(call.startedAt)
  const ended_at = at(call.endedAt)
  const facts = {
    provider_call_id: call.id,
    to: call.customer?.number ?? '',
    placed_at: at(call.createdAt),
    answered_at,
    ended_at,
    duration_seconds: answered_at && ended_at ? Math.round((ended_at.getTime() - answered_at.getTime()) / 1000) : 0,
    transcript: transcriptOf(call.artifact?.messages ?? call.messages ?? []),
    transferred_to: numberIn(call.destination),
    reading: call.analysis ? readingOf(call.analysis) : null,
  }
  const state = STATES[call.status ?? 'queued'] ?? 'in_progress'
  return state === 'ended' ? { ...facts, state, ending: endingOf(call.endedReason) } : { ...facts, state }
}

/** A number, or whatever else a call can be forwarded to. */
export function numberIn(destination: unknown): string | null {
  const { number } = (destination ?? {}) as { number?: unknown }
  return typeof number === 'string' ? number : null
}

const SPEAKERS: Record<string, Turn['speaker']> = { user: 'contact', bot: 'agent', assistant: 'agent' }

/** Prompts and tools are messages, too. */
const transcriptOf = (messages: unknown[]): Turn[] =>
  messages.flatMap((each) => {
    const { role, message, secondsFromStart } = each as { role?: string; message?: unknown; secondsFromStart?: unknown }
    const speaker = SPEAKERS[role ?? '']
    if (!speaker || typeof message !== 'string' || message === '') return []
    return [{ speaker, text: message, at: typeof secondsFromStart === 'number' ? secondsFromStart : 0 }]
  })

/** One turn, as it is told while they talk. */
export function heardTurn({ role, transcript }: Pick<Vapi.ServerMessageTranscript, 'role' | 'transcript'>): Turn[] {
  const speaker = SPEAKERS[role]
  return speaker && typeof transcript === 'string' ? [{ speaker, text: transcript, at: 0 }] : []
}

export function readingOf({ summary, structuredData, successEvaluation }: Vapi.Analysis): Reading {
  const { [OPTED_OUT_FIELD]: optedOut, ...fields } = structuredData ?? {}
  return {
    successful: successEvaluation === undefined ? null : successEvaluation === 'true',
    opted_out: optedOut === true,
    summary: summary || null,
    // It does not look for one.
    sentiment_score: null,
    extracted_fields: fields,
  }
}
