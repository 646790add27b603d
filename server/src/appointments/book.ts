import sql from 'sql-template-tag'
import { type PersonFacts, personReasons } from '../campaigns/gate-reasons.ts'
import { permissionOf } from '../compliance/permissions.ts'
import type { Engine } from '../engine/job.ts'
import type { CallRef } from '../providers/voice.ts'
import { APPOINTMENT_MINUTES } from '../voice-agents/appointment.ts'
import type { Booking } from '../voice-agents/brain.ts'

const LENGTH_MS = APPOINTMENT_MINUTES * 60_000
/** As far as other times of the day may be offered instead. */
const AROUND_MS = 24 * 3_600_000

interface Caller extends PersonFacts {
  client_id: number
  case_id: number
  at_once: number
  undeliverable: boolean
}

/**
 * Takes a time while the contact is on the phone, so that two calls never promise the same one. A firm has so many
 * appointments at a time as it says (one when it says nothing), a case one to come. Skipping its task frees the time.
 *
 * @param zone The clock on which it was agreed.
 */
export function takeTime(engine: Engine, { company_id, call_id }: CallRef, at: Date, zone: string): Promise<Booking> {
  const { pool, clock, providers } = engine
  const now = clock.now()
  const email = permissionOf({ channel: sql`'email'`, address: sql`c.email`, purpose: sql`'appointment'` })
  return pool.transaction(async (db) => {
    // One after the other, or two would both find the time free.
    await db.run(sql`select from companies where id = ${company_id} for no key update`)
    const caller = await db.maybe<Caller>(sql`
      select f.client_id, f.case_id, co.appointments_at_once as at_once, c.timezone, c.state, c.postal_code, c.mobile_e164,
        c.mobile, c.email, c.voice_calls_opted_out, c.sms_opted_out, c.email_opted_out, c.date_of_death::text, c.deleted_at,
        ${email.columns}, u.company_id is not null as undeliverable
      from calls f
      join companies co on co.id = f.company_id
      join clients c on c.company_id = f.company_id and c.id = f.client_id
      ${email.join}
      left join undeliverable u on u.company_id = f.company_id and u.channel = 'email' and u.address = c.email
        and coalesce(u.until > ${now}, true)
      where f.company_id = ${company_id} and f.id = ${call_id} and f.state <> 'ended'`)
    if (!caller) return { outcome: 'failed' }
    const { client_id, case_id, at_once } = caller
    const others = await db.many<{ case_id: number; starts_at: Date }>(sql`
      select a.case_id, a.starts_at from appointments a
      join cases k on k.company_id = a.company_id and k.id = a.case_id and k.deleted_at is null
      left join case_tasks t on t.company_id = a.company_id and t.id = a.case_task_id
      where a.company_id = ${company_id} and a.call_id <> ${call_id} and t.status is distinct from 'skipped' and (
        (a.case_id = ${case_id} and a.starts_at > ${now}) or
        a.starts_at between ${new Date(at.getTime() - AROUND_MS)} and ${new Date(at.getTime() + AROUND_MS)})
      order by a.starts_at`)
    const own = others.find((each) => each.case_id === case_id && each.starts_at > now)
    if (own) return { outcome: 'already', at: own.starts_at }
    const isTaken = (time: Date) =>
      others.filter(({ starts_at }) => Math.abs(starts_at.getTime() - time.getTime()) < LENGTH_MS).length >= at_once
    if (isTaken(at)) return { outcome: 'taken', isTaken }
    // Real people whom the service calls get no mail where it has no mail server.
    const arrives = providers.voice.sandbox || !providers.email.sandbox
    const mail = arrives && !caller.undeliverable && personReasons(caller, 'email', 'appointment').length === 0
    await db.run(sql`
      insert into appointments (company_id, case_id, client_id, call_id, starts_at, minutes, timezone, mail_promised, created_at)
      values (${company_id}, ${case_id}, ${client_id}, ${call_id}, ${at}, ${APPOINTMENT_MINUTES}, ${zone}, ${mail}, ${now})
      on conflict (company_id, call_id) do update set
        starts_at = excluded.starts_at, mail_promised = excluded.mail_promised, created_at = excluded.created_at`)
    return { outcome: 'booked', mail }
  })
}
