import sql from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'

const REASON = { rule: 'opted_out', message: 'the contact has opted out of calls' }

/**
 * Settles whom campaigns were still to call at numbers that have just opted out, so that everybody sees at once that they
 * won't be. Whom another process has in hand at this moment is left to the gate, which decides by the same opt-out.
 */
export async function stopCalls({ db, companyId }: Scope, numbers: string[]): Promise<void> {
  if (numbers.length === 0) return
  const last = JSON.stringify({ allowed: false, reasons: [REASON] })
  // Materialized, or PostgreSQL may look for them anew for every contact there is: minutes in a table never analysed.
  await db.run(sql`
    with waiting as materialized (
      select w.campaign_id, w.client_id from campaign_contacts w
      where w.company_id = ${companyId} and w.state = 'due' and (w.due_at is not null or w.requested_at is not null)
        and w.client_id = any(array(
          select c.id from clients c
          where c.company_id = ${companyId} and c.mobile_e164 = any(${numbers}) and c.deleted_at is null))
      for update skip locked
    )
    update campaign_contacts cc set state = 'settled', due_at = null, requested_at = null, callback_at = null,
      settled_reason = ${REASON.rule}, last_decision = ${last}::jsonb
    from waiting
    where cc.company_id = ${companyId} and cc.campaign_id = waiting.campaign_id and cc.client_id = waiting.client_id`)
}
