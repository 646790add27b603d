import type { CallBrief } from '../providers/call-brief.ts'
import type { Turn } from '../providers/voice.ts'
import type { Note } from './facts.ts'

/** What decides what the agent says: the scripted policy, or a language model. */
export interface Brain {
  /** Asked for each thing that happens after the opening, which is not the brain's to choose. */
  respond(happened: Happened, call: CallSoFar): Iterable<AgentAction> | AsyncIterable<AgentAction>
}

/** A brain serves one call. */
export type BrainFor = (brief: CallBrief) => Brain

export type Happened = { type: 'said'; text: string } | { type: 'dtmf'; digit: string } | { type: 'transfer_failed' }

export interface CallSoFar {
  /** The last turn of the contact included. */
  transcript: readonly Turn[]
  now: Date
  /** Takes a time for an appointment of the contact, for good: nobody else gets it from then on. */
  book(at: Date): Promise<Booking>
}

export type Booking =
  /** `mail`: it comes to the contact by e-mail, too. */
  | { outcome: 'booked'; mail: boolean }
  /** The case has another appointment. */
  | { outcome: 'already'; at: Date }
  /** Others have that time. */
  | { outcome: 'taken'; isTaken(at: Date): boolean }
  /** It could not be written down. */
  | { outcome: 'failed' }

export type AgentAction =
  /** `asks`: see `Turn`. */
  | { do: 'say'; words: string | AsyncIterable<string>; asks?: string }
  | { do: 'note'; note: Note }
  /** To the agent's `transfer_number`. */
  | { do: 'transfer' }
  /** The contact wants no more calls: it is confirmed in one sentence and the call ends. */
  | { do: 'opt_out' }
  | { do: 'end' }

export const say = (words: string, asks?: string): AgentAction => ({ do: 'say', words, ...(asks ? { asks } : {}) })

/** Somebody of the firm calls back: it becomes a task. */
export const wantsPerson = ({ transcript }: CallSoFar): AgentAction => ({
  do: 'note',
  note: { type: 'person', quote: transcript.findLast(({ speaker }) => speaker === 'contact')?.text ?? '' },
})
