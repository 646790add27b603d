import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { addWorkerId, unlockForgotten, upsertNode } from './nodes.ts'

const { pool } = await startApi()

async function lockedJob(name: string, seconds: number): Promise<string> {
  const { id } = await pool.one<{ id: number }>(sql`
    select id from graphile_worker.add_job(${name}, queue_name => ${name}, job_key => ${name})`)
  const since = sql`now() - make_interval(secs => ${seconds})`
  await pool.run(sql`
    update graphile_worker._private_jobs set locked_by = 'worker', locked_at = ${since} where id = ${id}`)
  await pool.run(sql`
    update graphile_worker._private_job_queues set locked_by = 'worker', locked_at = ${since} where queue_name = ${name}`)
  return String(id)
}

test('a job that the process holds and does not work is unlocked with its queue; those at work and fresh ones are not', async () => {
  await upsertNode(pool, 'node', 'all')
  await addWorkerId(pool, 'node', 'worker')
  await lockedJob('forgotten', 20)
  await lockedJob('just given out', 5)
  const working = await lockedJob('at work', 20)
  await unlockForgotten({ pool, nodeId: 'node' }, [working])
  const locked = await pool.many<{ queue_name: string }>(sql`
    select queue_name from graphile_worker._private_job_queues where locked_by is not null order by 1`)
  assert.deepEqual(
    locked.map(({ queue_name }) => queue_name),
    ['at work', 'just given out'],
  )
  const jobs = await pool.many(sql`
    select task_identifier as name from graphile_worker.jobs where locked_by is not null order by 1`)
  assert.deepEqual(jobs, [{ name: 'at work' }, { name: 'just given out' }])
})
