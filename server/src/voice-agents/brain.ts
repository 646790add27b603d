import type { CallBrief, Turn } from '../providers/voice.ts'
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
}

export type AgentAction =
  /** `asks`: see `Turn`. */
  | { do: 'say'; words: string | AsyncIterable<string>; asks?: string }
  | { do: 'note'; note: Note }
  /** To the agent's `transfer_number`. */
  | { do: 'transfer' }
  /** The contact wants no more calls: it is confirmed in one sentence and the call ends. */
  | { do: 'opt_out' }
  | { do: 'end' }
