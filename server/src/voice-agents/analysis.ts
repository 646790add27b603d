import type { CallResult } from '../calls/results.ts'
import type { CallBrief } from '../providers/call-brief.ts'
import type { DisconnectionReason, Turn } from '../providers/voice.ts'
import type { Answer } from './answers.ts'
import { CALLBACK_HORIZON_HOURS } from './callback-time.ts'
import { type Facts, factsOf, type Held } from './facts.ts'
import { onlyScreened, refusesRecording } from './hearing.ts'
import { sentimentOf } from './sentiment.ts'
import { summaryOf } from './summary.ts'

export interface CallOutcome {
  result: CallResult
  disconnection_reason: DisconnectionReason
  /** A short phrase for people: "Contact hung up". */
  end_reason: string
  duration_seconds: number
  transcript: Turn[]
  summary: string
  /** 0 (bitter) to 1 (delighted), 0.5 is even; null where no person said anything. */
  sentiment_score: number | null
  /** Every post-call field of the agent, typed as defined; null where the contact gave no plain answer. */
  extracted_fields: Record<string, Answer>
  opted_out: boolean
  is_disqualified: boolean
  /** The time that the contact named, at most 48 hours ahead; null with `callback_requested` where none was agreed. */
  callback_at: Date | null
  transferred_to: string | null
  /** What the agent promised that a person will do, one sentence each, fit to be the title of a task. */
  follow_ups: string[]
  evidence: Evidence
  /** An appointment that the agent has booked. */
  appointment_at: Date | null
}

/** The turns (from 0) that each statement rests on. */
export interface Evidence {
  result: number[]
  fields: Record<string, number[]>
  summary: number[]
  sentiment: number[]
  /** Where the call was recorded: told so and stayed, or the turns that refuse it. */
  recording?: { agreed: boolean; turns: number[] }
}

/** Rests on the transcript alone (and its `asks`), so it can be run again over a stored call. */
export function analyse(held: Held, brief: CallBrief): CallOutcome {
  const facts = factsOf(held, brief)
  const result = resultOf(held, facts)
  return {
    disconnection_reason: held.disconnection_reason,
    duration_seconds: held.duration_seconds,
    transcript: held.transcript,
    summary: summaryOf(result, held, facts, brief),
    sentiment_score: hasMood(result, facts) ? sentimentOf(held.transcript) : null,
    extracted_fields: facts.fields,
    transferred_to: held.transferred_to,
    evidence: { ...evidenceOf(result, held, facts), ...(brief.recorded && { recording: recordingOf(held) }) },
    ...consequences(result, held, facts, brief),
  }
}

/** What follows from a result. */
function consequences(result: CallResult, held: Held, facts: Facts, brief: CallBrief) {
  return {
    result,
    end_reason: endReason(result, held.disconnection_reason),
    opted_out: result === 'opted_out',
    is_disqualified: result === 'disqualified',
    callback_at: result === 'callback_requested' ? (facts.callback?.at ?? null) : null,
    follow_ups: followUps(result, facts, brief),
    appointment_at: result === 'opted_out' ? null : facts.booked,
  }
}

/** The same reading with another result, by somebody who read the conversation better. */
export const withResult = (ours: CallOutcome, result: CallResult, held: Held, brief: CallBrief): CallOutcome => ({
  ...ours,
  ...consequences(result, held, factsOf(held, brief), brief),
})

const hasMood = (result: CallResult, { spoke }: Facts) => spoke && result !== 'voicemail' && result !== 'no_answer'

/** What a result rests on, the weightiest first. */
const GROUNDS: Partial<Record<CallResult, string[]>> = {
  opted_out: ['opt_out'],
  wrong_number: ['wrong_number'],
  disqualified: ['deceased', 'disqualified'],
  callback_requested: ['callback', 'wants_person'],
  transferred: ['wants_person'],
  converted: ['next_step'],
  successful: ['next_step'],
  unsuccessful: ['refusal', 'breaks_off', 'hostile', 'next_step'],
}

function recordingOf({ transcript }: Held): NonNullable<Evidence['recording']> {
  const turns = transcript.flatMap(({ speaker, text }, turn) =>
    speaker === 'contact' && refusesRecording(text) ? [turn] : [],
  )
  return { agreed: turns.length === 0, turns }
}

function evidenceOf(result: CallResult, { transcript }: Held, facts: Facts): Evidence {
  const { turns, fields } = facts
  const ground = GROUNDS[result]?.find((each) => turns[each] !== undefined)
  const rested = Object.keys(fields).flatMap((name) => {
    const turn = turns[`field:${name}`]
    return turn === undefined ? [] : [[name, [turn]] satisfies [string, number[]]]
  })
  return {
    result: ground === undefined ? [] : [turns[ground]!],
    fields: Object.fromEntries(rested),
    summary: [...new Set(Object.values(turns))].sort((a, b) => a - b),
    sentiment: hasMood(result, facts) ? contactTurns(transcript) : [],
  }
}

export const contactTurns = (transcript: readonly Turn[]): number[] =>
  transcript.flatMap(({ speaker }, index) => (speaker === 'contact' ? [index] : []))

/**
 * The first that applies:
 *
 * - `opted_out`: the contact asked, in any words, not to be called again.
 * - `voicemail`: a machine answered.
 * - `transferred`: the contact was connected to a person.
 * - `failed`: the line or our own side broke.
 * - `no_answer`: a phone that screens its calls answered, and nobody came to it.
 * - `wrong_number`: whoever answered is not the contact and does not know them.
 * - `disqualified`: the contact said that the matter is taken care of: another lawyer has it, it is settled or closed,
 *   they were not involved, or the contact has died.
 * - `callback_requested`: the contact asked to be called at another time, or asked for a person who could not be reached.
 * - `converted`: asked at the end whether they want the next step, the contact said yes.
 * - `successful`: the agent came to that last question, and the contact has not decided, or said no after answering at
 *   least one post-call field.
 * - `unsuccessful`: a person was reached, and either said no to the only thing that was asked, or the conversation ended
 *   before the last question: declined, hung up, fell silent, or could not be identified.
 */
function resultOf(held: Held, { quotes, callback, booked, next_step, fields }: Facts): CallResult {
  if (quotes.opt_out !== undefined) return 'opted_out'
  if (held.disconnection_reason === 'voicemail_reached') return 'voicemail'
  if (held.transferred_to !== null || held.disconnection_reason === 'call_transfer') return 'transferred'
  if (held.disconnection_reason === 'error_unknown') return 'failed'
  if (onlyScreened(held.transcript.filter(({ speaker }) => speaker === 'contact').map(({ text }) => text)))
    return 'no_answer'
  if (quotes.wrong_number !== undefined) return 'wrong_number'
  if (quotes.deceased !== undefined || quotes.disqualified !== undefined) return 'disqualified'
  if (booked) return 'converted'
  if (callback || quotes.wants_person !== undefined) return 'callback_requested'
  if (next_step?.verdict) return 'converted'
  if (next_step?.verdict === null || (next_step && Object.values(fields).some((value) => value !== null)))
    return 'successful'
  return ledToItsEnd(held, quotes) ? 'successful' : 'unsuccessful'
}

/**
 * A model's turns don't say what they ask for. Where it led the talk itself, over the contact's first words, to a goodbye
 * that nobody forced, the talk was completed.
 */
function ledToItsEnd({ transcript, disconnection_reason }: Held, quotes: Facts['quotes']): boolean {
  if (disconnection_reason !== 'agent_hangup') return false
  if (quotes.refusal !== undefined || quotes.breaks_off !== undefined || quotes.hostile !== undefined) return false
  const led = transcript.filter(({ speaker, asks }) => speaker === 'agent' && asks === undefined)
  const heard = transcript.filter(({ speaker }) => speaker === 'contact')
  return led.length > 2 && heard.length > 2
}

export function endReason(result: CallResult, reason: DisconnectionReason): string {
  if (result === 'opted_out') return 'Contact asked not to be called again'
  if (result === 'no_answer') return 'Call screen answered, and nobody picked up'
  switch (reason) {
    case 'user_hangup':
      return 'Contact hung up'
    case 'inactivity':
      return 'Contact fell silent'
    case 'max_duration_reached':
      return 'Longest call time reached'
    case 'voicemail_reached':
      return 'Voicemail answered'
    case 'call_transfer':
      return 'Connected to a person'
    case 'agent_hangup':
      return AGENT_ENDED[result] ?? 'Conversation completed'
    default:
      return 'Technical error'
  }
}

const AGENT_ENDED: Partial<Record<CallResult, string>> = {
  unsuccessful: 'Contact declined',
  callback_requested: 'Contact asked to be called later',
  wrong_number: 'Wrong number',
  disqualified: 'Matter does not qualify',
}

function followUps(
  result: CallResult,
  { quotes, next_step, appointment, booked, callback, person_time }: Facts,
  { client }: CallBrief,
): string[] {
  const name = `${client.first_name} ${client.last_name}`
  const promised: string[] = []
  if (result === 'opted_out' || result === 'voicemail' || result === 'wrong_number') return promised
  if (quotes.wants_person !== undefined && result !== 'transferred') {
    promised.push(`Call ${name} back in person${person_time ? ` (when asked for a good time: “${person_time}”)` : ''}.`)
  }
  // One that was booked becomes a task of its own: see `appointments/`.
  if (appointment && !booked) promised.push(`Confirm an appointment with ${name}, who suggested: “${appointment}”.`)
  else if ((next_step?.verdict || result === 'converted') && !booked)
    promised.push(`Follow up with ${name}, who agreed to the next step.`)
  if (quotes.legal_question !== undefined)
    promised.push(`Answer a legal question of ${name}: “${quotes.legal_question}”.`)
  if (quotes.deceased !== undefined)
    promised.push(`Check the record of ${name}: the person who answered said they have died.`)
  if (result === 'callback_requested' && !callback?.at && quotes.wants_person === undefined) {
    const quote = callback?.quote ? `: “${callback.quote}”` : ''
    promised.push(`Agree on a time with ${name}; no time within ${CALLBACK_HORIZON_HOURS} hours was named${quote}.`)
  }
  return promised
}
