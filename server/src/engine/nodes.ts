import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import sql from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import type { Engine } from './job.ts'

/** A node that has not been heard of for so long is dead: its calls, messages and jobs are taken over. */
export const DEAD_AFTER_SECONDS = 15
export const HEARTBEAT_MS = 3000

/** Names one running process; a restarted one gets a new name, so that the old one's work is known to be orphaned. */
export const newNodeId = (): string => `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(4).toString('hex')}`

/** Heartbeats follow the database's clock, the only one that all nodes share. */
export async function upsertNode(db: Database, id: string, role: string): Promise<void> {
  await db.run(sql`
    insert into engine_nodes (id, role, started_at, heartbeat_at) values (${id}, ${role}, now(), now())
    on conflict (id) do update set heartbeat_at = now()`)
}

export async function addWorkerId(db: Database, id: string, workerId: string): Promise<void> {
  await db.run(sql`update engine_nodes set worker_ids = array_append(worker_ids, ${workerId}) where id = ${id}`)
}

/** Names that hold a job for longer than any shift lasts and belong to no node on the list. */
async function selectOrphanedWorkers(db: Database): Promise<string[]> {
  const rows = await db.many<{ locked_by: string }>(sql`
    select distinct locked_by from graphile_worker.jobs j
    where locked_at < now() - make_interval(secs => ${DEAD_AFTER_SECONDS})
      and not exists (select from engine_nodes n where j.locked_by = any(n.worker_ids))`)
  return rows.map((row) => row.locked_by)
}

export async function deleteNode(db: Database, id: string): Promise<void> {
  await db.run(sql`delete from engine_nodes where id = ${id}`)
}

/**
 * Unlocks what this process holds and does not work: a connection broke between the database's giving a job out and the
 * answer. Graphile Worker would keep it locked for four hours.
 */
export async function unlockForgotten(
  { pool, nodeId }: Pick<Engine, 'pool' | 'nodeId'>,
  working: string[],
): Promise<void> {
  await pool.run(sql`
    with forgotten as (
      update graphile_worker._private_jobs j set locked_at = null, locked_by = null
      from engine_nodes n
      where n.id = ${nodeId} and j.locked_by = any(n.worker_ids) and j.id <> all(${working}::bigint[])
        and j.locked_at < now() - make_interval(secs => ${DEAD_AFTER_SECONDS})
      returning j.job_queue_id
    )
    update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
    from forgotten f where q.id = f.job_queue_id`)
}

/**
 * Takes dead nodes off the list and unlocks their jobs; with `alone`, every node but this one is dead. Calls and
 * messages whose node is not on the list are taken over by jobs of their own.
 */
export async function buryDeadNodes({ pool, nodeId, log }: Engine, alone: boolean): Promise<void> {
  const dead = await pool.many<{ id: string; worker_ids: string[] }>(sql`
    delete from engine_nodes
    where id <> ${nodeId} and (${alone} or heartbeat_at < now() - make_interval(secs => ${DEAD_AFTER_SECONDS}))
    returning id, worker_ids`)
  if (dead.length > 0) log.warn({ nodes: dead.map(({ id }) => id) }, 'taking over from dead processes')
  const workers = [...dead.flatMap((node) => node.worker_ids), ...(await selectOrphanedWorkers(pool))]
  if (workers.length > 0) await pool.run(sql`select graphile_worker.force_unlock_workers(${workers}::text[])`)
}
