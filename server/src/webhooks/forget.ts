import sql from 'sql-template-tag'
import type { Pool } from '../core/db.ts'
import type { Job } from '../engine/job.ts'

const CHUNK = 2000

export const forgetEvents: Job = {
  name: 'forget events',
  summary: 'Deletes events and the log of their deliveries when their time is over',
  idleMs: 60_000,
  async pass({ pool, webhookLogDays }) {
    return (await deleteOldEvents(pool, webhookLogDays)) > 0 ? 'again' : 'idle'
  },
}

/**
 * Ids grow with time: the oldest events of a company stand first in its key, so finding them costs nothing however long
 * the log is, and a company with nothing old is left after one row. In chunks, so that nobody waits for a long
 * transaction. Answers how many events went.
 */
export async function deleteOldEvents(pool: Pool, days: number): Promise<number> {
  return await pool.transaction(async (db) => {
    const chunks = await db.many<{ company_id: number; last: number; count: number }>(sql`
      with waiting as materialized (
        select c.id from companies c where (
          select e.happened_at from events e where e.company_id = c.id order by e.id limit 1
        ) < now() - make_interval(days => ${days})
      )
      select c.id as company_id, max(o.id) as last, count(*)::int as count
      from waiting c
      cross join lateral (
        select e.id, e.happened_at from events e where e.company_id = c.id order by e.id limit ${CHUNK}
      ) as o
      where o.happened_at < now() - make_interval(days => ${days})
      group by c.id`)
    for (const { company_id, last } of chunks) {
      await db.run(sql`delete from webhook_attempts where company_id = ${company_id} and event_id <= ${last}`)
      await db.run(sql`
        delete from webhook_deliveries d using webhooks w
        where w.company_id = ${company_id} and d.company_id = w.company_id and d.webhook_id = w.id and d.event_id <= ${last}`)
      await db.run(sql`delete from events where company_id = ${company_id} and id <= ${last}`)
    }
    return chunks.reduce((sum, { count }) => sum + count, 0)
  })
}
