import sql from 'sql-template-tag'
import type { Clock } from '../../core/clock.ts'
import { coalesce } from '../../core/coalesce.ts'
import { entryRows } from '../../core/columns.ts'
import type { Database } from '../../core/db.ts'
import type { EmailProvider, OutgoingEmail } from '../email.ts'
import {
  type CarrierMessage,
  type MessageEvents,
  type MessageProvider,
  type MessageRef,
  MessageRefused,
} from '../message.ts'
import type { OutgoingSms, SmsProvider } from '../sms.ts'
import { hash } from './personas.ts'

/** Clock time until a message has arrived, or bounced. */
const DELIVERY_MS = 2000

type Fate =
  | 'delivered'
  | { refused: MessageRefused['reason']; message: string }
  | { failed: MessageRefused['reason']; message: string }

/**
 * Texts of the sandbox. Two in a hundred numbers are landlines and can't receive them. Reserved numbers:
 * +1 202 555 0120 is a landline, 0121 is unreachable, 0122 has told the carrier STOP (refused at once), 0123 is no
 * mobile number any more (refused at once).
 */
function fateOfText(to: string): Fate {
  switch (to) {
    case '+12025550121':
      return { failed: 'unreachable', message: 'the phone could not be reached' }
    case '+12025550122':
      return { refused: 'opted_out', message: 'the recipient has opted out at the carrier' }
    case '+12025550123':
      return { refused: 'invalid_address', message: 'the number is not in service' }
  }
  const landline = to === '+12025550120' || (!to.startsWith('+1202555') && hash(`${to} line`) % 100 < 2)
  return landline ? { failed: 'unreachable', message: 'the number is a landline' } : 'delivered'
}

/** Mail of the sandbox: an address whose local part is or begins with `bounce` bounces, one with `refused` is refused at once. */
function fateOfMail(to: string): Fate {
  if (/^refused/i.test(to)) return { refused: 'invalid_address', message: 'the server refuses this recipient' }
  return /^bounce/i.test(to) ? { failed: 'unreachable', message: 'the mailbox does not exist' } : 'delivered'
}

export function sandboxSms(db: Database, clock: Clock): SmsProvider {
  return sandboxMailbox<OutgoingSms>(db, clock, {
    channel: 'sms',
    fate: ({ to }) => fateOfText(to),
    stored: ({ to, from, body }) => ({ to_address: to, from_address: from, subject: null, body, attachments: null }),
  })
}

export function sandboxEmail(db: Database, clock: Clock): EmailProvider {
  return sandboxMailbox<OutgoingEmail>(db, clock, {
    channel: 'email',
    fate: ({ to }) => fateOfMail(to),
    stored: ({ to, from_name, subject, text, attachments }) => ({
      to_address: to,
      from_address: from_name,
      subject,
      body: text,
      attachments: attachments ?? null,
    }),
  })
}

interface Kind<Outgoing> {
  channel: 'sms' | 'email'
  fate(message: Outgoing): Fate
  stored(message: Outgoing): {
    to_address: string
    from_address: string | null
    subject: string | null
    body: string
    attachments: unknown
  }
}

interface Accepted extends MessageRef {
  channel: string
  accepted_at: Date
}

interface Settled extends MessageRef {
  status: 'delivered' | 'failed'
  reason?: MessageRefused['reason']
  error?: string
  settled_at: Date
}

function sandboxMailbox<Outgoing extends MessageRef>(
  db: Database,
  clock: Clock,
  kind: Kind<Outgoing>,
): MessageProvider<Outgoing> {
  let events: MessageEvents
  const stopping = new AbortController()
  const insert = coalesce((messages: Accepted[]) => insertMessages(db, messages), { max: 500 })
  const settle = coalesce((messages: Settled[]) => updateSettled(db, messages), { max: 500 })
  const providerId = ({ company_id, key }: MessageRef) => `sandbox-${company_id}-${key}`

  async function deliver({ company_id, key }: MessageRef, fate: Exclude<Fate, { refused: unknown }>): Promise<void> {
    await clock.sleep(DELIVERY_MS, stopping.signal)
    if (stopping.signal.aborted) return
    const at = clock.now()
    const outcome =
      fate === 'delivered'
        ? { status: 'delivered' as const }
        : { status: 'failed' as const, reason: fate.failed, error: fate.message }
    await settle({ company_id, key, ...outcome, settled_at: at })
    await events.status({ company_id, key, provider_message_id: providerId({ company_id, key }), ...outcome, at })
  }

  return {
    name: 'sandbox',
    sandbox: true,
    async start(listener) {
      events = listener
    },
    async send(message) {
      const fate = kind.fate(message)
      if (typeof fate === 'object' && 'refused' in fate) throw new MessageRefused(fate.refused, fate.message)
      const { company_id, key } = message
      const fresh = await insert({
        company_id,
        key,
        channel: kind.channel,
        ...kind.stored(message),
        accepted_at: clock.now(),
      })
      // A listener that failed finds the message again by `lookup`.
      if (fresh) deliver({ company_id, key }, fate).catch(() => {})
      return { provider_message_id: providerId(message) }
    },
    async lookup({ company_id, key }) {
      const row = await db.maybe<Omit<CarrierMessage, 'provider_message_id'>>(sql`
        select status, reason, error from sandbox_messages where company_id = ${company_id} and key = ${key} and channel = ${kind.channel}`)
      if (!row) return null
      const { status, reason, error } = row
      return {
        provider_message_id: providerId({ company_id, key }),
        status,
        ...(reason && { reason }),
        ...(error && { error }),
      }
    },
    async stop() {
      stopping.abort()
    },
  }
}

const nameOf = ({ company_id, key }: MessageRef) => `${company_id} ${key}`

/** Answers for each message whether it is new: what was sent under a known key is not sent again. */
async function insertMessages(db: Database, messages: Accepted[]): Promise<boolean[]> {
  const inserted = await db.many<MessageRef>(sql`
    insert into sandbox_messages (company_id, key, channel, to_address, from_address, subject, body, attachments, accepted_at)
    select company_id, key, channel, to_address, from_address, subject, body, attachments, accepted_at
    from ${entryRows(messages, {
      company_id: 'bigint',
      key: 'text',
      channel: 'text',
      to_address: 'text',
      from_address: 'text',
      subject: 'text',
      body: 'text',
      attachments: 'jsonb',
      accepted_at: 'timestamptz',
    })}
    on conflict (company_id, key) do nothing
    returning company_id, key`)
  const fresh = new Set(inserted.map(nameOf))
  return messages.map((message) => fresh.delete(nameOf(message)))
}

async function updateSettled(db: Database, messages: Settled[]): Promise<Settled[]> {
  await db.run(sql`
    update sandbox_messages m set status = e.status, reason = e.reason, error = e.error, settled_at = e.settled_at
    from ${entryRows(messages, { company_id: 'bigint', key: 'text', status: 'text', reason: 'text', error: 'text', settled_at: 'timestamptz' })} as e
    where m.company_id = e.company_id and m.key = e.key and m.status = 'accepted'`)
  return messages
}
