import type { MessageProvider, MessageRef } from './message.ts'

export interface OutgoingEmail extends MessageRef {
  to: string
  /** The name beside our address, such as the firm's. */
  from_name: string
  subject: string
  text: string
  /** How the contact stops e-mail and chooses other ways; absent where it goes to the firm itself. */
  ways_out?: WaysOut
  /** Goes with it in the form that calendars read. */
  appointment?: Appointment
  attachments?: { filename: string; content_type: string; content: string }[]
}

export interface Appointment extends MessageRef {
  title: string
  starts_at: Date
  minutes: number
  /** When it was agreed. */
  created_at: Date
}

export interface WaysOut {
  /** Takes the one-click POST (RFC 8058); a GET only shows a page. */
  unsubscribe_url: string
  preferences_url: string
}

export type EmailProvider = MessageProvider<OutgoingEmail>
