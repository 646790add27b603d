import sql from 'sql-template-tag'
import { followUpAppointments } from '../appointments/follow-up.ts'
import { BREAKER, breakCampaign, isBroken, type Recent } from '../campaigns/breaker.ts'
import { suppressWrongNumbers } from '../compliance/permissions.ts'
import { coalesce } from '../core/coalesce.ts'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'
import type { Engine } from '../engine/job.ts'
import { insertAfterCallMessages } from '../messages/automatic.ts'
import type { CallRef, DisconnectionReason, Turn } from '../providers/voice.ts'
import { insertCallTasks } from '../tasks/call-tasks.ts'
import type { Evidence } from '../voice-agents/analysis.ts'
import { recordEngineChanges } from '../webhooks/record-changes.ts'
import { callEnded, callStarted } from './changes.ts'
import { type ContactStanding, nextStep } from './next-step.ts'
import { writeOptOuts } from './opt-out.ts'
import { type CallResult, isSuccess } from './results.ts'

/** How a call ended, all of it. */
export interface CallEnd {
  company_id: number
  call_id: number
  ended_at: Date
  answered_at: Date | null
  duration_seconds: number
  result: CallResult
  disconnection_reason: DisconnectionReason
  end_reason: string | null
  transcript: Turn[] | null
  summary: string | null
  /** 0 to 1; null where nobody spoke. */
  sentiment_score: number | null
  extracted_fields: Record<string, unknown> | null
  opted_out: boolean
  is_disqualified: boolean
  callback_at: Date | null
  transferred_to: string | null
  /** The turns (from 0) that the summary, the result and each extracted field rest on. */
  evidence: Evidence | null
  /** What the agent promised that a person would do; each becomes a task on the case. */
  follow_ups: string[]
  /** Our own process had to stop, which says nothing about the line. */
  put_down?: boolean
}

const columns = {
  company_id: 'bigint',
  call_id: 'bigint',
  ended_at: 'timestamptz',
  answered_at: 'timestamptz',
  duration_seconds: 'integer',
  result: 'text',
  disconnection_reason: 'text',
  end_reason: 'text',
  transcript: 'jsonb',
  summary: 'text',
  sentiment_score: 'real',
  extracted_fields: 'jsonb',
  opted_out: 'boolean',
  is_disqualified: 'boolean',
  callback_at: 'timestamptz',
  transferred_to: 'text',
  evidence: 'jsonb',
}

/** A call of the batch that was not settled before, with where its contact stands. */
interface Ended extends ContactStanding {
  company_id: number
  id: number
  campaign_id: number
  client_id: number
  case_id: number
  run_id: number | null
  attempt: number
  to_number: string
  has_after_messages: boolean
  has_appointment: boolean
  /** It ended before anybody here had noted that it was placed. */
  unannounced: boolean
}

/**
 * Settles calls as they end, many in one transaction. A call is settled once, whoever reports its end first; doubled
 * and late reports do nothing. Everything that follows from a call happens in that transaction: the contact's next
 * step, the opt-out, the counters, the messages after the call.
 */
export function settler(engine: Engine): (end: CallEnd) => Promise<void> {
  const { pool, clock, wake, log } = engine
  const settleAll = async (ends: CallEnd[]) => {
    const recent = await pool.transaction((db) => settle(db, ends, clock.now()))
    // In a transaction of its own: campaigns are locked before calls, and these calls are locked until here.
    for (const campaign of recent.filter(isBroken)) await breakCampaign(engine, campaign).catch(tellOf(campaign))
  }
  const tellOf = (campaign: Recent) => (error: unknown) =>
    log.error({ err: error, campaign_id: campaign.campaign_id }, 'a campaign whose calls fail could not be paused')
  return coalesce<CallEnd, void>(
    async (ends) => {
      await settleAll(ends).catch(async (error: unknown) => {
        if (ends.length === 1) throw error
        // One call that can't be settled must not hold up the others.
        log.error({ err: error, calls: ends.length }, 'calls could not be settled together; one by one now')
        for (const end of ends) await settleAll([end]).catch(() => letGo(pool, end))
      })
      wake('dial')
      return ends.map(() => undefined)
    },
    { max: 500 },
  )
}

/** Nobody's call any more: whoever takes it over hears of its end again from the provider. */
export async function letGo(db: Database, { company_id, call_id }: CallRef): Promise<void> {
  await db.run(sql`
    update calls set node_id = null where company_id = ${company_id} and id = ${call_id} and state <> 'ended'`)
}

/** Answers how the calls of the campaigns concerned ended lately. */
export async function settle(db: Database, ends: CallEnd[], now: Date): Promise<Recent[]> {
  const byId = new Map(ends.map((end) => [end.call_id, end]))
  const ended = await db.many<Ended>(sql`
    with ended as (
      update calls c set
        state = 'ended', ended_at = e.ended_at, answered_at = e.answered_at, duration_seconds = e.duration_seconds,
        result = e.result, disconnection_reason = e.disconnection_reason, end_reason = e.end_reason,
        transcript = e.transcript, summary = e.summary, sentiment_score = e.sentiment_score,
        extracted_fields = e.extracted_fields, opted_out = e.opted_out, is_disqualified = e.is_disqualified,
        callback_at = e.callback_at, transferred_to = e.transferred_to, evidence = e.evidence
      from ${entryRows([...byId.values()], columns)} as e
      where c.company_id = e.company_id and c.id = e.call_id and c.state <> 'ended'
      returning c.company_id, c.id, c.campaign_id, c.client_id, c.case_id, c.run_id, c.attempt, c.to_number,
        c.provider_call_id is null as unannounced
    )
    select ended.*, cc.delays_used, cc.requested_at, cc.last_result, p.callback_delays, exists (
      select from campaign_messages m where m.company_id = p.company_id and m.campaign_id = p.id and m.trigger like 'after%'
    ) as has_after_messages, exists (
      select from appointments a where a.company_id = ended.company_id and a.call_id = ended.id
    ) as has_appointment
    from ended
    join campaigns p on p.company_id = ended.company_id and p.id = ended.campaign_id
    join campaign_contacts cc
      on cc.company_id = ended.company_id and cc.campaign_id = ended.campaign_id and cc.client_id = ended.client_id`)
  if (ended.length === 0) return []
  const settled = ended.map((call) => ({ call, end: byId.get(call.id)! }))
  await updateContacts(db, settled)
  const recent = await updateStats(db, settled, now)
  await recordEngineChanges(
    db,
    settled.flatMap(({ call, end }) => [...(call.unannounced ? [callStarted(call)] : []), callEnded(call, end)]),
  )
  await writeOptOuts(
    db,
    settled
      .filter(({ end }) => end.opted_out)
      .map(({ call: { id, ...call }, end }) => ({ ...call, call_id: id, at: end.ended_at })),
  )
  await suppressWrongNumbers(
    db,
    settled
      .filter(({ end }) => end.result === 'wrong_number')
      .map(({ call: { company_id, client_id, to_number: address, id: call_id }, end }) => ({
        ...{ company_id, client_id, address, call_id },
        at: end.ended_at,
      })),
  )
  await insertCallTasks(
    db,
    settled.flatMap(({ call: { company_id, case_id, client_id, id }, end: { follow_ups, summary } }) =>
      follow_ups.map((title) => ({
        company_id,
        case_id,
        client_id,
        title,
        body: `From call ${id}. ${summary ?? ''}`.trim(),
      })),
    ),
  )
  await followUpAppointments(
    db,
    settled
      .filter(({ call }) => call.has_appointment)
      .map(({ call: { company_id, id }, end: { summary, opted_out } }) => ({
        company_id,
        call_id: id,
        summary,
        opted_out,
      })),
    now,
  )
  await insertAfterCallMessages(
    db,
    settled.filter(({ call }) => call.has_after_messages).map(({ call, end }) => ({ ...call, result: end.result })),
    now,
  )
  return recent
}

interface Settled {
  call: Ended
  end: CallEnd
}

async function updateContacts(db: Database, settled: Settled[]): Promise<void> {
  const steps = settled.map(({ call, end }) => {
    const { company_id, campaign_id, client_id } = call
    return { company_id, campaign_id, client_id, result: end.result, ...nextStep(end, call) }
  })
  await db.run(sql`
    update campaign_contacts cc set
      state = s.state, due_at = s.due_at, priority = s.priority, delays_used = s.delays_used, callback_at = s.callback_at,
      last_result = s.result, settled_reason = s.settled_reason,
      requested_at = case when s.state = 'settled' then null else cc.requested_at end
    from ${entryRows(steps, {
      company_id: 'bigint',
      campaign_id: 'bigint',
      client_id: 'bigint',
      result: 'text',
      state: 'text',
      due_at: 'timestamptz',
      priority: 'smallint',
      delays_used: 'integer',
      callback_at: 'timestamptz',
      settled_reason: 'text',
    })} as s
    where cc.company_id = s.company_id and cc.campaign_id = s.campaign_id and cc.client_id = s.client_id and cc.state = 'live'`)
}

async function updateStats(db: Database, settled: Settled[], now: Date): Promise<Recent[]> {
  const rows = settled.map(({ call, end }) => ({
    company_id: call.company_id,
    campaign_id: call.campaign_id,
    success: isSuccess(end.result) ? 1 : 0,
    sentiment: end.sentiment_score,
    // A contact counts once, however often it is called or converts.
    first: call.attempt === 1 ? 1 : 0,
    converted: end.result === 'converted' && call.last_result !== 'converted' ? 1 : 0,
    disqualified: end.is_disqualified && call.last_result !== 'disqualified' ? 1 : 0,
    seconds: end.duration_seconds,
    broken: end.result === 'failed' && !end.put_down ? 1 : 0,
  }))
  const since = new Date(now.getTime() - BREAKER.window_ms)
  const counting = sql`s.recent_since > ${since} and s.recent_calls < ${BREAKER.most_calls}`
  return db.many<Recent>(sql`
    update campaign_stats s set
      recent_since = case when ${counting} then s.recent_since else ${now} end,
      recent_calls = case when ${counting} then s.recent_calls else 0 end + d.calls,
      recent_failed = case when ${counting} then s.recent_failed else 0 end + d.broken,
      total_calls = s.total_calls + d.calls, success_calls = s.success_calls + d.success,
      failed_calls = s.failed_calls + d.calls - d.success, sentiment_sum = s.sentiment_sum + d.sentiment_sum,
      sentiment_count = s.sentiment_count + d.sentiment_count, called_clients = s.called_clients + d.first,
      converted_clients = s.converted_clients + d.converted, disqualified_clients = s.disqualified_clients + d.disqualified,
      total_seconds = s.total_seconds + d.seconds
    from (
      select company_id, campaign_id, count(*) as calls, sum(success) as success, coalesce(sum(sentiment), 0) as sentiment_sum,
        count(sentiment) as sentiment_count, sum(first) as first, sum(converted) as converted, sum(disqualified) as disqualified,
        sum(seconds) as seconds, sum(broken) as broken
      from ${entryRows(rows, {
        company_id: 'bigint',
        campaign_id: 'bigint',
        success: 'integer',
        sentiment: 'double precision',
        first: 'integer',
        converted: 'integer',
        disqualified: 'integer',
        seconds: 'integer',
        broken: 'integer',
      })} as e group by company_id, campaign_id
    ) d
    where s.company_id = d.company_id and s.campaign_id = d.campaign_id
    returning s.company_id, s.campaign_id, s.recent_calls, s.recent_failed`)
}
