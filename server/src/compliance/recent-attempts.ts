import sql, { type Sql } from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import { type Channel, MOST_HOURS } from './rule-schema.ts'

export interface Counted {
  company_id: number
  client_id: number
  /** E.164, or an e-mail address. */
  address: string | null
}

/** More than any rule's `max` that makes sense; bounds the answer where one number stands for thousands of contacts. */
const MOST = 200

/**
 * When each of the contacts, or whoever else has the same number, was reached out to by the channel, in any campaign: in
 * the order of the contacts, newest first. One statement; 0.1 ms for 200 contacts who were hardly called.
 */
export async function selectRecentAttempts(
  db: Database,
  channel: Channel,
  contacts: Counted[],
  now: Date,
  /** Messages that are only being judged. */
  but: number[] = [],
): Promise<Date[][]> {
  if (contacts.length === 0) return []
  const since = new Date(now.getTime() - MOST_HOURS * 3_600_000)
  const rows = await db.many<{ attempts: Date[] }>(sql`
    select array(
      select at from (${channel === 'call' ? calls(since) : messages(channel, since, but)}) a order by at desc limit ${MOST}
    ) as attempts
    from unnest(${contacts.map((each) => each.company_id)}::bigint[], ${contacts.map((each) => each.client_id)}::bigint[],
      ${contacts.map(({ address }) => address)}::text[]) with ordinality as w (company_id, client_id, address, position)
    order by w.position`)
  return rows.map(({ attempts }) => attempts)
}

/** `union` takes the calls to the contact at this number once. */
const calls = (since: Date): Sql => sql`
  select id, created_at as at from calls x
  where x.company_id = w.company_id and x.client_id = w.client_id and x.created_at > ${since}
  union
  select id, created_at from calls x
  where x.company_id = w.company_id and x.to_number = w.address and x.created_at > ${since}`

/** What is on its way counts, and so does what may have gone out without an answer. */
const messages = (channel: Channel, since: Date, but: number[]): Sql => sql`
  select id, sent_at as at from messages x
  where x.company_id = w.company_id and x.client_id = w.client_id and x.channel = ${channel} and x.direction = 'outbound'
    and x.sent_at > ${since}
  union
  select id, due_at from messages x
  where x.company_id = w.company_id and x.client_id = w.client_id and x.channel = ${channel} and x.direction = 'outbound'
    and x.due_at > ${since} and x.id <> all(${but}) and (x.status = 'sending' or (x.status = 'failed' and x.intent is not null))
  union
  select id, due_at from messages x
  where x.company_id = w.company_id and x.status = 'sending' and x.intent ->> 'to' = w.address and x.channel = ${channel}
    and x.id <> all(${but})
  union
  select id, sent_at from messages x
  where x.company_id = w.company_id and x.to_address = w.address and x.channel = ${channel} and x.direction = 'outbound'
    and x.sent_at > ${since}`
