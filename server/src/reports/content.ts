import { stringify } from 'csv-stringify/sync'
import sql from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import type { DateRange } from './range.ts'

export interface DueReport {
  company_id: number
  run_id: number
  due_at: Date
  id: number
  campaign_id: number
  name: string
  campaign_name: string
  company_name: string
  /** Empty: the entire campaign. */
  run_client_ids: string[]
  date_range: DateRange
  recipients: string[]
  /** By recipient: null once it was sent, or why it was not. */
  outcomes: Record<string, string | null>
  /** How often the mail server has put it off. */
  put_off: number
  filters: { results?: string[] | null; case_type_ids?: number[] | null } | null
}

/** More than that is no e-mail any more: about 15 MB. */
export const MOST_ROWS = 50_000

const COLUMNS = [
  'call_id',
  'start_time',
  'duration_seconds',
  'result',
  'disconnection_reason',
  'attempt',
  'client_id',
  'client_name',
  'client_phone',
  'case_id',
  'case_number',
  'case_name',
  'sentiment_score',
  'opted_out',
  'is_disqualified',
  'summary',
  'fields',
] as const

type Row = Record<(typeof COLUMNS)[number], unknown>

/** The ended calls that a report is about: how many there are, by result, and the newest of them. */
export async function selectReportCalls(
  db: Database,
  report: DueReport,
  { from, to }: { from: Date | null; to: Date },
) {
  const { company_id, campaign_id, run_client_ids, filters } = report
  const covered = sql`
    from calls f
    join clients c on c.company_id = f.company_id and c.id = f.client_id
    join cases k on k.company_id = f.company_id and k.id = f.case_id
    where f.company_id = ${company_id} and f.campaign_id = ${campaign_id} and f.state = 'ended' and f.ended_at < ${to}
      and (${from}::timestamptz is null or f.ended_at >= ${from})
      and (cardinality(${run_client_ids}::text[]) = 0 or f.run_id in (
        select r.id from campaign_runs r
        where r.company_id = ${company_id} and r.campaign_id = ${campaign_id} and r.client_run_id = any(${run_client_ids}::text[])))
      and (${filters?.results ?? null}::text[] is null or f.result = any(${filters?.results ?? null}::text[]))
      and (${filters?.case_type_ids ?? null}::bigint[] is null or k.type_id = any(${filters?.case_type_ids ?? null}::bigint[]))`
  const results = await db.many<{ result: string; calls: number }>(sql`
    select f.result, count(*)::int as calls ${covered} group by f.result order by calls desc, f.result`)
  const rows = await db.many<Row>(sql`
    select f.id as call_id, f.start_time, f.duration_seconds, f.result, f.disconnection_reason, f.attempt, f.client_id,
      c.first_name || ' ' || c.last_name as client_name, f.to_number as client_phone, f.case_id, k.case_number, k.name as case_name,
      round(f.sentiment_score::numeric, 2) as sentiment_score, f.opted_out, f.is_disqualified, f.summary, f.extracted_fields as fields
    ${covered} order by f.id desc limit ${MOST_ROWS}`)
  return {
    total: results.reduce((sum, { calls }) => sum + calls, 0),
    byResult: Object.fromEntries(results.map(({ result, calls }) => [result, calls])),
    rows: rows.reverse(),
  }
}

/** Names and summaries come from outside: what a spreadsheet would run as a formula is kept as text. */
export function toCsv(rows: Row[]): string {
  return stringify(rows, {
    header: true,
    columns: [...COLUMNS],
    escape_formulas: true,
    bom: true,
    cast: {
      boolean: String,
      date: (at) => at.toISOString(),
      object: (value) => JSON.stringify(value),
    },
  })
}
