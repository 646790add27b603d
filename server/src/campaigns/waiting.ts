import sql from 'sql-template-tag'
import { ruleBooks } from '../compliance/company-rules.ts'
import type { RuleBook } from '../compliance/law.ts'
import { assertClocksAgree } from '../core/clock.ts'
import type { Database } from '../core/db.ts'
import type { VoiceProvider } from '../providers/voice.ts'
import type { CallerIds } from '../voice-agents/caller-id.ts'
import type { CampaignFacts } from './gate-reasons.ts'
import { compileSchedule, type Schedule, type ScheduleRow } from './schedule.ts'
import { selectSchedules } from './schedules.ts'
import { companyLimit, type Waiting } from './slots.ts'

/** A campaign that has somebody to call, with all that a pass needs of it. */
export interface DialledCampaign extends Waiting, CampaignFacts, CallerIds {
  rules: RuleBook
  schedule: Schedule
  /** By run id: how many minutes before a call its earliest announcement goes out. */
  notice_minutes: Record<number, number>
  /** Announced calls that have not been made yet. */
  promised: number
}

interface Row extends Omit<DialledCampaign, 'schedule' | 'rules' | 'company_limit'> {
  rules_version: string | null
  concurrency_rate: number
}

/**
 * The campaigns that have a due contact, and the calls in flight. Campaigns are locked against changes of their status
 * until the pass is over: a pause that is answered holds for every call after it.
 */
export async function selectWaiting(db: Database, maxConcurrentCalls: number, now: Date) {
  const rows = await db.many<Row>(sql`
    select p.company_id, p.id as campaign_id, p.concurrency_limit as limit, p.status, p.purpose, p.callback_delays,
      co.campaigns_enabled, co.concurrency_rate, co.rules_version, a.id as agent_id, a.phone_number, coalesce(a.phone_assignments, '[]') as phone_assignments,
      coalesce((
        select jsonb_object_agg(m.run_id, m.minutes) from (
          select m.run_id, max(m.delay_minutes) as minutes from campaign_messages m
          where m.company_id = p.company_id and m.campaign_id = p.id and m.trigger = 'before_call' group by m.run_id) m
      ), '{}') as notice_minutes, (
        select count(*)::int from campaign_contacts cc
        where cc.company_id = p.company_id and cc.campaign_id = p.id and cc.state = 'due' and cc.announced > cc.attempts
      ) as promised, 0 as live
    from campaigns p
    join companies co on co.id = p.company_id
    left join agents a on a.company_id = p.company_id and a.id = p.agent_id and a.deleted_at is null
    where p.status = 'active' and p.deleted_at is null and co.campaigns_enabled and exists (
      select from campaign_contacts cc
      where cc.company_id = p.company_id and cc.campaign_id = p.id and cc.state = 'due' and cc.priority in (0, 1) and cc.due_at <= ${now})
    for key share of p skip locked`)
  const waiting = new Map<number, DialledCampaign>()
  const liveOfCompany = new Map<number, number>()
  let live = 0
  if (rows.length === 0) return { waiting, liveOfCompany, live }
  const [inFlight, rulesOf, schedules] = await Promise.all([
    db.many<{ company_id: number; campaign_id: number; live: number }>(sql`
      select company_id, campaign_id, count(*)::int as live from calls where state <> 'ended' group by company_id, campaign_id`),
    ruleBooks(db, rows),
    selectSchedules(
      db,
      rows.map((row) => ({ company_id: row.company_id, id: row.campaign_id })),
    ),
  ])
  const liveOfCampaign = new Map<number, number>()
  for (const row of inFlight) {
    live += row.live
    liveOfCampaign.set(row.campaign_id, row.live)
    liveOfCompany.set(row.company_id, (liveOfCompany.get(row.company_id) ?? 0) + row.live)
  }
  for (const { concurrency_rate, rules_version, ...row } of rows) {
    waiting.set(row.campaign_id, {
      ...row,
      rules: rulesOf({ ...row, rules_version }),
      live: liveOfCampaign.get(row.campaign_id) ?? 0,
      company_limit: companyLimit(maxConcurrentCalls, concurrency_rate),
      schedule: compileSchedule(schedules.get(row.campaign_id) as ScheduleRow),
    })
  }
  return { waiting, liveOfCompany, live }
}

/** Minutes for which a call keeps a line: ringing, talking, settling. */
const LINE_MINUTES = 3

/**
 * Whether the campaign may announce further calls: no more than its lines can make by the time they are promised for.
 * One that announces nothing is not held back.
 */
export function mayAnnounce({ notice_minutes, promised, limit, company_limit }: DialledCampaign): boolean {
  const notices = Object.values(notice_minutes)
  if (notices.length === 0) return true
  const lines = limit > 0 ? Math.min(limit, company_limit) : company_limit
  return promised < lines * Math.max(1, Math.floor(Math.max(...notices) / LINE_MINUTES))
}

/**
 * Takes the lock of the pass and tells how many calls the provider still takes, in any second of the real clock,
 * whatever the engine's clock says: it is the carrier that counts. The database's time, the only one that all share.
 */
export async function takeRate(
  db: Database,
  { name, calls_per_second }: VoiceProvider,
): Promise<{ left: number; use(calls: number): Promise<void> }> {
  const { recent, now } = await db.one<{ recent: [at: number, calls: number][]; now: number }>(sql`
    with locked as (select recent from dial_lock where id = 1 for update)
    select coalesce(recent -> ${name}::text, '[]') as recent, extract(epoch from clock_timestamp()) * 1000 as now from locked`)
  assertClocksAgree(now)
  const inSecond = recent.filter(([at]) => at > now - 1000)
  const since = (start: number) => inSecond.reduce((sum, [at, calls]) => sum + (at > start ? calls : 0), 0)
  // A whole second's calls at once, the last of them late, would meet the first of the next second at the carrier.
  const inTenth = Math.ceil(calls_per_second / 10) - since(now - 100)
  return {
    left: Math.max(0, Math.min(inTenth, calls_per_second - since(now - 1000))),
    async use(calls) {
      if (calls === 0 || !Number.isFinite(calls_per_second)) return
      await db.run(sql`
        update dial_lock set recent = recent || jsonb_build_object(${name}::text, ${JSON.stringify([...inSecond, [now, calls]])}::jsonb)
        where id = 1`)
    },
  }
}
