import sql from 'sql-template-tag'
import type { Engine } from '../engine/job.ts'
import type { TransferEvent } from '../providers/voice.ts'
import { recordEngineChanges } from '../webhooks/record-changes.ts'
import { type CallKeys, transferred } from './changes.ts'

/** Other systems hear of a transfer, each step once, however often and in whatever order the carrier tells of it. */
export async function noteTransfer({ pool, log }: Engine, event: TransferEvent): Promise<void> {
  const { company_id, call_id, sequence, status, number } = event
  await pool.transaction(async (db) => {
    const call = await db.maybe<CallKeys>(sql`
      update calls set transfer_steps = coalesce(transfer_steps, '{}') || ${sequence}::integer,
        transfer_bridged = transfer_bridged or ${status === 'bridged'}
      where company_id = ${company_id} and id = ${call_id} and ${sequence}::integer <> all(coalesce(transfer_steps, '{}'))
      returning company_id, id, campaign_id, client_id, case_id`)
    if (call) await recordEngineChanges(db, [transferred(call, status, number)])
  })
  log.info({ call_id, transfer: status }, 'transfer')
}
