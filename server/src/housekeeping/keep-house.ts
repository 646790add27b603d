import sql from 'sql-template-tag'
import { foldCountDeltas } from '../case-lists/membership.ts'
import type { Job } from '../engine/job.ts'

export const keepHouse: Job = {
  name: 'keep house',
  summary: 'Folds the counts of case lists and forgets idempotency keys after a day',
  idleMs: 10_000,
  async pass({ pool }) {
    await foldCountDeltas(pool, 10_000)
    await pool.run(sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`)
    return 'idle'
  },
}
