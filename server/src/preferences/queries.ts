import sql from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import { isOptedOut } from '../messages/choices.ts'
import type { Holder } from './links.ts'

/** What a page says of its holder, and no more: whoever has the link may not be the contact. */
export interface Standing {
  company_name: string
  channels: { channel: 'call' | 'sms' | 'email'; address: string; allowed: boolean }[]
}

/** Channels that the contact can't be reached by are left out; null when the firm is gone. */
export async function selectStanding(db: Database, holder: Holder): Promise<Standing | null> {
  const { company_id, client_id, message_id } = holder
  const row = await db.maybe<{ company_name: string; mobile: string | null; email: string | null }>(sql`
    select co.name as company_name, c.mobile_e164 as mobile, coalesce(m.to_address, c.email) as email
    from companies co
    left join clients c on c.company_id = co.id and c.id = ${client_id} and c.deleted_at is null
    left join messages m on m.company_id = co.id and m.id = ${message_id} and m.client_id = ${client_id} and m.channel = 'email'
    where co.id = ${company_id}`)
  if (!row) return null
  const { company_name, mobile, email } = row
  const known = [
    { channel: 'call' as const, address: mobile },
    { channel: 'sms' as const, address: mobile },
    { channel: 'email' as const, address: email },
  ].flatMap(({ channel, address }) => (address ? [{ channel, address }] : []))
  const channels = await Promise.all(
    known.map(async (each) => ({ ...each, allowed: !(await isOptedOut(db, company_id, each.channel, each.address)) })),
  )
  return { company_name, channels }
}
