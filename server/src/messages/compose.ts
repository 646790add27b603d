import type { Client } from '../clients/schema.ts'
import type { Detail } from '../core/errors.ts'
import { addressOf, type ManualMessage, type MessageChannel } from './manual.ts'
import { brokenTemplate, render, type TemplateValues } from './template.ts'

/** Most characters of each text, as it is sent and once its variables are filled in. */
export const MOST = { sms: 1600, email: 100_000, subject: 255 }

export interface Draft {
  case_id: number
  channel: MessageChannel
  /** null for a text message. */
  subject: string | null
  message: string
}

export interface Composed {
  message: ManualMessage
  /** Why it can't be sent to this client (`client_id`) or in these words. */
  broken: Detail[]
}

/** Rendered now and not when it is sent, so that the sender hears of an empty or too long text at once. */
export function compose(
  { case_id, channel, subject, message }: Draft,
  client: Client,
  values: TemplateValues,
): Composed {
  const broken: Detail[] = []
  const refuse = (field: string, message: string) => broken.push({ field, message })
  const to = addressOf(client, channel)
  if ('reasons' in to) for (const reason of to.reasons) refuse('client_id', reason)
  const fill = (field: string, text: string, most: number) => {
    const unknown = brokenTemplate(field, text)
    broken.push(...unknown)
    const final = render(text, values)
    if (unknown.length === 0 && final.trim() === '') refuse(field, 'is empty once its variables are filled in')
    const { length } = [...final]
    if (length > most) refuse(field, `has ${length} characters once its variables are filled in; ${most} at the most`)
    return final
  }
  return {
    message: {
      channel,
      client_id: client.id,
      case_id,
      to_address: 'address' in to ? to.address : '',
      // A header has one line, whatever a field holds.
      subject: subject === null ? null : fill('subject', subject, MOST.subject).replace(/\s*[\r\n]+\s*/g, ' '),
      body: fill('message', message, MOST[channel]),
    },
    broken,
  }
}
