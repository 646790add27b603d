import sql from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import type { Job } from '../engine/job.ts'
import { type CallTask, insertCallTasks } from '../tasks/call-tasks.ts'
import { recordEngineChanges } from '../webhooks/record-changes.ts'
import { FIRST_ZONE, LAST_ZONE } from './first-and-last-zone.ts'
import { selectCampaignEvents } from './queries.ts'

export const followCampaigns: Job = {
  name: 'follow campaigns',
  summary: 'Starts campaigns whose first run begins and completes those that are over',
  idleMs: 500,
  async pass({ pool, clock, wake, log }) {
    const now = clock.now()
    const started = await pool.transaction((db) => startDue(db, now))
    const completed = await pool.transaction((db) => completeOver(db, now))
    for (const campaign of started) log.info({ campaign_id: campaign.id }, 'campaign started')
    for (const campaign of completed) log.info({ campaign_id: campaign.id }, 'campaign completed')
    if (started.length > 0) wake('dial')
    return 'idle'
  },
}

interface Moved {
  company_id: number
  id: number
}

async function startDue(db: Database, now: Date): Promise<Moved[]> {
  const started = await db.many<Moved>(sql`
    update campaigns p set status = 'active', started_at = ${now}
    where p.status = 'scheduled' and p.deleted_at is null and exists (
      select from campaign_runs r
      where r.company_id = p.company_id and r.campaign_id = p.id
        and r.start_date <= (${now}::timestamptz at time zone ${FIRST_ZONE})::date)
    returning p.company_id, p.id`)
  await audit(db, started, 'campaign_started', 'scheduled', 'active')
  return started
}

/**
 * Over: the last run has ended wherever its contacts are, or every member is settled and every message has gone out.
 * The second never holds for campaigns that wait for newcomers or for calls from outside.
 */
async function completeOver(db: Database, now: Date): Promise<Moved[]> {
  const over = sql`
    where p.status = 'active' and p.deleted_at is null and (
      not exists (
        select from campaign_runs r
        where r.company_id = p.company_id and r.campaign_id = p.id
          and (r.end_date is null or r.end_date >= (${now}::timestamptz at time zone ${LAST_ZONE})::date))
      or (
        not p.never_ending and not p.calls_scheduled_externally and p.plan_cursor is null
        and exists (
          select from campaign_runs r where r.company_id = p.company_id and r.campaign_id = p.id and not r.messaging_only)
        and exists (select from campaign_contacts cc where cc.company_id = p.company_id and cc.campaign_id = p.id)
        and not exists (
          select from campaign_contacts cc where cc.company_id = p.company_id and cc.campaign_id = p.id and cc.state = 'due')
        and not exists (
          select from calls c where c.company_id = p.company_id and c.campaign_id = p.id and c.state <> 'ended')
        and not exists (
          select from messages m
          where m.company_id = p.company_id and m.campaign_id = p.id and m.status in ('scheduled', 'sending'))
        and not exists (
          select from campaign_messages m
          join campaign_runs r on r.company_id = m.company_id and r.id = m.run_id
          where m.company_id = p.company_id and m.campaign_id = p.id and m.trigger = 'scheduled'
            and coalesce(m.date, r.end_date) >= (${now}::timestamptz at time zone ${FIRST_ZONE})::date)
        and not exists (select from case_changes ch where ch.company_id = p.company_id)))`
  // Locked first and judged again: a call that is asked for meanwhile holds the campaign until it is written.
  const candidates = await db.many<Moved>(
    sql`select p.company_id, p.id from campaigns p ${over} for update skip locked`,
  )
  if (candidates.length === 0) return []
  const completed = await db.many<Moved>(sql`
    update campaigns p set status = 'completed', completed_at = ${now}
    ${over} and p.id = any(${candidates.map(({ id }) => id)})
    returning p.company_id, p.id`)
  await audit(db, completed, 'campaign_completed', 'active', 'completed')
  await keepCallbacks(db, completed)
  return completed
}

/** A callback that a contact asked for and that the campaign won't make becomes a task on the case. */
async function keepCallbacks(db: Database, completed: Moved[]): Promise<void> {
  if (completed.length === 0) return
  const promised = await db.many<
    Omit<CallTask, 'title' | 'body'> & { callback_at: Date; client_name: string; campaign_name: string }
  >(sql`
    select cc.company_id, cc.case_id, cc.client_id, cc.callback_at, p.name as campaign_name, c.first_name || ' ' || c.last_name as client_name
    from unnest(${completed.map((campaign) => campaign.company_id)}::bigint[], ${completed.map(({ id }) => id)}::bigint[]) as d (company_id, id)
    join campaigns p on p.company_id = d.company_id and p.id = d.id
    join campaign_contacts cc
      on cc.company_id = p.company_id and cc.campaign_id = p.id and cc.priority = 0 and cc.callback_at is not null
        -- Settled by the gate where the hours of the last run were over when its turn came.
        and (cc.state = 'due' or cc.settled_reason = 'run')
    join clients c on c.company_id = cc.company_id and c.id = cc.client_id and c.deleted_at is null
    order by cc.company_id, p.id, cc.client_id`)
  await insertCallTasks(
    db,
    promised.map(({ callback_at, client_name, campaign_name, ...contact }) => ({
      ...contact,
      title: `Call back ${client_name}`,
      body: `Asked to be called back at ${callback_at.toISOString()}; the campaign "${campaign_name}" ended before.`,
    })),
  )
}

async function audit(db: Database, moved: Moved[], activity: string, from: string, to: string): Promise<void> {
  for (const [companyId, campaigns] of Map.groupBy(moved, (campaign) => campaign.company_id)) {
    const ids = campaigns.map(({ id }) => id)
    const records = await selectCampaignEvents({ db, companyId }, ids)
    const change = { company_id: companyId, activity, record_type: 'campaign', changes: { status: { from, to } } }
    await recordEngineChanges(
      db,
      ids.map((id) => ({ ...change, record_id: id, data: records.get(id) })),
    )
  }
}
