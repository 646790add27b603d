import type { IncomingHttpHeaders } from 'node:http'

/**
 * A carrier whose conversations come over the frames of ConversationRelay and whose callbacks are Twilio's: what is its
 * own is its interface for calls, its proof that a callback comes from it, and how it names voices.
 */
export interface RelayAccount {
  readonly name: 'twilio' | 'telnyx'
  /** Number that calls come from where the agent names none. */
  readonly from: string
  /** Base address of our routes, as the carrier calls it. */
  readonly publicUrl: string
  readonly callsPerSecond: number
  readonly records: boolean
  readonly calls: RelayCalls
  /** Proves that a request is the carrier's own. */
  isSigned(request: SignedRequest): boolean
  /** Where the carrier's signature does not cover the address: what goes into the address to prove it. */
  seal?(about: string): string
  /** Attributes of `<ConversationRelay>` for a voice of ours; all that matter, for defaults depend on the account. */
  relay(voiceId: string): Record<string, string | boolean>
  /** Attributes of `<Say>` for a voice of ours. */
  say(voiceId: string): Record<string, string>
}

export interface SignedRequest {
  /** Path and query. */
  url: string
  headers: IncomingHttpHeaders
  /** The body as it came. */
  text: string
  fields: Record<string, string | string[]>
}

/** The carrier's interface for calls. Refuses as `VoiceProvider.place` does. */
export interface RelayCalls {
  /** Answers the carrier's id, where it tells one at once. */
  create(call: NewRelayCall): Promise<string | undefined>
  /** Null where the carrier knows of no such call. */
  fetch(sid: string): Promise<RelayCall | null>
  /** The latest first. */
  list(to: string, from: string): Promise<RelayCall[]>
  hangUp(sid: string): Promise<void>
  record(sid: string): Promise<void>
  /** Nothing where none was begun. */
  stopRecording(sid: string): Promise<void>
  /** A call may be unknown to its look-up for so long after it was asked for: milliseconds. */
  readonly lagMs: number
}

export interface NewRelayCall {
  to: string
  from: string
  twiml: string
  ringSeconds: number
  maxSeconds: number
  /** Where status callbacks and the verdict of machine detection go. */
  status: string
  machine: string
  /** Machine detection waits for the end of a greeting. */
  leavesMessage: boolean
}

export interface RelayCall {
  sid: string
  status: string
  created: Date
  updated: Date
  started: Date | null
  ended: Date | null
  /** Seconds. */
  duration: number
}
