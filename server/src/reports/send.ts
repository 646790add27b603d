import sql from 'sql-template-tag'
import type { Engine, Job } from '../engine/job.ts'
import { retryDelay } from '../messages/put-off.ts'
import { MessagePutOff, MessageRefused } from '../providers/message.ts'
import { type DueReport, MOST_ROWS, selectReportCalls, toCsv } from './content.ts'
import { nextDue } from './due.ts'
import { rangeOf } from './range.ts'

export const sendReports: Job = {
  name: 'send reports',
  summary: 'Sends scheduled reports of campaigns to their recipients and records each run',
  idleMs: 500,
  async pass(engine) {
    await openRuns(engine)
    const report = await nextRun(engine)
    if (!report) return 'idle'
    await run(engine, report)
    return 'again'
  },
}

/** A run is written before it is worked on. What a service that stood still has missed is delivered once. */
async function openRuns({ pool, clock }: Engine): Promise<void> {
  const now = clock.now()
  await pool.transaction(async (db) => {
    const due = await db.many<Parameters<typeof nextDue>[0] & { company_id: number; id: number; last: boolean }>(sql`
      select s.*, p.status = 'completed' as last from report_schedules s
      join campaigns p on p.company_id = s.company_id and p.id = s.campaign_id
      where s.due_at <= ${now} order by s.due_at limit 100 for update of s skip locked`)
    for (const schedule of due) {
      const { company_id, id } = schedule
      await db.run(sql`
        insert into report_runs (company_id, report_schedule_id, due_at, status)
        select company_id, id, due_at, 'running' from report_schedules where company_id = ${company_id} and id = ${id}
        on conflict (company_id, report_schedule_id, due_at) do nothing`)
      // A campaign that is over is reported on once more.
      const next = schedule.last ? null : nextDue(schedule, now)
      await db.run(sql`update report_schedules set due_at = ${next} where company_id = ${company_id} and id = ${id}`)
    }
  })
}

/** The oldest run that is not finished: a new one, one that was put off, or one that a dead process left. */
function nextRun({ pool, clock }: Engine): Promise<DueReport | undefined> {
  return pool.maybe<DueReport>(sql`
    select r.company_id, r.id as run_id, r.due_at, r.outcomes, r.put_off, s.id, s.campaign_id, s.name, s.run_client_ids, s.date_range, s.recipients, s.filters,
      p.name as campaign_name, co.name as company_name
    from report_runs r
    join report_schedules s on s.company_id = r.company_id and s.id = r.report_schedule_id
    join campaigns p on p.company_id = s.company_id and p.id = s.campaign_id
    join companies co on co.id = s.company_id
    where r.status = 'running' and coalesce(r.retry_at <= ${clock.now()}, true) order by r.due_at limit 1`)
}

async function run(engine: Engine, report: DueReport): Promise<void> {
  const { company_id, run_id } = report
  const finish = (status: 'sent' | 'failed', rows: number | null, error: string | null) =>
    engine.pool.run(sql`
      update report_runs set status = ${status}, row_count = ${rows}, error = ${error}, finished_at = ${engine.clock.now()}
      where company_id = ${company_id} and id = ${run_id}`)
  try {
    const range = rangeOf(report.date_range, report.due_at)
    const calls = await selectReportCalls(engine.pool, report, range)
    const text = summary(report, calls.total, calls.rows.length, calls.byResult, range)
    const { outcomes, later } = await sendAll(engine, report, text, toCsv(calls.rows))
    if (later !== null) return await putOff(engine, report, later)
    const refused = Object.entries(outcomes).flatMap(([to, error]) => (error === null ? [] : [`${to}: ${error}`]))
    await finish(
      refused.length < report.recipients.length ? 'sent' : 'failed',
      calls.rows.length,
      refused.join('; ') || null,
    )
  } catch (error) {
    engine.log.error({ err: error, report_run: run_id }, 'a report could not be sent')
    await finish('failed', null, (error as Error).message)
  }
}

/** Why a recipient got none; null: it was sent. */
type Outcomes = Record<string, string | null>

/**
 * Sends to whom it has not been sent. A run that is worked on twice sends nothing twice: a sandbox knows the keys, and to
 * any other provider each recipient is noted before. `later`: after how many seconds the others are tried again.
 */
async function sendAll(
  engine: Engine,
  report: DueReport,
  text: string,
  csv: string,
): Promise<{ outcomes: Outcomes; later: number | null }> {
  const { email } = engine.providers
  const { company_id, run_id, company_name, name, campaign_name, due_at, put_off } = report
  const outcomes = { ...report.outcomes }
  let later: number | null = null
  const filename = `${name.replace(/[^\w-]+/g, '-')}-${due_at.toISOString().slice(0, 10)}.csv`
  for (const to of report.recipients.filter((to) => !(to in outcomes))) {
    const note = async (error: string | null) => {
      outcomes[to] = error
      await noteOutcome(engine, report, to, error)
    }
    if (!email.idempotent && !(await noteAttempt(engine, report, to))) {
      await note('it is not known whether it was sent before the service ended')
      continue
    }
    try {
      await email.send({
        company_id,
        key: `report:${run_id}:${to}`,
        to,
        from_name: company_name,
        subject: `${name}: ${campaign_name}`,
        text,
        attachments: [{ filename, content_type: 'text/csv; charset=utf-8', content: csv }],
      })
      await note(null)
    } catch (error) {
      const { message } = error as Error
      if (error instanceof MessagePutOff) {
        const seconds = retryDelay(put_off, error.seconds)
        if (seconds === null) await note(`given up after a day: ${message}`)
        else {
          await forgetAttempt(engine, report, to)
          later = Math.max(later ?? 0, seconds)
        }
      } else if (!(error instanceof MessageRefused) && email.idempotent) throw error
      else await note(message)
    }
  }
  return { outcomes, later }
}

const ofRun = ({ company_id, run_id }: DueReport) => sql`company_id = ${company_id} and id = ${run_id}`

async function putOff({ pool, clock }: Engine, report: DueReport, seconds: number): Promise<void> {
  const at = new Date(clock.now().getTime() + seconds * 1000)
  await pool.run(sql`update report_runs set put_off = put_off + 1, retry_at = ${at} where ${ofRun(report)}`)
}

async function noteOutcome({ pool }: Engine, report: DueReport, to: string, error: string | null): Promise<void> {
  await pool.run(sql`
    update report_runs set outcomes = outcomes || jsonb_build_object(${to}::text, ${error}::text) where ${ofRun(report)}`)
}

/** Nothing was sent. */
async function forgetAttempt({ pool }: Engine, report: DueReport, to: string): Promise<void> {
  await pool.run(sql`update report_runs set attempted = array_remove(attempted, ${to}) where ${ofRun(report)}`)
}

/** False where it was noted before. */
async function noteAttempt({ pool }: Engine, report: DueReport, to: string): Promise<boolean> {
  const noted = await pool.run(sql`
    update report_runs set attempted = array_append(attempted, ${to})
    where ${ofRun(report)} and ${to} <> all(attempted)`)
  return noted > 0
}

function summary(
  report: DueReport,
  total: number,
  shown: number,
  byResult: Record<string, number>,
  range: { from: Date | null; to: Date },
): string {
  const day = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const lines = Object.entries(byResult).map(([result, calls]) => `  ${result}: ${calls}`)
  return [
    `Campaign: ${report.campaign_name}`,
    `Calls that ended ${range.from ? `from ${day(range.from)} ` : ''}until ${day(range.to)}: ${total}`,
    ...lines,
    ...(shown < total ? [`The attached file holds the newest ${MOST_ROWS} of them.`] : []),
  ].join('\n')
}
