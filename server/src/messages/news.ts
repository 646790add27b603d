import sql from 'sql-template-tag'
import { coalesce } from '../core/coalesce.ts'
import { entryRows } from '../core/columns.ts'
import type { Engine } from '../engine/job.ts'
import type { MessageEvents, MessageStatusEvent } from '../providers/message.ts'
import { recordEngineChanges } from '../webhooks/record-changes.ts'
import { receiver } from './received.ts'
import { type MessageKeys, messageChanged } from './records.ts'
import { forgetFailures, noteFailures } from './undeliverable.ts'

type News = Omit<MessageStatusEvent, 'key' | 'from'> & { id: number; from_address?: string }

interface Heard extends MessageKeys {
  channel: 'sms' | 'email'
  was: string
  status: string
  unannounced: boolean
  to_address: string | null
  reason: News['reason'] | null
  error: string | null
}

/**
 * What providers say of a message later on. Late, doubled and out-of-order news are harmless: `sent` counts only while
 * nothing better is known, and what has been delivered or has failed stays so, but for a message that was given up
 * because nobody knew (its intent is still there).
 */
export function messageEvents({
  pool,
  clock,
  log,
  publicUrl,
}: Pick<Engine, 'pool' | 'clock' | 'log' | 'publicUrl'>): MessageEvents {
  const note = coalesce<News, void>(async (news) => {
    await pool.transaction(async (db) => {
      const changed = await db.many<Heard>(sql`
        with heard as (
          select distinct on (m.company_id, m.id) m.company_id, m.id, n.status, n.provider_message_id, n.from_address, n.reason, n.error
          from ${entryRows(news, {
            company_id: 'bigint',
            id: 'bigint',
            status: 'text',
            provider_message_id: 'text',
            from_address: 'text',
            reason: 'text',
            error: 'text',
          })} as n
          join messages m on m.company_id = n.company_id and m.id = n.id
            and (m.provider_message_id is null or m.provider_message_id = n.provider_message_id)
            and (m.status in ('sending', 'sent') or (m.status = 'failed' and m.intent is not null))
          order by m.company_id, m.id, n.status = 'sent', n.ordinality
        ), locked as (
          -- As it is when the lock is ours: its sending may have been written while this waited for it.
          select m.company_id, m.id, m.sent_at is null as unannounced, m.status as was
          from heard h join messages m on m.company_id = h.company_id and m.id = h.id
          order by m.company_id, m.id for no key update of m
        )
        update messages m set status = h.status, error = h.error, reason = h.reason, node_id = null, intent = null,
          sent_at = coalesce(m.sent_at, ${clock.now()}),
          provider_message_id = coalesce(m.provider_message_id, h.provider_message_id),
          from_address = coalesce(m.from_address, h.from_address),
          to_address = coalesce(m.intent ->> 'to', m.to_address), subject = coalesce(m.intent ->> 'subject', m.subject),
          body = coalesce(m.intent ->> 'body', m.body)
        from heard h join locked l on l.company_id = h.company_id and l.id = h.id
        where m.company_id = h.company_id and m.id = h.id and (h.status <> 'sent' or m.status <> 'sent' or m.from_address is null)
          and (m.status in ('sending', 'sent') or (m.status = 'failed' and m.intent is not null))
        returning m.company_id, m.id, m.channel, m.case_id, m.client_id, m.campaign_id, l.was, m.status, l.unannounced,
          m.to_address, m.reason, m.error`)
      await recordEngineChanges(
        db,
        changed.flatMap((message) => [
          // Heard of before the row said that it was sent.
          ...(message.unannounced ? [messageChanged('sent', message)] : []),
          ...(message.status === 'sent' ? [] : [messageChanged(message.status, message)]),
        ]),
      )
      const known = changed.flatMap(({ to_address, reason = null, ...each }) =>
        to_address ? [{ ...each, address: to_address, reason }] : [],
      )
      await noteFailures(
        db,
        known.filter(({ status }) => status === 'failed'),
        clock.now(),
      )
      await forgetFailures(
        db,
        known.filter(({ status }) => status === 'delivered'),
      )
    })
    return news.map(() => undefined)
  })
  return {
    async status({ key, from, ...event }) {
      const [kind, id] = key.split(':')
      if (kind === 'message' && Number.isSafeInteger(Number(id)))
        await note({ ...event, from_address: from, id: Number(id) })
    },
    received: receiver({ pool, clock, log, publicUrl }),
  }
}
