import sql from 'sql-template-tag'
import { messageDueAt } from '../campaigns/calling-window.ts'
import { FIRST_ZONE, LAST_ZONE } from '../campaigns/first-and-last-zone.ts'
import { compileSchedule } from '../campaigns/schedule.ts'
import { selectSchedules } from '../campaigns/schedules.ts'
import { ruleBooks } from '../compliance/company-rules.ts'
import { dayOf } from '../compliance/local-time.ts'
import { candidateZones, type Whereabouts } from '../compliance/time-zones.ts'
import type { Pool } from '../core/db.ts'
import type { Job } from '../engine/job.ts'

const CHUNK = 2000

/** A message whose hour is past for longer than this (a newcomer, a service that stood still) is left out. */
const LATE_MS = 3_600_000

export const writeScheduledMessages: Job = {
  name: 'write scheduled messages',
  summary: 'Writes the messages of the day for every contact of the campaigns that send at set times',
  idleMs: 500,
  async pass({ pool, clock, wake }) {
    const now = clock.now()
    await openDays(pool, now)
    const oldest = new Date(now.getTime() - LATE_MS - 5000 * clock.speed)
    const written = await writeNextChunk(pool, now, oldest)
    if (written > 0) wake('send messages')
    return written > 0 ? 'again' : 'idle'
  },
}

/** Days on which a message goes out and that have begun somewhere and are not over everywhere. */
async function openDays(pool: Pool, now: Date): Promise<void> {
  const candidates = await pool.many<{
    company_id: number
    id: number
    campaign_id: number
    run_id: number
    day: string
    date: string | null
  }>(sql`
    select m.company_id, m.id, m.campaign_id, m.run_id, d.day::date as day, m.date
    from campaigns p
    join campaign_messages m on m.company_id = p.company_id and m.campaign_id = p.id and m.trigger = 'scheduled'
    join campaign_runs r on r.company_id = m.company_id and r.id = m.run_id
    cross join generate_series((${now}::timestamptz at time zone ${LAST_ZONE})::date, (${now}::timestamptz at time zone ${FIRST_ZONE})::date, '1 day') as d (day)
    where p.status = 'active' and p.deleted_at is null and d.day between r.start_date and coalesce(r.end_date, 'infinity')
      and (m.date is null or m.date = d.day)
      and not exists (
        select from campaign_message_days k where k.company_id = m.company_id and k.campaign_message_id = m.id and k.day = d.day)`)
  if (candidates.length === 0) return
  const schedules = await selectSchedules(
    pool,
    candidates.map((each) => ({ company_id: each.company_id, id: each.campaign_id })),
  )
  const open = candidates.filter(({ campaign_id, run_id, day, date }) => {
    const run = compileSchedule(schedules.get(campaign_id)!).runs.find(({ id }) => id === run_id)
    return date !== null || run?.nextDay(dayOf(day)!) === dayOf(day)
  })
  await pool.run(sql`
    insert into campaign_message_days (company_id, campaign_message_id, day, campaign_id, cursor)
    select * , 0 from unnest(${open.map((each) => each.company_id)}::bigint[], ${open.map(({ id }) => id)}::bigint[],
      ${open.map(({ day }) => day)}::date[], ${open.map((each) => each.campaign_id)}::bigint[]) as d
    on conflict (company_id, campaign_message_id, day) do nothing`)
}

interface OpenDay {
  company_id: number
  campaign_message_id: number
  day: string
  campaign_id: number
  cursor: number
  channel: 'sms' | 'email'
  time: string
  purpose: string
  rules_version: string | null
}

/** Answers how many contacts were looked at. */
function writeNextChunk(pool: Pool, now: Date, oldest: Date): Promise<number> {
  return pool.transaction(async (db) => {
    const open = await db.maybe<OpenDay>(sql`
      select d.*, m.channel, m.time, p.purpose, co.rules_version from campaign_message_days d
      join companies co on co.id = d.company_id
      join campaign_messages m on m.company_id = d.company_id and m.id = d.campaign_message_id
      join campaigns p on p.company_id = d.company_id and p.id = d.campaign_id
      where d.cursor is not null and p.status = 'active' and p.plan_cursor is null
      order by d.cursor limit 1 for update of d skip locked`)
    if (!open) return 0
    const { company_id, campaign_id, campaign_message_id, channel, purpose, day } = open
    const contacts = await db.many<Whereabouts & { client_id: number; case_id: number }>(sql`
      select cc.client_id, cc.case_id, c.timezone, c.state, c.postal_code, c.mobile_e164
      from campaign_contacts cc
      join clients c on c.company_id = cc.company_id and c.id = cc.client_id and c.deleted_at is null
      where cc.company_id = ${company_id} and cc.campaign_id = ${campaign_id} and cc.client_id > ${open.cursor}
      order by cc.client_id limit ${CHUNK}`)
    const rules = (await ruleBooks(db, [open]))(open)
    const due = contacts.flatMap((contact) => {
      const { zones, jurisdictions } = candidateZones(contact)
      const at = messageDueAt({ date: day, time: open.time, zones, jurisdictions, channel, purpose, rules })
      return at && at >= oldest ? [{ ...contact, at }] : []
    })
    await db.run(sql`
      insert into messages (company_id, channel, status, client_id, case_id, campaign_id, campaign_message_id, occasion,
        subject, body, due_at, origin, created_at)
      select m.company_id, m.channel, 'scheduled', d.client_id, d.case_id, m.campaign_id, m.id, ${`date:${day}`}, m.subject,
        m.message, d.at, 'system', ${now}
      from unnest(${due.map((each) => each.client_id)}::bigint[], ${due.map((each) => each.case_id)}::bigint[],
        ${due.map(({ at }) => at.toISOString())}::timestamptz[]) as d (client_id, case_id, at)
      join campaign_messages m on m.company_id = ${company_id} and m.id = ${campaign_message_id}
      on conflict (company_id, campaign_message_id, client_id, occasion) where campaign_message_id is not null do nothing`)
    const cursor = contacts.length < CHUNK ? null : contacts.at(-1)!.client_id
    await db.run(sql`
      update campaign_message_days set cursor = ${cursor}
      where company_id = ${company_id} and campaign_message_id = ${campaign_message_id} and day = ${day}`)
    return Math.max(1, contacts.length)
  })
}
