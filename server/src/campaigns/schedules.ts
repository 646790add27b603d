import sql from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import type { ScheduleRow } from './schedule.ts'

/** The times of the given campaigns, by campaign id. */
export async function selectSchedules(
  db: Database,
  campaigns: { company_id: number; id: number }[],
): Promise<Map<number, ScheduleRow>> {
  const rows = await db.many<ScheduleRow & { id: number }>(sql`
    select p.id, p.use_company_hours, p.business_hours, (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', r.id, 'start_date', r.start_date, 'end_date', r.end_date, 'start_time', r.start_time, 'end_time', r.end_time,
        'messaging_only', r.messaging_only, 'selected_days', r.selected_days) order by r.position), '[]')
      from campaign_runs r where r.company_id = p.company_id and r.campaign_id = p.id
    ) as runs
    from unnest(${campaigns.map((campaign) => campaign.company_id)}::bigint[], ${campaigns.map(({ id }) => id)}::bigint[]) as w (company_id, id)
    join campaigns p on p.company_id = w.company_id and p.id = w.id`)
  return new Map(rows.map(({ id, ...schedule }) => [id, schedule]))
}
