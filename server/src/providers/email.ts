import type { MessageProvider, MessageRef } from './message.ts'

export interface OutgoingEmail extends MessageRef {
  to: string
  /** The name beside our address, such as the firm's. */
  from_name: string
  subject: string
  text: string
  attachments?: { filename: string; content_type: string; content: string }[]
}

export type EmailProvider = MessageProvider<OutgoingEmail>
