import sql from 'sql-template-tag'
import { coalesce } from '../core/coalesce.ts'
import { entryRows } from '../core/columns.ts'
import type { Engine } from '../engine/job.ts'
import type { RefusalReason } from '../providers/message.ts'
import { recordEngineChanges } from '../webhooks/record-changes.ts'
import { type MessageKeys, messageChanged } from './records.ts'
import { noteFailures } from './undeliverable.ts'

/** What became of sending a message. */
export interface Outcome {
  company_id: number
  id: number
  channel: 'sms' | 'email'
  /** `in_doubt`: nobody knows; its intent stays, and the provider is asked. */
  status: 'sent' | 'failed' | 'skipped' | 'scheduled' | 'in_doubt'
  provider: string
  /** Who has it in hand, as far as whoever tells this knows: where another took it over, only that it was sent is news. */
  node_id: string | null
  provider_message_id?: string | null
  to_address: string | null
  from_address?: string | null
  subject: string | null
  body: string | null
  segments?: number | null
  reason?: RefusalReason | null
  error?: string | null
  sent_at?: Date | null
  due_at?: Date | null
  put_off?: number
  /** Failed because nobody knows: should it be heard of after all, that counts. */
  given_up?: boolean
}

const columns = {
  company_id: 'bigint',
  id: 'bigint',
  status: 'text',
  provider: 'text',
  node_id: 'text',
  provider_message_id: 'text',
  to_address: 'text',
  from_address: 'text',
  subject: 'text',
  body: 'text',
  segments: 'integer',
  reason: 'text',
  error: 'text',
  sent_at: 'timestamptz',
  due_at: 'timestamptz',
  put_off: 'integer',
  given_up: 'boolean',
}

const writers = new WeakMap<Engine, (outcome: Outcome) => Promise<void>>()

/** Writes outcomes with their events. News of a delivery may have been faster: the words and ids are then added to it. */
export function outcomeWriter(engine: Engine): (outcome: Outcome) => Promise<void> {
  const write = writers.get(engine) ?? openWriter(engine)
  writers.set(engine, write)
  return write
}

function openWriter({ pool, clock, wake }: Engine) {
  return coalesce<Outcome, void>(async (outcomes) => {
    await pool.transaction(async (db) => {
      const rows = entryRows(outcomes, columns)
      const written = await db.many<MessageKeys & { status: string; fresh: boolean }>(sql`
        with was as (
          select m.company_id, m.id, m.status = 'sending' as fresh, o.status as outcome, o.provider, o.provider_message_id,
            o.to_address, o.from_address, o.subject, o.body, o.segments, o.reason, o.error, o.sent_at, o.due_at, o.put_off, o.given_up
          from ${rows} as o
          join messages m on m.company_id = o.company_id and m.id = o.id
            and ((m.status = 'sending' and (o.status = 'sent' or m.node_id is not distinct from o.node_id)) or (o.status = 'sent' and m.status in ('sent', 'delivered', 'failed')))
          order by m.company_id, m.id
          for no key update of m
        )
        update messages m set
          status = case when w.fresh and w.outcome <> 'in_doubt' then w.outcome else m.status end,
          provider = w.provider, provider_message_id = coalesce(w.provider_message_id, m.provider_message_id),
          to_address = case when w.outcome = 'in_doubt' then m.to_address else coalesce(w.to_address, m.to_address) end,
          from_address = coalesce(w.from_address, m.from_address),
          subject = case when w.outcome = 'in_doubt' then m.subject else coalesce(w.subject, m.subject) end,
          body = case when w.outcome = 'in_doubt' then m.body else coalesce(w.body, m.body) end,
          segments = coalesce(w.segments, m.segments),
          reason = case when w.fresh then w.reason else m.reason end,
          error = case when w.fresh then w.error else m.error end,
          sent_at = coalesce(w.sent_at, m.sent_at), due_at = coalesce(w.due_at, m.due_at),
          put_off = coalesce(w.put_off, m.put_off), node_id = null,
          intent = case when w.outcome = 'in_doubt' or w.given_up then m.intent end
        from was w
        where m.company_id = w.company_id and m.id = w.id
        returning m.company_id, m.id, m.case_id, m.client_id, m.campaign_id, w.outcome as status, w.fresh`)
      const news = written.filter(({ fresh, status }) => fresh && (status === 'sent' || status === 'failed'))
      await recordEngineChanges(
        db,
        news.map((message) => messageChanged(message.status, message)),
      )
      const failed = new Set(news.filter(({ status }) => status === 'failed').map(({ id }) => id))
      await noteFailures(
        db,
        outcomes.flatMap(({ to_address, reason = null, error = null, ...each }) =>
          failed.has(each.id) && to_address ? [{ ...each, address: to_address, reason, error }] : [],
        ),
        clock.now(),
      )
    })
    if (outcomes.some(({ status }) => status === 'in_doubt')) wake('take over messages')
    return outcomes.map(() => undefined)
  })
}
