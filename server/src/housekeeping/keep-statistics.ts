import sql, { raw } from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import type { Job } from '../engine/job.ts'

/**
 * PostgreSQL plans by statistics, which it takes of a table some time after it has grown (embedded within 15 s, elsewhere
 * within a minute). Without them it believes that one in 200 rows is the company's and joins every case with every
 * client: on the first 500 of each, texts for two calls took half a second instead of one millisecond. A firm's first
 * import must not have to wait for that.
 */
export const keepStatistics: Job = {
  name: 'keep statistics',
  summary: 'Has PostgreSQL look at tables that have grown manifold, so that it plans by what is in them',
  idleMs: 500,
  async pass({ pool, signal }) {
    for (const table of await selectGrown(pool)) {
      if (signal.aborted) break
      await pool.run(sql`analyze ${raw(table)}`)
    }
    return 'idle'
  },
}

/** Never looked at, or four times as large as then: a table is looked at a dozen times until it has a billion rows. */
async function selectGrown(db: Database): Promise<string[]> {
  const rows = await db.many<{ name: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind = 'r'
      and pg_relation_size(c.oid) > case when c.reltuples < 0 then 0 else 4 * 8192::bigint * greatest(c.relpages, 1) end`)
  return rows.map(({ name }) => name)
}
