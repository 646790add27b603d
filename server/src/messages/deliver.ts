import sql from 'sql-template-tag'
import { insertSuppressions } from '../compliance/permissions.ts'
import { coalesce } from '../core/coalesce.ts'
import { entryRows } from '../core/columns.ts'
import type { Engine } from '../engine/job.ts'
import { type MessageEvents, MessageRefused } from '../providers/message.ts'
import { recordEngineChanges } from '../webhooks/record-changes.ts'
import { type MessageKeys, messageChanged } from './records.ts'
import { render, selectTemplateValues, type TemplateValues } from './template.ts'

export interface Outgoing {
  company_id: number
  id: number
  channel: 'sms' | 'email'
  client_id: number
  case_id: number | null
  manual: boolean
  mobile_e164: string | null
  email: string | null
  subject: string | null
  body: string
  agent_name: string | null
  company_name: string
}

interface Sent {
  company_id: number
  id: number
  channel: Outgoing['channel']
  status: 'sent' | 'failed' | 'skipped' | 'scheduled'
  provider: string
  provider_message_id: string | null
  to_address: string | null
  subject: string | null
  body: string | null
  error: string | null
  sent_at: Date | null
  due_at: Date | null
  /** The provider says that the contact opted out there. */
  opted_out: boolean
}

/** How long a message waits when the provider could not be asked. */
const OUT_OF_REACH_MS = 60_000

/** Sends messages whose intent is committed. A message is known to its provider by our key: it goes out once. */
export async function deliver(engine: Engine, messages: Outgoing[]): Promise<void> {
  const write = writer(engine)
  for (const [companyId, ofCompany] of Map.groupBy(messages, (message) => message.company_id)) {
    const written = ofCompany.filter(({ manual, case_id }) => !manual && case_id !== null)
    const values = await selectTemplateValues(
      { db: engine.pool, companyId },
      written.map(({ client_id, case_id, agent_name }) => ({ client_id, case_id: case_id!, agent_name })),
    )
    const valuesOf = new Map(written.map((message, index) => [message, values[index]]))
    await Promise.all(
      ofCompany.map(async (message) => {
        const text = filledIn(message, valuesOf.get(message))
        await write(text ? await send(engine, text) : nothingToSay(engine, message))
      }),
    )
  }
}

/**
 * Texts of campaigns are templates until now; those of people are final, braces in them came from a value. Answers
 * nothing when the contact or the case is gone that a template speaks of.
 */
function filledIn(message: Outgoing, values: TemplateValues | undefined): Outgoing | undefined {
  if (message.manual) return message
  if (!values) return undefined
  const { subject, body } = message
  return { ...message, body: render(body, values), subject: subject === null ? null : render(subject, values) }
}

const unsent = ({ company_id, id, channel, subject, body }: Outgoing, provider: string): Sent => ({
  company_id,
  id,
  channel,
  provider,
  status: 'failed',
  to_address: null,
  subject,
  body,
  provider_message_id: null,
  error: null,
  sent_at: null,
  due_at: null,
  opted_out: false,
})

const nothingToSay = ({ providers }: Engine, message: Outgoing): Sent => ({
  ...unsent(message, providers[message.channel].name),
  status: 'skipped',
  error: 'the case or the contact was deleted',
})

async function send(engine: Engine, message: Outgoing): Promise<Sent> {
  const { company_id, id, channel, subject, body, company_name } = message
  const { sms, email } = engine.providers
  const provider = engine.providers[channel]
  const ref = { company_id, key: `message:${id}` }
  const to = (channel === 'sms' ? message.mobile_e164 : message.email)!
  const now = engine.clock.now()
  const outcome = (rest: Partial<Sent>): Sent => ({
    ...unsent(message, provider.name),
    status: 'sent',
    to_address: to,
    sent_at: now,
    ...rest,
  })
  try {
    const { provider_message_id } =
      channel === 'sms'
        ? await sms.send({ ...ref, to, from: null, body })
        : await email.send({ ...ref, to, from_name: company_name, subject: subject ?? '', text: body })
    return outcome({ provider_message_id })
  } catch (error) {
    if (error instanceof MessageRefused)
      return outcome({ status: 'failed', sent_at: null, error: error.message, opted_out: error.reason === 'opted_out' })
    engine.log.warn({ err: error, message_id: id }, 'the provider did not answer whether it sent a message')
    const known = await provider.lookup(ref).catch(() => undefined)
    if (known) return outcome({ provider_message_id: known.provider_message_id })
    // Never heard of there, or out of reach: what is sent again carries the same key. The text stays a template.
    return outcome({
      status: 'scheduled',
      sent_at: null,
      body: null,
      subject: null,
      due_at: new Date(now.getTime() + OUT_OF_REACH_MS),
    })
  }
}

const writers = new WeakMap<Engine, (sent: Sent) => Promise<void>>()

function writer(engine: Engine): (sent: Sent) => Promise<void> {
  const write = writers.get(engine) ?? openWriter(engine)
  writers.set(engine, write)
  return write
}

function openWriter({ pool }: Engine) {
  return coalesce<Sent, void>(async (sent) => {
    await pool.transaction(async (db) => {
      const written = await db.many<MessageKeys & { status: Sent['status'] }>(sql`
        update messages m set
          status = s.status, provider = s.provider, provider_message_id = s.provider_message_id, to_address = s.to_address,
          subject = coalesce(s.subject, m.subject), body = coalesce(s.body, m.body), error = s.error, sent_at = s.sent_at,
          due_at = coalesce(s.due_at, m.due_at), node_id = null
        from ${entryRows(sent, {
          company_id: 'bigint',
          id: 'bigint',
          status: 'text',
          provider: 'text',
          provider_message_id: 'text',
          to_address: 'text',
          subject: 'text',
          body: 'text',
          error: 'text',
          sent_at: 'timestamptz',
          due_at: 'timestamptz',
        })} as s
        where m.company_id = s.company_id and m.id = s.id and m.status = 'sending'
        returning m.company_id, m.id, m.case_id, m.client_id, m.campaign_id, m.status`)
      await recordEngineChanges(
        db,
        written.flatMap((message) => (message.status === 'scheduled' ? [] : messageChanged(message.status, message))),
      )
      const optedOut = sent.filter((each) => each.opted_out)
      if (optedOut.length === 0) return
      const told = optedOut.map(({ company_id, channel, id, to_address, error }) => ({
        company_id,
        channel,
        purpose: 'all',
        address: to_address!,
        source: 'carrier' as const,
        evidence: { message_id: id, error },
      }))
      await insertSuppressions(db, told, 'system')
      const changed = await db.many<{ company_id: number; id: number; flag: string }>(sql`
        update clients c set sms_opted_out = c.sms_opted_out or m.channel = 'sms', email_opted_out = c.email_opted_out or m.channel = 'email',
          update_origin = 'system', updated_at = now()
        from unnest(${optedOut.map((each) => each.company_id)}::bigint[], ${optedOut.map(({ id }) => id)}::bigint[]) as o (company_id, id)
        join messages m on m.company_id = o.company_id and m.id = o.id
        where c.company_id = m.company_id and c.id = m.client_id
          and not case m.channel when 'sms' then c.sms_opted_out else c.email_opted_out end
        returning c.company_id, c.id, m.channel || '_opted_out' as flag`)
      await recordEngineChanges(
        db,
        changed.map(({ company_id, id, flag }) => ({
          company_id,
          activity: 'client_updated',
          record_type: 'client',
          record_id: id,
          client_id: id,
          changes: { [flag]: { from: false, to: true } },
        })),
      )
    })
    return sent.map(() => undefined)
  })
}

/** What providers say of a message later on: delivered or not. Late, doubled and out-of-order news are harmless. */
export function messageEvents({ pool, clock }: Engine): MessageEvents {
  const note = coalesce<{ company_id: number; id: number; status: string; error: string | null }, void>(
    async (news) => {
      await pool.transaction(async (db) => {
        const changed = await db.many<MessageKeys & { status: string; unannounced: boolean }>(sql`
          with heard as (
            select m.company_id, m.id, m.sent_at is null as unannounced, n.status, n.error
            from ${entryRows(news, { company_id: 'bigint', id: 'bigint', status: 'text', error: 'text' })} as n
            join messages m on m.company_id = n.company_id and m.id = n.id and m.status in ('sending', 'sent')
            order by m.company_id, m.id
            for no key update of m
          )
          update messages m set status = h.status, error = h.error, sent_at = coalesce(m.sent_at, ${clock.now()})
          from heard h where m.company_id = h.company_id and m.id = h.id
          returning m.company_id, m.id, m.case_id, m.client_id, m.campaign_id, m.status, h.unannounced`)
        await recordEngineChanges(
          db,
          changed.flatMap((message) => [
            // Heard of before the row said that it was sent.
            ...(message.unannounced ? [messageChanged('sent', message)] : []),
            messageChanged(message.status, message),
          ]),
        )
      })
      return news.map(() => undefined)
    },
  )
  return {
    async status({ company_id, key, status, error }) {
      const [kind, id] = key.split(':')
      // A delivery can be heard of before the row says that the message was sent: `sent` alone is no news.
      if (kind !== 'message' || status === 'sent') return
      await note({ company_id, id: Number(id), status, error: error ?? null })
    },
  }
}
