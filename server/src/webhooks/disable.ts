import sql from 'sql-template-tag'
import { ENGINE } from '../core/actors.ts'
import type { Pool } from '../core/db.ts'
import type { Scope } from '../core/operation.ts'
import type { WebhookRef } from './deliveries.ts'
import { selectWebhook } from './queries.ts'
import { recordChanges } from './record-changes.ts'

/** Switches webhooks off that can't go on; the company's other webhooks hear of it. */
export async function disableWebhooks(pool: Pool, webhooks: (WebhookRef & { reason: string })[]): Promise<void> {
  for (const { company_id: companyId, webhook_id: id, reason } of webhooks) {
    await pool.transaction(async (db) => {
      const scope = { db, companyId }
      const changed = await db.run(sql`
        update webhooks set enabled = false, updated_at = now() where company_id = ${companyId} and id = ${id} and enabled`)
      if (changed === 0) return
      await cancelDeliveries(scope, id)
      const data = { ...(await selectWebhook(scope, id)), reason }
      const changes = { enabled: { from: true, to: false }, reason: { from: null, to: reason } }
      const change = { activity: 'webhook_disabled', record_type: 'webhook', record_id: id, changes, data }
      await db.run(recordChanges({ companyId, ...ENGINE }, [change]))
    })
  }
}

/** What waited for a webhook that is switched off; it can be replayed. */
export async function cancelDeliveries({ db, companyId }: Scope, webhookId: number): Promise<void> {
  await db.run(sql`
    update webhook_deliveries set state = 'cancelled'
    where company_id = ${companyId} and webhook_id = ${webhookId} and state = 'pending' and triggered_by = 'event'`)
}
