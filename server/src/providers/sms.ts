import type { MessageProvider, MessageRef } from './message.ts'

export interface OutgoingSms extends MessageRef {
  /** E.164 */
  to: string
  /** E.164; null leaves the choice to the provider. */
  from: string | null
  body: string
}

export type SmsProvider = MessageProvider<OutgoingSms>
