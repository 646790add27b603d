/** What text and e-mail providers have in common. */

export interface MessageRef {
  company_id: number
  /** Our own name for it and the idempotency key, such as `message:42` or `report:7:counsel@example.com`. */
  key: string
}

/** A definite refusal: nothing was sent, and sending it again would be refused again. */
export class MessageRefused extends Error {
  readonly reason: 'opted_out' | 'unreachable' | 'invalid_address' | 'not_allowed'

  constructor(reason: MessageRefused['reason'], message: string) {
    super(message)
    this.name = 'MessageRefused'
    this.reason = reason
  }
}

/** May be late, doubled or out of order. */
export interface MessageStatusEvent extends MessageRef {
  provider_message_id: string
  status: 'sent' | 'delivered' | 'failed'
  /** Why it failed. */
  reason?: MessageRefused['reason']
  error?: string
  at: Date
}

export interface MessageEvents {
  status(event: MessageStatusEvent): void | Promise<void>
}

export interface CarrierMessage {
  provider_message_id: string
  status: 'accepted' | 'sent' | 'delivered' | 'failed'
  reason?: MessageRefused['reason']
  error?: string
}

export interface MessageProvider<Outgoing extends MessageRef> {
  readonly name: string
  readonly sandbox: boolean
  /** Called once, before anything else. */
  start(events: MessageEvents): Promise<void>
  /**
   * @throws {MessageRefused} nothing was sent.
   * @throws Anything else leaves open what happened: ask `lookup`, never send again.
   */
  send(message: Outgoing): Promise<{ provider_message_id: string }>
  /** What the provider knows of a message, by our key; null when it never heard of it. */
  lookup(message: MessageRef): Promise<CarrierMessage | null>
  /** Delivers no more events. */
  stop(): Promise<void>
}
