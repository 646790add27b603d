import sql from 'sql-template-tag'
import type { Clock } from '../../core/clock.ts'
import { coalesce } from '../../core/coalesce.ts'
import { entryRows } from '../../core/columns.ts'
import type { Database } from '../../core/db.ts'
import { CALENDAR_FILE, calendarOf } from '../calendar.ts'
import type { Appointment, OutgoingEmail } from '../email.ts'
import {
  type CarrierMessage,
  type MessageEvents,
  type MessageProvider,
  type MessageRef,
  MessageRefused,
} from '../message.ts'
import type { OutgoingSms } from '../sms.ts'
import { insist } from './insist.ts'
import { hash } from './personas.ts'

/** Clock time until a message has arrived, or bounced. */
const DELIVERY_MS = 2000

type Arrival = { status: 'delivered' } | { status: 'failed'; reason: MessageRefused['reason']; error: string }

/** What becomes of what is sent to an address. A refusal is told at once. */
type Fate = Arrival | MessageRefused

const DELIVERED: Arrival = { status: 'delivered' }
const unreachable = (error: string): Arrival => ({ status: 'failed', reason: 'unreachable', error })

/**
 * Texts of the sandbox. Two in a hundred numbers are landlines and can't receive them. Reserved numbers:
 * +1 202 555 0120 is a landline, 0121 is unreachable, 0122 has told the carrier STOP (refused at once), 0123 is no
 * mobile number any more (refused at once).
 */
function fateOfText(to: string): Fate {
  switch (to) {
    case '+12025550120':
      return unreachable('the number is a landline')
    case '+12025550121':
      return unreachable('the phone could not be reached')
    case '+12025550122':
      return new MessageRefused('opted_out', 'the recipient has opted out at the carrier')
    case '+12025550123':
      return new MessageRefused('invalid_address', 'the number is not in service')
  }
  const landline = !to.startsWith('+1202555') && hash(`${to} line`) % 100 < 2
  return landline ? unreachable('the number is a landline') : DELIVERED
}

/** Mail of the sandbox: an address that begins with `bounce` bounces, one that begins with `refused` is refused at once. */
function fateOfMail(to: string): Fate {
  if (/^refused/i.test(to)) return new MessageRefused('invalid_address', 'the server refuses this recipient')
  return /^bounce/i.test(to) ? unreachable('the mailbox does not exist') : DELIVERED
}

/** It can always tell, and by our key alone. */
type SandboxMailbox<Outgoing extends MessageRef> = Omit<MessageProvider<Outgoing>, 'lookup'> & {
  lookup(message: MessageRef): Promise<CarrierMessage | null>
}

export function sandboxSms(db: Database, clock: Clock): SandboxMailbox<OutgoingSms> {
  return sandboxMailbox<OutgoingSms>(db, clock, {
    channel: 'sms',
    fate: fateOfText,
    stored: ({ to, from, body }) => ({ to_address: to, from_address: from, subject: null, body, attachments: null }),
  })
}

export function sandboxEmail(db: Database, clock: Clock): SandboxMailbox<OutgoingEmail> {
  return sandboxMailbox<OutgoingEmail>(db, clock, {
    channel: 'email',
    fate: fateOfMail,
    stored: ({ to, from_name, subject, text, attachments, appointment }) => ({
      to_address: to,
      from_address: from_name,
      subject,
      body: text,
      attachments: appointment ? [calendarFile(appointment, from_name)] : (attachments ?? null),
    }),
  })
}

function calendarFile(appointment: Appointment, firm: string) {
  const uid = `${appointment.company_id}-${appointment.key}@sandbox.invalid`
  const content = calendarOf(appointment, uid, firm, 'firm@sandbox.invalid')
  return { filename: CALENDAR_FILE, content_type: 'text/calendar; charset=utf-8', content }
}

interface Kind<Outgoing> {
  channel: 'sms' | 'email'
  fate(to: string): Fate
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
  arrival: Arrival
}

function sandboxMailbox<Outgoing extends MessageRef & { to: string }>(
  db: Database,
  clock: Clock,
  kind: Kind<Outgoing>,
): SandboxMailbox<Outgoing> {
  let events: MessageEvents
  const stopping = new AbortController()
  const accept = coalesce(
    async (messages: Accepted[]) => {
      const fresh = await insertMessages(db, messages)
      void deliver(messages.filter((_, index) => fresh[index]))
      return messages
    },
    { max: 500 },
  )
  const providerId = ({ company_id, key }: MessageRef) => `sandbox-${company_id}-${key}`

  /** Messages that were accepted together arrive together. */
  async function deliver(messages: Accepted[]): Promise<void> {
    await clock.sleep(DELIVERY_MS, stopping.signal)
    const at = clock.now()
    const settled = messages.map(({ company_id, key, arrival }) => ({ company_id, key, ...arrival }))
    await insist(() => updateSettled(db, settled, at), stopping.signal)
    const told = settled.map((message) => {
      const event = { ...message, provider_message_id: providerId(message), at }
      return insist(() => events.status(event), stopping.signal)
    })
    await Promise.all(told)
  }

  return {
    name: 'sandbox',
    sandbox: true,
    idempotent: true,
    parallel: Number.POSITIVE_INFINITY,
    async start(listener) {
      events = listener
    },
    async send(message) {
      const fate = kind.fate(message.to)
      if (fate instanceof MessageRefused) throw fate
      const { company_id, key } = message
      await accept({
        company_id,
        key,
        channel: kind.channel,
        ...kind.stored(message),
        accepted_at: clock.now(),
        arrival: fate,
      })
      return { provider_message_id: providerId(message) }
    },
    async lookup({ company_id, key }) {
      const row = await db.maybe<Pick<CarrierMessage, 'status'> & { to_address: string; accepted_at: Date }>(sql`
        select status, to_address, accepted_at from sandbox_messages
        where company_id = ${company_id} and key = ${key} and channel = ${kind.channel}`)
      if (!row) return null
      const provider_message_id = providerId({ company_id, key })
      const fate = kind.fate(row.to_address)
      // A process that died between sending and delivering takes nothing out of the air.
      const arrived = row.status !== 'accepted' || clock.now().getTime() >= row.accepted_at.getTime() + DELIVERY_MS
      if (!arrived || fate instanceof MessageRefused) return { provider_message_id, status: 'accepted' }
      return { provider_message_id, ...fate }
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

async function updateSettled(db: Database, messages: MessageRef[], at: Date): Promise<void> {
  await db.run(sql`
    update sandbox_messages m set status = e.status, reason = e.reason, error = e.error, settled_at = ${at}
    from ${entryRows(messages, { company_id: 'bigint', key: 'text', status: 'text', reason: 'text', error: 'text' })} as e
    where m.company_id = e.company_id and m.key = e.key and m.status = 'accepted'`)
}
