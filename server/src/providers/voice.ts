import type { FastifyInstance } from 'fastify'
import type { CallBrief, HostScript } from './call-brief.ts'

/**
 * The line between the engine and whoever really makes calls. Two kinds of carrier fit behind it:
 *
 * - a relay (Twilio or Telnyx ConversationRelay, the sandbox) calls, and hands us the conversation turn by turn;
 * - a host (Vapi, Retell) calls and talks by itself, told what to say by `VoiceEvents.brief`, and reports afterwards.
 *
 * Everything that comes back may be late, doubled or out of order; whoever listens makes that harmless.
 */
export interface VoiceProvider {
  readonly name: string
  /** True where no real person's phone rings. */
  readonly sandbox: boolean
  /** How many calls may be placed in a real second. */
  readonly calls_per_second: number
  /**
   * Where a call's events arrive: `here`, in the process that attends to it, or `anywhere`, in whichever process a
   * callback or a socket happens to reach.
   */
  readonly events: 'here' | 'anywhere'
  /** Conversations are recorded, once the contact has been told so. */
  readonly records?: boolean
  /** Adds what the carrier calls, before the service listens. */
  addRoutes?(app: FastifyInstance): void
  /** Called once, before anything else. */
  start(events: VoiceEvents): Promise<void>
  /**
   * Rings a number. Our call id is the idempotency key where the carrier knows such a thing.
   *
   * @throws {DialRefused} the carrier said no: nobody was rung and nothing more will come of this call.
   * @throws {DialPutOff} nobody was rung, and it may be tried again later.
   * @throws Anything else leaves open what happened: ask `lookup`, never dial again.
   */
  place(call: OutgoingCall): Promise<{ provider_call_id: string }>
  /** What the carrier knows of a call, by our id; null when it never heard of it. */
  lookup(call: SoughtCall): Promise<CarrierCall | null>
  /**
   * Takes over a call that another process placed, or this one before it died: what is still to come of it, its end
   * included where that is past already, is delivered here. Does nothing more than `lookup` where the call is already
   * attended to.
   */
  resume(call: SoughtCall): Promise<CarrierCall | null>
  /** Stops the ringing (`canceled`) or ends the conversation (`completed`); a call that is over stays as it is. */
  hangUp(call: SoughtCall): Promise<void>
  /**
   * The process is about to stop, and its door is still open: conversations that it holds are ended decently, now.
   * Resolves when the carrier knows how they go on, or soon after.
   */
  putDown?(): Promise<void>
  /** Delivers no more events. Calls in progress go on at the carrier. */
  stop(): Promise<void>
}

export interface CallRef {
  company_id: number
  call_id: number
}

/** A call with all that we know of it, for a carrier that does not know our ids. */
export interface SoughtCall extends CallRef {
  provider_call_id?: string | null
  to?: string
  from?: string | null
  /** When its intent was written. */
  since?: Date
}

export interface OutgoingCall extends CallRef {
  /** E.164 */
  to: string
  /** E.164; null leaves the choice to the carrier. */
  from: string | null
  /** How often this contact has now been tried in its campaign, from 1. */
  attempt: number
  /** How long it may ring before it counts as not answered. */
  ring_seconds: number
  /** The carrier cuts a conversation off after so long. */
  max_seconds: number
  /** Not to be placed any later, see `assertInTime`: milliseconds since 1970 of the real clock. */
  place_by: number
}

/**
 * To be called right before the carrier is asked, after whatever had to be waited for: a process that was stopped
 * meanwhile (a suspended machine, a database that did not answer) no longer knows whether the person may be called.
 *
 * @throws {DialPutOff} the gate is to be asked again.
 */
export function assertInTime({ place_by }: OutgoingCall): void {
  if (Date.now() > place_by) throw new DialPutOff(0, 'too long ago that the gate allowed the call')
}

/** A definite refusal of a call. */
export class DialRefused extends Error {
  readonly reason: 'invalid_destination' | 'dial_failed'

  constructor(reason: DialRefused['reason'], message: string) {
    super(message)
    this.name = 'DialRefused'
    this.reason = reason
  }
}

/** The carrier takes no call just now. */
export class DialPutOff extends Error {
  readonly seconds: number

  constructor(seconds: number, message: string) {
    super(message)
    this.name = 'DialPutOff'
    this.seconds = seconds
  }
}

/** A carrier repeats a status or transfer event, unchanged, while the listener rejects. */
export interface VoiceEvents {
  status(event: CallStatusEvent): void | Promise<void>
  transfer(event: TransferEvent): void | Promise<void>
  /** Holds a conversation to its end. A conversation that the listener leaves open is ended for it. */
  conversation(conversation: Conversation): Promise<void>
  /** A machine has picked up; the conversation with it may be held in another process. */
  machine(call: CallRef): void | Promise<void>
  /** What has been said so far in a conversation that a host holds: an opt-out is acted upon at once. */
  overheard(call: HostedCallRef, transcript: readonly Turn[]): void | Promise<void>
  /** The carrier tells how a conversation ended that the agent did not end; it may be held in another process. */
  lineEnded(call: CallRef, end: LineEnd): void | Promise<void>
  /** A host tells what was said, some time after the call has ended. */
  report(report: HostedReport): void | Promise<void>
  /** What an agent must know. */
  brief(call: CallRef): Promise<CallBrief>
  /** What a host's agent is to say; asked for while placing. */
  script(call: CallRef): Promise<HostScript>
}

interface CallEvent extends CallRef {
  provider_call_id: string
  /** Grows with every event of a call: sort by it, `at` has the carrier's resolution. */
  sequence: number
  at: Date
}

export type CallStatusEvent = CallEvent &
  (
    | { status: 'ringing' }
    | { status: 'answered'; answered_by: 'human' | 'machine' | 'unknown' }
    | { status: 'completed'; duration_seconds: number }
    | { status: 'busy' | 'no_answer' | 'canceled' }
    | { status: 'failed'; reason: DialRefused['reason'] }
  )

export interface TransferEvent extends CallEvent {
  status: 'started' | 'bridged' | 'cancelled' | 'ended'
  number: string
}

export interface CarrierCall {
  provider_call_id: string
  status: 'ringing' | 'in_progress' | 'completed' | 'busy' | 'no_answer' | 'canceled' | 'failed'
  /** Only where the status is `failed`. */
  reason?: DialRefused['reason']
  placed_at: Date
  answered_at: Date | null
  ended_at: Date | null
}

/**
 * Thrown by a conversation's members when this process lets go of the line (it is stopping, a socket was cut): nobody
 * here knows how the call goes on, so nobody here may settle it. `lookup` and `resume` tell.
 */
export class ConversationLost extends Error {
  constructor() {
    super('this process has let go of the conversation')
    this.name = 'ConversationLost'
  }
}

/** A relayed conversation, from the moment somebody or something picked up. */
export interface Conversation extends CallRef {
  readonly answered_at: Date
  /** Seconds since `answered_at`. */
  elapsed(): number
  /** What comes from the other end, until it ends. To be iterated once. */
  readonly turns: AsyncIterable<CallerEvent>
  /**
   * Resolves when the words are handed over, not when they have been spoken; early where the contact speaks or the line
   * is cut before all of them are.
   *
   * @param whole Must be heard to its end, whatever the contact says meanwhile.
   */
  say(words: string | AsyncIterable<string>, whole?: 'whole'): Promise<void>
  /**
   * `failed`: nobody picked up there, and the contact is back with the agent. `handed_over`: how it went is heard later,
   * perhaps elsewhere; after a failure the contact comes back as a new conversation of the same call.
   */
  transfer(number: string): Promise<'bridged' | 'failed' | 'handed_over'>
  end(): Promise<void>
  /** Starts the recording, where the account records at all, as soon as the words handed over so far have been spoken. */
  record?(): void
  /** False where the line may go on being recorded. */
  stopRecording?(): Promise<boolean>
  /** Machine detection has spoken elsewhere; it becomes an event of this conversation. */
  machine?(): void
  /** It was told elsewhere that the call is over, of which this line has heard nothing. */
  gone?(): void
}

/** How a conversation ended that the agent did not end. */
export type LineEnd = 'user_hangup' | 'max_duration_reached' | 'error_unknown'

export type CallerEvent =
  | { type: 'said'; text: string }
  /** The agent was cut off: the contact heard only so much of what was said last. */
  | { type: 'interrupted'; heard: string }
  | { type: 'dtmf'; digit: string }
  | { type: 'silence'; seconds: number }
  /** The verdict of machine detection, which may come in the middle of a conversation. */
  | { type: 'machine' }
  /** The last event of a conversation that the agent did not end. */
  | { type: 'ended'; reason: LineEnd }

export interface Turn {
  speaker: 'agent' | 'contact'
  text: string
  /** Seconds since the call was answered. */
  at: number
  /** What an agent's turn asks for: `identity`, `next_step`, `callback_time`, … or `field:NAME` of a post-call field. */
  asks?: string
  /** The contact cut in; `text` is what was heard. */
  interrupted?: true
}

/** Why the line was cut. */
export type DisconnectionReason =
  | 'user_hangup'
  | 'agent_hangup'
  | 'call_transfer'
  | 'voicemail_reached'
  | 'inactivity'
  | 'max_duration_reached'
  | 'dial_busy'
  | 'dial_failed'
  | 'dial_no_answer'
  | 'invalid_destination'
  | 'error_unknown'

/** A call at a host. */
export interface HostedCallRef extends CallRef {
  provider_call_id: string
  /** E.164 */
  to: string
}

/** What a host says of a conversation; our own analysis goes over it as over one that we held. */
export interface HostedReport extends HostedCallRef {
  answered_at: Date
  duration_seconds: number
  disconnection_reason: DisconnectionReason
  transcript: Turn[]
  transferred_to: string | null
  /** The host's own reading of it, where it has one. */
  successful: boolean | null
  /** The contact asked not to be called again. */
  opted_out: boolean | null
  summary: string | null
  sentiment_score: number | null
  extracted_fields: Record<string, unknown>
}
