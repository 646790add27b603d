import type { CallRef } from '../providers/voice.ts'
import type { CallEnd } from './settle.ts'

const WORDS: Record<string, string> = {
  dial_busy: 'The line was busy',
  dial_no_answer: 'Nobody picked up',
  dial_failed: 'The carrier could not place the call',
  invalid_destination: 'The number is not in service',
  error_unknown: 'The call was cut off',
}

/** The end of a call in which nobody said anything. */
export function notReached(
  { company_id, call_id }: CallRef,
  result: 'busy' | 'no_answer' | 'failed',
  reason: 'dial_busy' | 'dial_no_answer' | 'dial_failed' | 'invalid_destination' | 'error_unknown',
  ended_at: Date,
): CallEnd {
  return {
    company_id,
    call_id,
    ended_at,
    answered_at: null,
    duration_seconds: 0,
    result,
    disconnection_reason: reason,
    end_reason: WORDS[reason]!,
    transcript: null,
    summary: null,
    sentiment_score: null,
    extracted_fields: null,
    opted_out: false,
    is_disqualified: false,
    callback_at: null,
    transferred_to: null,
    evidence: null,
    follow_ups: [],
  }
}
