import sql from 'sql-template-tag'
import Type from 'typebox'
import { minutes } from '../calls/minutes.ts'
import { listWarnings, selectLists } from '../compliance/lists.ts'
import type { Static } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { Stats } from './schema.ts'
import { type Counters, percentage, statsOf } from './stats.ts'

const Count = Type.Integer()

export const CampaignStats = Type.Object({
  ...Stats.properties,
  failed_calls_percentage: Type.Number(),
  total_clients: Count,
  called_clients: Count,
  converted_clients: Count,
  disqualified_clients: Count,
  disqualification_rate: Type.Number(),
  total_call_duration: Type.String(),
  average_call_duration: Type.String(),
  clients_waiting: Count,
  clients_in_call: Count,
  clients_settled: Count,
  last_results: Type.Array(Type.Object({ result: Type.String(), clients: Count })),
  not_called: Type.Array(Type.Object({ reason: Type.String(), clients: Count })),
  messages_sent: Count,
  warnings: Type.Array(Type.String()),
})
export type CampaignStats = Static<typeof CampaignStats>

interface Row extends Counters {
  purpose: string
  total_clients: number
  disqualified_clients: number
  total_seconds: number
}

/** The counters, and where the contacts stand now. Not called: contacts without an attempt that wait or are settled, by reason. */
export async function selectCampaignStats(
  { db, companyId, clock }: Context,
  campaignId: number,
): Promise<CampaignStats> {
  const mine = sql`company_id = ${companyId} and campaign_id = ${campaignId}`
  const [row, standing, last_results, not_called, messages, lists] = await Promise.all([
    db.one<Row>(sql`
      select s.*, p.purpose from campaign_stats s
      join campaigns p on p.company_id = s.company_id and p.id = s.campaign_id
      where s.company_id = ${companyId} and s.campaign_id = ${campaignId}`),
    db.one<{ due: number; live: number; settled: number }>(sql`
      select count(*) filter (where state = 'due')::int as due, count(*) filter (where state = 'live')::int as live,
        count(*) filter (where state = 'settled')::int as settled
      from campaign_contacts where ${mine}`),
    db.many<{ result: string; clients: number }>(sql`
      select last_result as result, count(*)::int as clients
      from campaign_contacts where ${mine} and last_result is not null
      group by 1 order by clients desc, result`),
    db.many<{ reason: string; clients: number }>(sql`
      select coalesce(settled_reason, last_decision #>> '{reasons,0,rule}') as reason, count(*)::int as clients
      from campaign_contacts
      where ${mine} and attempts = 0 and coalesce(settled_reason, last_decision #>> '{reasons,0,rule}') is not null
      group by 1 order by clients desc, reason`),
    db.one<{ sent: number }>(sql`
      select count(*)::int as sent from messages
      where company_id = ${companyId} and status in ('sent', 'delivered') and campaign_message_id in (
        select id from campaign_messages where ${mine})`),
    selectLists({ db, companyId }),
  ])
  const { total_calls, failed_calls, total_clients, called_clients, converted_clients, disqualified_clients } = row
  return {
    ...statsOf(row),
    failed_calls_percentage: percentage(failed_calls, total_calls),
    total_clients,
    called_clients,
    converted_clients,
    disqualified_clients,
    disqualification_rate: percentage(disqualified_clients, called_clients),
    total_call_duration: minutes(row.total_seconds),
    average_call_duration: minutes(total_calls === 0 ? 0 : Math.round(row.total_seconds / total_calls)),
    clients_waiting: standing.due,
    clients_in_call: standing.live,
    clients_settled: standing.settled,
    last_results,
    not_called,
    messages_sent: messages.sent,
    warnings: row.purpose === 'marketing' ? listWarnings(lists, clock.now()) : [],
  }
}
