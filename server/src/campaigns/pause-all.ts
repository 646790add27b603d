import sql from 'sql-template-tag'
import { ENGINE } from '../core/actors.ts'
import type { Change } from '../core/change.ts'
import type { Clock } from '../core/clock.ts'
import type { Database } from '../core/db.ts'
import { recordChanges } from '../webhooks/record-changes.ts'
import { updateCampaignStatus } from './status.ts'

interface Pause {
  companyId: number
  ids: number[]
  reason: string
  clock: Clock
}

/** Pauses by ourselves, with events and audit entries. Answers the campaigns that were running, or about to. */
export async function pauseByEngine(db: Database, { companyId, ids, reason, clock }: Pause): Promise<number[]> {
  const changes: Change[] = []
  const record = (...more: Change[]) => void changes.push(...more)
  const paused = await updateCampaignStatus(
    { db, companyId, clock, record, channel: ENGINE.channel },
    ids,
    'paused',
    reason,
  )
  if (changes.length > 0) await db.run(recordChanges({ companyId, ...ENGINE }, changes))
  return paused
}

/** Every campaign of every company; answers how many there were. */
export async function pauseAll(db: Database, reason: string, clock: Clock): Promise<number> {
  const companies = await db.many<{ company_id: number; ids: number[] }>(sql`
    select company_id, array_agg(id order by id) as ids from campaigns
    where status in ('scheduled', 'active') and deleted_at is null
    group by company_id order by company_id`)
  let count = 0
  for (const { company_id: companyId, ids } of companies)
    count += (await pauseByEngine(db, { companyId, ids, reason, clock })).length
  return count
}
