import sql, { type Sql } from 'sql-template-tag'
import { memberPredicate } from '../case-lists/membership.ts'
import { permissionOf } from '../compliance/permissions.ts'
import type { PersonFacts, StandingFacts } from './gate-reasons.ts'

/** What the gate is told of a contact in a campaign. */
export interface ContactRow extends PersonFacts, StandingFacts {
  company_id: number
  campaign_id: number
  client_id: number
  case_id: number
  case_type_id: number
  attempts: number
  announced: number
  /** A call to this number is in flight, for whomever, or to this contact: nobody's phone rings twice at once. */
  number_in_call: boolean
  /** Announcements of the next attempt that have not gone out yet, and when the last one did. */
  notice_pending: boolean
  notice_sent_at: Date | null
}

const permission = permissionOf({ channel: sql`'call'`, address: sql`c.mobile_e164`, purpose: sql`p.purpose` })

/** 555-0100 to 555-0199 of an area code are nobody's: whoever tries things out calls the same one again and again. */
const isSomebodys = sql`c.mobile_e164 !~ '^\\+1[0-9]{3}55501[0-9]{2}$'`

/** Of `contacts` (rows of campaign_contacts, aliased `cc`): the columns of a `ContactRow`. */
export const contactFacts = (contacts: Sql): Sql => sql`
  select cc.company_id, cc.campaign_id, cc.client_id, cc.case_id, cc.state as standing, cc.attempts, cc.announced, cc.delays_used,
    cc.requested_at, cc.callback_at, c.mobile, c.mobile_e164, c.email, c.timezone, c.state, c.postal_code,
    c.voice_calls_opted_out, c.sms_opted_out, c.email_opted_out, c.date_of_death, c.deleted_at, ${permission.columns}, k.type_id as case_type_id,
    l.case_id is not null and k.deleted_at is null as is_linked,
    l.case_id is not null and ${memberPredicate('li', 'k')} as is_member,
    exists (
      select from calls f where f.company_id = cc.company_id and f.to_number = c.mobile_e164 and f.state <> 'ended'
    ) or exists (
      select from calls f
      where f.company_id = cc.company_id and f.client_id = cc.client_id and f.campaign_id <> cc.campaign_id and f.state <> 'ended'
    ) as number_in_call, array(
      select o.created_at from (
        (select f.created_at from calls f
          where f.company_id = cc.company_id and f.to_number = c.mobile_e164 and ${isSomebodys}
            and (f.client_id <> cc.client_id or f.campaign_id <> cc.campaign_id)
          order by f.created_at desc limit 5)
        union all
        (select f.created_at from calls f
          where f.company_id = cc.company_id and f.client_id = cc.client_id and f.campaign_id <> cc.campaign_id and ${isSomebodys}
          order by f.id desc limit 5)) o
    ) as recent_others, coalesce(n.pending, false) as notice_pending, n.sent_at as notice_sent_at
  from (${contacts}) cc
  join campaigns p on p.company_id = cc.company_id and p.id = cc.campaign_id
  join case_lists li on li.company_id = p.company_id and li.id = p.case_list_id
  join companies co on co.id = cc.company_id
  join clients c on c.company_id = cc.company_id and c.id = cc.client_id
  ${permission.join}
  join cases k on k.company_id = cc.company_id and k.id = cc.case_id
  left join case_clients l on l.company_id = cc.company_id and l.case_id = cc.case_id and l.client_id = cc.client_id
  left join lateral (
    select bool_or(m.status in ('scheduled', 'sending')) as pending, max(m.sent_at) as sent_at from messages m
    where m.company_id = cc.company_id and m.client_id = cc.client_id and m.campaign_id = cc.campaign_id
      and m.occasion = 'before:' || cc.announced
  ) n on cc.announced = cc.attempts + 1`
