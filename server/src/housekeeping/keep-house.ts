import sql from 'sql-template-tag'
import { foldCountDeltas } from '../case-lists/counts.ts'
import type { Job } from '../engine/job.ts'

/** Some 50 ms of work, so that nobody waits long for a list that is being folded. */
const FOLDED_AT_ONCE = 10_000

export const keepHouse: Job = {
  name: 'keep house',
  summary:
    'Folds the counts of case lists and forgets idempotency keys after a day and which texts were heard after a month',
  idleMs: 10_000,
  async pass({ pool }) {
    while ((await foldCountDeltas(pool, FOLDED_AT_ONCE)) === FOLDED_AT_ONCE);
    await pool.run(sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`)
    // A carrier tells the same within hours.
    await pool.run(sql`delete from inbound_texts where received_at < now() - interval '30 days'`)
    return 'idle'
  },
}
