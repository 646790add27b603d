import sql from 'sql-template-tag'
import { entryRows } from '../core/columns.ts'
import type { Scope } from '../core/operation.ts'

/**
 * Takes back what is still to be sent to addresses that have just opted out, so that everybody sees at once that it won't
 * be. What is about to leave in another process is stopped by its own last look.
 */
export async function skipPending(
  { db, companyId }: Scope,
  addresses: { channel: string; address: string }[],
  error: string,
): Promise<void> {
  if (addresses.length === 0) return
  for (const [channel, address] of [
    ['sms', sql`c.mobile_e164`],
    ['email', sql`lower(btrim(c.email))`],
  ] as const) {
    const ofChannel = addresses.filter((each) => each.channel === channel || each.channel === 'all')
    if (ofChannel.length === 0) continue
    await db.run(sql`
      update messages m set status = 'skipped', error = ${error}
      from ${entryRows(ofChannel, { address: 'text' })} as a
      join clients c on c.company_id = ${companyId} and ${address} = lower(btrim(a.address))
      where m.company_id = ${companyId} and m.client_id = c.id and m.channel = ${channel} and m.direction = 'outbound'
        and m.status = 'scheduled'`)
  }
}
