import sql from 'sql-template-tag'
import { memberPredicate, selectMembers } from '../case-lists/membership.ts'
import { ruleBooks } from '../compliance/company-rules.ts'
import type { Whereabouts } from '../compliance/time-zones.ts'
import type { Database, Pool } from '../core/db.ts'
import type { Job } from '../engine/job.ts'
import { dueAt } from './calling-window.ts'
import { LAST_ZONE } from './first-and-last-zone.ts'
import { compileSchedule, type ScheduleRow } from './schedule.ts'
import { selectSchedules } from './schedules.ts'

/** Members that are read and written at once: 5,000 take about 5 MB and a tenth of a second. */
const CHUNK = 5000

/** Planning is done ahead for campaigns that wait, so that their first minute is not spent on it. */
const OPEN = ['scheduled', 'active', 'paused']

export const planCampaigns: Job = {
  name: 'plan campaigns',
  summary: 'Turns the members of case lists into due calls, and follows lists as they change',
  idleMs: 250,
  async pass({ pool, clock, wake }) {
    const followed = await planChanges(pool, clock.now())
    const planned = await planNextChunk(pool, clock.now())
    if (followed > 0 || planned > 0) wake('dial')
    return followed > 0 || planned > 0 ? 'again' : 'idle'
  },
}

/** What settled a contact but may have changed since; the gate looks again. */
const REOPENED = [
  ...['not_member', 'deleted', 'deceased', 'number_missing', 'number_malformed'],
  ...['opted_out', 'suppressed', 'consent_missing'],
]

interface OpenCampaign {
  company_id: number
  id: number
  case_list_id: number
  purpose: string
  rules_version: string | null
  plan_cursor: number | null
  /** False where no call becomes due by itself: messaging only, or calls scheduled from outside. */
  calls: boolean
}

const campaignColumns = sql`p.company_id, p.id, p.case_list_id, p.purpose, p.plan_cursor,
  (select rules_version from companies co where co.id = p.company_id) as rules_version,
  (not p.calls_scheduled_externally and p.agent_id is not null and exists (
    select from campaign_runs r where r.company_id = p.company_id and r.campaign_id = p.id and not r.messaging_only)) as calls`

interface Member extends Whereabouts {
  case_id: number
  client_id: number
}

/** One chunk of the campaign that was planned longest ago; answers how many members were looked at. */
export async function planNextChunk(pool: Pool, now: Date): Promise<number> {
  return pool.transaction(async (db) => {
    const campaign = await db.maybe<OpenCampaign>(sql`
      select ${campaignColumns} from campaigns p
      where p.status = any(${OPEN}) and p.plan_cursor is not null and p.deleted_at is null
      order by p.plan_cursor, p.company_id, p.id limit 1 for no key update of p skip locked`)
    if (!campaign) return 0
    const { company_id, id, case_list_id } = campaign
    const page = { after: campaign.plan_cursor!, limit: CHUNK }
    const caseIds = await selectMembers({ db, companyId: company_id }, case_list_id, page)
    const members = await db.many<Member>(sql`
      select l.case_id, l.client_id, c.timezone, c.state, c.postal_code, c.mobile_e164
      from case_clients l
      join clients c on c.company_id = l.company_id and c.id = l.client_id and c.deleted_at is null
      where l.company_id = ${company_id} and l.case_id = any(${caseIds})
      order by l.case_id, l.client_id`)
    await insertContacts(db, campaign, members, now)
    const cursor = caseIds.length < CHUNK ? null : caseIds.at(-1)!
    await db.run(sql`update campaigns set plan_cursor = ${cursor} where company_id = ${company_id} and id = ${id}`)
    return Math.max(1, caseIds.length)
  })
}

/**
 * Cases whose fields or links changed, against the lists of their company's open campaigns. Who enters is planned; who
 * leaves is found by the gate, which asks for membership before every call.
 */
export async function planChanges(pool: Pool, now: Date): Promise<number> {
  return pool.transaction(async (db) => {
    const changed = await db.many<{ company_id: number; case_id: number }>(sql`
      delete from case_changes ch using (
        select company_id, id from case_changes order by company_id, id limit ${CHUNK} for update skip locked
      ) taken
      where ch.company_id = taken.company_id and ch.id = taken.id
      returning ch.company_id, ch.case_id`)
    for (const [companyId, changes] of Map.groupBy(changed, (change) => change.company_id)) {
      const ids = [...new Set(changes.map((change) => change.case_id))]
      const campaigns = await db.many<OpenCampaign>(sql`
        select ${campaignColumns} from campaigns p
        where p.company_id = ${companyId} and p.status = any(${OPEN}) and p.deleted_at is null order by p.id`)
      if (campaigns.length === 0) continue
      const entered = await db.many<Member & { campaign_id: number }>(sql`
        select p.id as campaign_id, k.id as case_id, l.client_id, c.timezone, c.state, c.postal_code, c.mobile_e164
        from unnest(${campaigns.map(({ id }) => id)}::bigint[], ${campaigns.map((campaign) => campaign.case_list_id)}::bigint[]) as p (id, case_list_id)
        join case_lists li on li.company_id = ${companyId} and li.id = p.case_list_id
        join cases k on k.company_id = ${companyId} and k.id = any(${ids}) and ${memberPredicate('li', 'k')}
        join case_clients l on l.company_id = ${companyId} and l.case_id = k.id
        join clients c on c.company_id = ${companyId} and c.id = l.client_id and c.deleted_at is null
        order by k.id, l.client_id`)
      const byCampaign = Map.groupBy(entered, (member) => member.campaign_id)
      for (const campaign of campaigns) await insertContacts(db, campaign, byCampaign.get(campaign.id) ?? [], now)
    }
    return changed.length
  })
}

/**
 * A contact with several cases in the list is called for the one with the lowest id. Who had left, or could not be
 * called, is looked at again; nobody else who is known already is touched.
 */
async function insertContacts(db: Database, campaign: OpenCampaign, members: Member[], now: Date): Promise<void> {
  if (members.length === 0) return
  const lowest = new Map<number, Member>()
  for (const member of members) if (!lowest.has(member.client_id)) lowest.set(member.client_id, member)
  const contacts = [...lowest.values()].sort((a, b) => a.client_id - b.client_id)
  const due = campaign.calls ? await dueDates(db, campaign, contacts, now) : contacts.map(() => null)
  const { company_id, id } = campaign
  await db.run(sql`
    with planned as (
      insert into campaign_contacts as cc (company_id, campaign_id, client_id, case_id, state, due_at)
      select ${company_id}, ${id}, client_id, case_id, 'due', due_at
      from unnest(${contacts.map((contact) => contact.client_id)}::bigint[], ${contacts.map((contact) => contact.case_id)}::bigint[],
        ${due.map((at) => at?.toISOString() ?? null)}::timestamptz[]) as m (client_id, case_id, due_at)
      on conflict (company_id, campaign_id, client_id) do update set
        case_id = excluded.case_id, state = 'due', due_at = excluded.due_at, settled_reason = null, last_decision = null
      where (cc.state = 'settled' and cc.settled_reason = any(${REOPENED}))
        or (cc.state = 'due' and cc.attempts = 0 and cc.requested_at is null and excluded.case_id < cc.case_id)
      returning (xmax = 0) as is_new
    ), fresh as (
      select count(*) as contacts from planned where is_new
    ), counted as (
      update campaign_stats s set total_clients = s.total_clients + fresh.contacts
      from fresh where s.company_id = ${company_id} and s.campaign_id = ${id} and fresh.contacts > 0
    )
    update campaign_message_days d set cursor = 0
    from fresh
    where d.company_id = ${company_id} and d.campaign_id = ${id} and fresh.contacts > 0
      and d.day >= (${now}::timestamptz at time zone ${LAST_ZONE})::date`)
}

/** Who can't be called by any run to come is due now: the gate says so and why, and that is kept. */
async function dueDates(db: Database, campaign: OpenCampaign, contacts: Member[], now: Date): Promise<Date[]> {
  const row = (await selectSchedules(db, [campaign])).get(campaign.id) as ScheduleRow
  const schedule = compileSchedule(row)
  const rules = (await ruleBooks(db, [campaign]))(campaign)
  return contacts.map((contact) => dueAt({ schedule, contact, from: now, purpose: campaign.purpose, rules }) ?? now)
}
