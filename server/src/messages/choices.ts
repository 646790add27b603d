import sql from 'sql-template-tag'
import { stopCalls } from '../campaigns/stop-calls.ts'
import { type Address, consentAddresses, optOutAddresses } from '../compliance/opt-out.ts'
import { permissionOf } from '../compliance/permissions.ts'
import { CONTACT } from '../core/actors.ts'
import type { Change } from '../core/change.ts'
import type { Database } from '../core/db.ts'
import { recordChanges } from '../webhooks/record-changes.ts'
import { skipPending } from './pending.ts'

/** What contacts choose by themselves, by a text or a link. To be called in the transaction in which it was heard. */

export interface Firm {
  company_id: number
  company_name: string
}

export type Choice = Omit<Address, 'purpose'>

/** From the commit on nobody reaches out to the addresses, by any process. Answers how many were not suppressed before. */
export async function optOut(db: Database, companyId: number, choices: Choice[], why: string): Promise<number> {
  const addresses = choices.map((each) => ({ ...each, purpose: 'all' }))
  const { added, changes } = await optOutAddresses({ db, companyId, actor: CONTACT.actor }, addresses, CONTACT.channel)
  await skipPending({ db, companyId }, addresses, why)
  const calls = addresses.filter(({ channel }) => channel === 'call' || channel === 'all')
  await stopCalls(
    { db, companyId },
    calls.map(({ address }) => address),
  )
  await record(db, companyId, changes)
  return added
}

/** To everything but marketing: that needs the words to which somebody agreed. */
export async function optIn(db: Database, companyId: number, choices: Choice[]): Promise<void> {
  const addresses = choices.map((each) => ({ ...each, purpose: 'informational' }))
  const { changes } = await consentAddresses({ db, companyId, actor: CONTACT.actor }, addresses, CONTACT.channel)
  await record(db, companyId, changes)
}

async function record(db: Database, companyId: number, changes: Change[]): Promise<void> {
  if (changes.length > 0) await db.run(recordChanges({ companyId, ...CONTACT }, changes))
}

/** Whether somebody of the firm's contacts has opted out of the channel at the address. */
export async function isOptedOut(
  db: Database,
  companyId: number,
  channel: 'call' | 'sms' | 'email',
  address: string,
): Promise<boolean> {
  const permission = permissionOf({
    channel: sql`${channel}::text`,
    address: sql`${address}::text`,
    purpose: sql`'case_update'`,
  })
  const row = await db.one<{ opted_out: boolean }>(sql`
    select coalesce(bool_or(suppressed or flag), false) as opted_out from (
      select ${permission.columns},
        case ${channel} when 'call' then c.voice_calls_opted_out when 'sms' then c.sms_opted_out else c.email_opted_out end as flag
      from clients c
      join companies co on co.id = c.company_id
      ${permission.join}
      where c.company_id = ${companyId} and c.deleted_at is null
        and case ${channel} when 'email' then lower(btrim(c.email)) = lower(btrim(${address})) else c.mobile_e164 = ${address} end
    ) known`)
  return row.opted_out
}
