import type { FastifyInstance } from 'fastify'

/** What text and e-mail providers have in common. */

export interface MessageRef {
  company_id: number
  /** Our own name for it and the idempotency key, such as `message:42` or `report:7:counsel@example.com`. */
  key: string
}

/** A message with all that we know of it, for a provider that does not know our keys. */
export interface SoughtMessage extends MessageRef {
  to: string
  body: string
  /** When it was about to be sent, by the real clock. */
  since: Date
  /** The provider's ids of other messages of ours to the same address. */
  others: string[]
}

export type RefusalReason = 'opted_out' | 'unreachable' | 'invalid_address' | 'not_allowed'

/** A definite refusal: nothing was sent, and sending it again would be refused again. */
export class MessageRefused extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string) {
    super(message)
    this.name = 'MessageRefused'
    this.reason = reason
  }
}

/** The provider takes no message just now: nothing was sent, and it may be tried again later. */
export class MessagePutOff extends Error {
  /** Not before so many seconds. */
  readonly seconds: number

  constructor(seconds: number, message: string) {
    super(message)
    this.name = 'MessagePutOff'
    this.seconds = seconds
  }
}

/** May be late, doubled or out of order. */
export interface MessageStatusEvent extends MessageRef {
  provider_message_id: string
  status: 'sent' | 'delivered' | 'failed'
  /** Why it failed. */
  reason?: RefusalReason
  error?: string
  /** The number that it came from, where the provider chose it. */
  from?: string
  at: Date
}

/** What somebody has written to a number of ours; may be doubled. */
export interface InboundMessage {
  provider: string
  provider_message_id: string
  /** E.164 */
  from: string
  /** The number of ours, in E.164. */
  to: string
  body: string
  segments: number | null
  /** How many pictures and files came with it. */
  media: number
  /** The carrier has understood it as such, acted on it and answered it by itself. */
  handled: 'stop' | 'start' | 'help' | null
  at: Date
}

/** What is answered at once, by the way the message came. */
export interface MessageReply extends MessageRef {
  body: string
}

export interface MessageEvents {
  status(event: MessageStatusEvent): void | Promise<void>
  received(message: InboundMessage): Promise<MessageReply | null>
}

export interface CarrierMessage {
  provider_message_id: string
  status: 'accepted' | 'sent' | 'delivered' | 'failed'
  reason?: RefusalReason
  error?: string
}

export interface SentMessage {
  provider_message_id: string
  /** The parts that a text was cut into. */
  segments?: number
  from?: string
}

export interface MessageProvider<Outgoing extends MessageRef> {
  readonly name: string
  readonly sandbox: boolean
  /** It knows our keys: what is sent again under one of them does nothing. */
  readonly idempotent: boolean
  /** How many messages may be on their way to it at once. */
  readonly parallel: number
  /** Adds what the provider calls, before the service listens. */
  addRoutes?(app: FastifyInstance): void
  /** Called once, before anything else. */
  start(events: MessageEvents): Promise<void>
  /**
   * @throws {MessageRefused} nothing was sent.
   * @throws {MessagePutOff} nothing was sent, and it may be tried again later.
   * @throws Anything else leaves open what happened: ask `lookup`, never send again.
   */
  send(message: Outgoing): Promise<SentMessage>
  /** What the provider knows of a message; null when it never heard of it, `unclear` when it can't tell. */
  lookup(message: SoughtMessage): Promise<CarrierMessage | null | 'unclear'>
  /** Delivers no more events. */
  stop(): Promise<void>
}
