import sql from 'sql-template-tag'
import { type Columns, columnList, entryRows } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import type { NewCampaign, NewRun } from './normal-form.ts'
import type { Missing } from './rules.ts'
import type { Campaign, ReportSchedule, Slot } from './schema.ts'
import { type Counters, statsOf } from './stats.ts'

export type CampaignStatus = 'draft' | 'scheduled' | 'active' | 'paused' | 'completed'

/** What the tools and the events say of a campaign beyond the list record. */
interface Beyond {
  status: CampaignStatus
  pause_reason: string | null
  case_list_name: string
  is_obo: boolean
  never_ending: boolean
  run_count: number
}

export type CampaignRecord = Campaign & Beyond

type Row = Omit<Campaign, 'stats'> & Counters

const listed = sql`c.id, c.name, c.agent_id, c.case_list_id, c.origin, c.update_origin,
  s.total_calls, s.success_calls, s.failed_calls, s.sentiment_sum, s.sentiment_count, s.called_clients, s.converted_clients`

const withStats = sql`campaigns c join campaign_stats s on s.company_id = c.company_id and s.campaign_id = c.id`

function toCampaign(row: Row): Campaign {
  const { id, name, agent_id, case_list_id, origin, update_origin } = row
  return { id, name, agent_id, case_list_id, origin, update_origin, stats: statsOf(row) }
}

/** Every campaign whose name contains `key` (in any case), newest first. */
export async function selectCampaigns({ db, companyId }: Scope, key?: string): Promise<Campaign[]> {
  const named = key ? sql`and position(lower(${key}) in lower(c.name)) > 0` : sql``
  const rows = await db.many<Row>(sql`
    select ${listed} from ${withStats}
    where c.company_id = ${companyId} and c.deleted_at is null ${named}
    order by c.id desc`)
  return rows.map(toCampaign)
}

/** The given campaigns as their events show them. */
export async function selectCampaignEvents({ db, companyId }: Scope, ids: number[]): Promise<Map<number, object>> {
  const rows = await db.many<Row & Pick<Beyond, 'status'>>(sql`
    select ${listed}, c.status from ${withStats} where c.company_id = ${companyId} and c.id = any(${ids})`)
  return new Map(rows.map((row) => [row.id, { ...toCampaign(row), status: row.status }]))
}

export async function selectCampaign({ db, companyId }: Scope, id: number): Promise<CampaignRecord> {
  const row = await db.maybe<Row & Beyond>(sql`
    select ${listed}, c.status, c.pause_reason, l.name as case_list_name, c.is_obo, c.never_ending,
      (select count(*) from campaign_runs r where r.company_id = c.company_id and r.campaign_id = c.id)::int as run_count
    from ${withStats}
    join case_lists l on l.company_id = c.company_id and l.id = c.case_list_id
    where c.company_id = ${companyId} and c.id = ${id} and c.deleted_at is null`)
  if (!row) return notFound('campaign', id)
  const { status, pause_reason, case_list_name, is_obo, never_ending, run_count } = row
  return { ...toCampaign(row), status, pause_reason, case_list_name, is_obo, never_ending, run_count }
}

export function selectSettings({ db, companyId }: Scope) {
  return db.one<{ is_enabled: boolean; concurrency_rate: number; business_hours: Slot[] | null }>(sql`
    select campaigns_enabled as is_enabled, concurrency_rate, business_hours from companies where id = ${companyId}`)
}

export interface Named {
  case_list_id: number
  agent_id: string | null
  form_id: number | null
  case_type_ids: number[]
}

/**
 * Holds the agent until the end of the transaction: an agent that is being deleted is then seen as deleted, or its
 * deletion sees the campaign and pauses it.
 */
export async function selectMissing({ db, companyId }: Scope, named: Named): Promise<Missing> {
  if (named.agent_id)
    await db.run(sql`select from agents where company_id = ${companyId} and id = ${named.agent_id} for share`)
  const found = await db.one<{ agent: boolean; case_list: boolean; form: boolean; case_types: number[] }>(sql`
    select
      exists (select from agents where company_id = ${companyId} and id = ${named.agent_id} and deleted_at is null) as agent,
      exists (select from case_lists where company_id = ${companyId} and id = ${named.case_list_id} and deleted_at is null) as case_list,
      exists (select from forms where company_id = ${companyId} and id = ${named.form_id}) as form,
      array(select id from case_types where company_id = ${companyId} and id = any(${named.case_type_ids}::bigint[])) as case_types`)
  return {
    agent: named.agent_id !== null && !found.agent,
    caseList: !found.case_list,
    form: named.form_id !== null && !found.form,
    caseTypes: new Set(named.case_type_ids.filter((id) => !found.case_types.includes(id))),
  }
}

const columns: Columns = {
  name: 'text',
  agent_id: 'text',
  case_list_id: 'bigint',
  form_id: 'bigint',
  purpose: 'text',
  is_obo: 'boolean',
  calls_scheduled_externally: 'boolean',
  never_ending: 'boolean',
  concurrency_limit: 'integer',
  self_healing_disabled: 'boolean',
  use_company_hours: 'boolean',
  business_hours: 'jsonb',
  callback_delays: 'jsonb',
  status: 'text',
  started_at: 'timestamptz',
  origin: 'text',
}

const runColumns: Columns = {
  client_run_id: 'text',
  start_date: 'date',
  end_date: 'date',
  start_time: 'text',
  end_time: 'text',
  messaging_only: 'boolean',
  selected_days: 'jsonb',
}

const messageColumns: Columns = {
  channel: 'text',
  trigger: 'text',
  date: 'date',
  time: 'text',
  delay_minutes: 'integer',
  subject: 'text',
  message: 'text',
}

type CampaignRow = Omit<NewCampaign, 'runs' | 'report_schedule'> & {
  status: CampaignStatus
  started_at: Date | null
  origin: string
}

/** The campaign with its counters at zero; the planner's cursor stands at the beginning of the list. */
export async function insertCampaignRow({ db, companyId }: Scope, row: CampaignRow): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`
    with campaign as (
      insert into campaigns (company_id, ${columnList(columns)})
      select ${companyId}, ${columnList(columns, 'e')} from ${entryRows([row], columns)} as e
      returning id
    ), counters as (
      insert into campaign_stats (company_id, campaign_id) select ${companyId}, id from campaign
    )
    select id from campaign`)
  return id
}

export async function insertRuns({ db, companyId }: Scope, campaignId: number, runs: NewRun[]): Promise<void> {
  await db.run(sql`
    insert into campaign_runs (company_id, campaign_id, position, ${columnList(runColumns)})
    select ${companyId}, ${campaignId}, e.ordinality, ${columnList(runColumns, 'e')} from ${entryRows(runs, runColumns)} as e
    order by e.ordinality`)
  const messages = runs.flatMap(({ messages }, index) =>
    messages.map((message) => ({ ...message, run_position: index + 1 })),
  )
  if (messages.length === 0) return
  await db.run(sql`
    insert into campaign_messages (company_id, campaign_id, run_id, position, ${columnList(messageColumns)})
    select ${companyId}, ${campaignId}, r.id, e.ordinality, ${columnList(messageColumns, 'e')}
    from ${entryRows(messages, { ...messageColumns, run_position: 'integer' })} as e
    join campaign_runs r on r.company_id = ${companyId} and r.campaign_id = ${campaignId} and r.position = e.run_position
    order by e.ordinality`)
}

export async function insertReportSchedule(
  { db, companyId }: Scope,
  campaignId: number,
  report: ReportSchedule,
  dueAt: Date,
): Promise<void> {
  const { name, frequency, weekday, day_of_month, time, recipients, format, date_range, filters } = report
  await db.run(sql`
    insert into report_schedules (company_id, campaign_id, name, run_client_ids, frequency, weekday, day_of_month, time,
      recipients, format, date_range, filters, due_at)
    values (${companyId}, ${campaignId}, ${name}, ${report.run_client_ids ?? []}, ${frequency}, ${weekday}, ${day_of_month},
      ${time}, ${recipients}, ${format ?? 'csv'}, ${date_range ?? 'cumulative'}, ${filters && JSON.stringify(filters)}, ${dueAt})`)
}
