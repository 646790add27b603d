import sql from 'sql-template-tag'
import { dateOf, localDay } from '../compliance/local-time.ts'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'
import { insertCallTasks } from '../tasks/call-tasks.ts'
import { spokenAppointment } from '../voice-agents/appointment.ts'

export interface EndedCall {
  company_id: number
  call_id: number
  summary: string | null
  /** Whoever wants to be left alone gets no mail, whatever they agreed to before. */
  opted_out: boolean
}

interface Row extends EndedCall {
  id: number
  case_id: number
  client_id: number
  name: string
  starts_at: Date
  minutes: number
  timezone: string
  mail_promised: boolean
}

/**
 * What follows from an appointment once its call is over, in the transaction that settles it: a task on the case, and the
 * e-mail that was promised. It was agreed on even if the rest of the conversation was lost.
 */
export async function followUpAppointments(db: Database, calls: EndedCall[], now: Date): Promise<void> {
  if (calls.length === 0) return
  const rows = await db.many<Row>(sql`
    select e.company_id, e.call_id, e.summary, e.opted_out, a.id, a.case_id, a.client_id,
      c.first_name || ' ' || c.last_name as name, a.starts_at, a.minutes, a.timezone, a.mail_promised
    from ${entryRows(calls, { company_id: 'bigint', call_id: 'bigint', summary: 'text', opted_out: 'boolean' })} as e
    join appointments a on a.company_id = e.company_id and a.call_id = e.call_id
    join clients c on c.company_id = a.company_id and c.id = a.client_id
    order by a.company_id, a.id`)
  await insertCallTasks(
    db,
    rows.map(({ id, name, starts_at, timezone, call_id, summary, ...row }) => ({
      ...row,
      appointment_id: id,
      title: `Appointment with ${name}: ${spokenAppointment(starts_at, timezone)} (${timezone}).`,
      body: [`From call ${call_id}.`, mailNote(row), summary].filter(Boolean).join(' '),
      due_on: dateOf(localDay(timezone, starts_at.getTime())),
    })),
  )
  const mails = rows.filter(({ mail_promised, opted_out }) => mail_promised && !opted_out)
  await db.run(sql`
    insert into messages (company_id, channel, status, client_id, case_id, appointment_id, subject, body, due_at, origin, created_at)
    select m.company_id, 'email', 'scheduled', m.client_id, m.case_id, m.id, m.subject, m.body, ${now}, 'system', ${now}
    from ${entryRows(
      mails.map((row) => ({ ...row, ...invitation(row) })),
      {
        company_id: 'bigint',
        client_id: 'bigint',
        case_id: 'bigint',
        id: 'bigint',
        subject: 'text',
        body: 'text',
      },
    )} as m
    on conflict (company_id, appointment_id) where appointment_id is not null do nothing`)
}

function mailNote({ mail_promised, opted_out }: Pick<Row, 'mail_promised' | 'opted_out'>): string {
  if (!mail_promised) return 'Nothing was sent to them: confirm it.'
  return opted_out
    ? 'They asked to be left alone afterwards, so it was not sent to them.'
    : 'It is sent to them by e-mail, for their calendar.'
}

/** A template, as all automatic messages are. No more of the matter than the firm's name: mailboxes are read by others. */
function invitation({ starts_at, minutes, timezone }: Row): { subject: string; body: string } {
  return {
    subject: 'Your appointment with {{company_name}}',
    body: [
      'Dear {{first_name}},',
      `this is your appointment with {{company_name}}, as agreed on the phone:`,
      `${spokenAppointment(starts_at, timezone)} (${minutes} minutes)`,
      'It is attached for your calendar. If the time does not suit you any more, please answer this e-mail.',
      '{{company_name}}',
    ].join('\n\n'),
  }
}
