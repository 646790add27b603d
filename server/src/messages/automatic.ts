import sql from 'sql-template-tag'
import { type CallResult, isSuccess } from '../calls/results.ts'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'

/** The contact of a campaign that a message is about. */
export interface Addressee {
  company_id: number
  campaign_id: number
  client_id: number
  case_id: number
  run_id: number | null
}

type Trigger = 'before_call' | 'after_successful_call' | 'after_failed_call'

interface Occurrence extends Addressee {
  trigger: Trigger
  /** When the call takes place, or ended. */
  at: Date
  /** What the message goes out for; the same message never goes out twice for it. */
  occasion: string
}

/** Nobody who asked not to be called, and nobody at a wrong number, is written to after the call. */
const SILENT: ReadonlySet<CallResult> = new Set(['opted_out', 'wrong_number'])

/** The after-call messages of the runs in which the given calls were made; `id` is the call's. */
export function insertAfterCallMessages(
  db: Database,
  calls: (Addressee & { id: number; result: CallResult })[],
  now: Date,
): Promise<void> {
  const occurrences = calls
    .filter(({ result }) => !SILENT.has(result))
    .map(
      (call): Occurrence => ({
        ...call,
        trigger: isSuccess(call.result) ? 'after_successful_call' : 'after_failed_call',
        occasion: `after:${call.id}`,
        at: now,
      }),
    )
  return insertTriggered(db, occurrences, now)
}

export interface Announcement extends Addressee {
  attempt: number
  call_at: Date
}

/** The messages that announce the given attempts, each as long before the call as its delay says. */
export function insertBeforeCallMessages(db: Database, announcements: Announcement[], now: Date): Promise<void> {
  const occurrences = announcements.map(
    (each): Occurrence => ({ ...each, trigger: 'before_call', occasion: `before:${each.attempt}`, at: each.call_at }),
  )
  return insertTriggered(db, occurrences, now)
}

/** Bodies and subjects stay templates until the message is sent: what they say is then true. */
async function insertTriggered(db: Database, occurrences: Occurrence[], now: Date): Promise<void> {
  if (occurrences.length === 0) return
  await db.run(sql`
    insert into messages (company_id, channel, status, client_id, case_id, campaign_id, campaign_message_id, occasion,
      subject, body, due_at, origin, created_at)
    select m.company_id, m.channel, 'scheduled', o.client_id, o.case_id, o.campaign_id, m.id, o.occasion, m.subject, m.message,
      o.at + make_interval(mins => coalesce(m.delay_minutes, 0)) * case when m.trigger = 'before_call' then -1 else 1 end,
      'system', ${now}
    from ${entryRows(occurrences, {
      company_id: 'bigint',
      campaign_id: 'bigint',
      client_id: 'bigint',
      case_id: 'bigint',
      run_id: 'bigint',
      trigger: 'text',
      occasion: 'text',
      at: 'timestamptz',
    })} as o
    join campaign_messages m
      on m.company_id = o.company_id and m.campaign_id = o.campaign_id and m.run_id = o.run_id and m.trigger = o.trigger
    on conflict (company_id, campaign_message_id, client_id, occasion) where campaign_message_id is not null do nothing`)
}
