import sql from 'sql-template-tag'
import { optOutAddresses } from '../compliance/opt-out.ts'
import { ENGINE } from '../core/actors.ts'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'
import type { RefusalReason } from '../providers/message.ts'
import { recordEngineChanges } from '../webhooks/record-changes.ts'
import { skipPending } from './pending.ts'

/** A phone that can't be reached may be switched off; a mailbox may be full. An address that is none stays none. */
const UNREACHABLE_FOR_MS = 7 * 24 * 3_600_000

export interface Failure {
  company_id: number
  id: number
  channel: 'sms' | 'email'
  address: string
  reason: RefusalReason | null
  error: string | null
}

/** What the failures of messages say of their addresses: opted out at the carrier, or not to be reached. */
export async function noteFailures(db: Database, failures: Failure[], now: Date): Promise<void> {
  await noteOptOuts(
    db,
    failures.filter(({ reason }) => reason === 'opted_out'),
  )
  const unreached = failures.filter(({ reason }) => reason === 'unreachable' || reason === 'invalid_address')
  if (unreached.length === 0) return
  const rows = unreached.map((each) => ({
    ...each,
    until: each.reason === 'unreachable' ? new Date(now.getTime() + UNREACHABLE_FOR_MS) : null,
  }))
  await db.run(sql`
    insert into undeliverable (company_id, channel, address, reason, error, until, noted_at)
    select distinct on (company_id, channel, address) company_id, channel, address, reason, error, until, ${now}::timestamptz
    from ${entryRows(rows, {
      company_id: 'bigint',
      channel: 'text',
      address: 'text',
      reason: 'text',
      error: 'text',
      until: 'timestamptz',
    })} as r
    order by company_id, channel, address
    on conflict (company_id, channel, address) do update set
      reason = excluded.reason, error = excluded.error, until = excluded.until, noted_at = excluded.noted_at`)
}

async function noteOptOuts(db: Database, failures: Failure[]): Promise<void> {
  for (const [companyId, ofCompany] of Map.groupBy(failures, ({ company_id }) => company_id)) {
    const addresses = ofCompany.map(({ channel, id, address, error }) => ({
      channel,
      purpose: 'all',
      address,
      source: 'carrier' as const,
      evidence: { message_id: id, error },
    }))
    const { changes } = await optOutAddresses({ db, companyId, actor: ENGINE.actor }, addresses, ENGINE.channel)
    await recordEngineChanges(
      db,
      changes.map((change) => ({ ...change, company_id: companyId })),
    )
    await skipPending({ db, companyId }, addresses, 'the contact has opted out at the carrier')
  }
}

/** Something has arrived there, or came from there. */
export async function forgetFailures(
  db: Database,
  reached: { company_id: number; channel: 'sms' | 'email'; address: string }[],
): Promise<void> {
  if (reached.length === 0) return
  await db.run(sql`
    delete from undeliverable u
    using ${entryRows(reached, { company_id: 'bigint', channel: 'text', address: 'text' })} as r
    where u.company_id = r.company_id and u.channel = r.channel and u.address = r.address`)
}
