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
  await db.run(sql`
    update campaign_contacts cc set state = 'settled', due_at = null, requested_at = null, callback_at = null,
      settled_reason = ${REASON.rule}, last_decision = ${last}::jsonb
    from (
      select w.campaign_id, w.client_id from clients c
      join campaign_contacts w on w.company_id = c.company_id and w.client_id = c.id and w.state = 'due'
        and (w.due_at is not null or w.requested_at is not null)
      where c.company_id = ${companyId} and c.mobile_e164 = any(${numbers})
      for update of w skip locked
    ) waiting
    where cc.company_id = ${companyId} and cc.campaign_id = waiting.campaign_id and cc.client_id = waiting.client_id`)
}
