import { makeWorkerUtils, run, type TaskList } from 'graphile-worker'
import { pause } from '../core/clock.ts'
import { graphileLogger } from './graphile-log.ts'
import type { Engine, Job } from './job.ts'
import {
  addWorkerId,
  buryDeadNodes,
  DEAD_AFTER_SECONDS,
  deleteNode,
  HEARTBEAT_MS,
  newNodeId,
  unlockForgotten,
  upsertNode,
} from './nodes.ts'
import { patientPool } from './patient-pool.ts'
import { Wake, workShift } from './shift.ts'

export interface RunningEngine {
  nodeId: string
  ready(): boolean
  /** Takes no more work, waits for what is in hand (`patienceMs` at the most), and leaves the rest to be taken over. */
  stop(patienceMs?: number): Promise<void>
}

export type EngineOptions = Pick<Engine, 'pool' | 'clock' | 'log' | 'providers' | 'maxConcurrentCalls' | 'publicUrl'> &
  Partial<Pick<Engine, 'allowPrivateWebhooks' | 'webhookLogDays'>> & {
    jobs: Job[]
    /** Starts the providers, with whoever hears what they have to tell. */
    listen: (engine: Engine) => Promise<void>
    /** No other process uses this database: what other nodes left behind is orphaned, without waiting for their silence. */
    alone: boolean
    role?: string
  }

/**
 * Starts the engine: every job as one recurring Graphile Worker job, worked by one process at a time. A process that
 * dies keeps its jobs locked until another (or its own next start) finds it dead and unlocks them.
 */
export async function startEngine(options: EngineOptions): Promise<RunningEngine> {
  const { pool, log, jobs, alone, role = 'all' } = options
  const nodeId = newNodeId()
  const stopping = new AbortController()
  const wakes = new Map(jobs.map((job) => [job.name, new Wake()]))
  const inHand = new Set<Promise<unknown>>()
  const engine: Engine = {
    allowPrivateWebhooks: false,
    webhookLogDays: 90,
    ...options,
    nodeId,
    signal: stopping.signal,
    wake: (job) => wakes.get(job)?.call(),
    inHand(work) {
      const tracked = work.catch(() => {}).finally(() => inHand.delete(tracked))
      inHand.add(tracked)
      return work
    },
  }

  await upsertNode(pool, nodeId, role)
  await buryDeadNodes(engine, alone)
  const working = new Set<string>()
  const beating = heartbeat(engine, role, working)
  await options.listen(engine)
  const worker = { pgPool: pool.pg, logger: graphileLogger(log), noHandleSignals: true }
  const utils = await makeWorkerUtils(worker)
  const runner = await run({
    ...worker,
    pgPool: patientPool(pool.pg),
    concurrency: jobs.length + 1,
    pollInterval: 500,
    taskList: taskList(engine, jobs, wakes, working),
  })
  for (const job of jobs) await utils.addJob(job.name, {}, { jobKey: job.name, queueName: job.name })

  let ready = true
  return {
    nodeId,
    ready: () => ready,
    async stop(patienceMs = 7000) {
      ready = false
      stopping.abort()
      await runner.stop().catch((error: unknown) => log.error({ err: error }, 'the worker did not stop cleanly'))
      const patience = new AbortController()
      await Promise.race([finished(inHand), pause(patienceMs, patience.signal)])
      patience.abort()
      const { voice, sms, email } = options.providers
      await Promise.all([voice.stop(), sms.stop(), email.stop()])
      await beating
      await utils.release()
      await deleteNode(pool, nodeId)
    },
  }
}

async function finished(inHand: Set<Promise<unknown>>): Promise<void> {
  while (inHand.size > 0) await Promise.all(inHand)
}

async function heartbeat(engine: Engine, role: string, working: ReadonlySet<string>): Promise<void> {
  const { pool, nodeId, log, signal } = engine
  let heard = Date.now()
  while (!signal.aborted) {
    await pause(HEARTBEAT_MS, signal)
    try {
      await upsertNode(pool, nodeId, role)
      // Whoever could not be heard of for a while may not judge others by their silence: it was the database's.
      if (Date.now() - heard < (DEAD_AFTER_SECONDS * 1000) / 2) await buryDeadNodes(engine, false)
      heard = Date.now()
      await unlockForgotten(engine, [...working])
    } catch (error) {
      log.warn({ err: error }, 'no heartbeat')
    }
  }
}

function taskList(engine: Engine, jobs: Job[], wakes: Map<string, Wake>, working: Set<string>): TaskList {
  const known = new Set<string>()
  const task = (job: Job): TaskList[string] => {
    return async (_payload, helpers) => {
      const { id, locked_by: worker } = helpers.job
      working.add(id)
      try {
        if (worker && !known.has(worker)) {
          await addWorkerId(engine.pool, engine.nodeId, worker)
          known.add(worker)
        }
        await workShift(() => job.pass(engine), { ...engine, wake: wakes.get(job.name)!, idleMs: job.idleMs })
        // Queued anew while still locked: Graphile Worker starts it, here or elsewhere, once this shift is over.
        await helpers.addJob(job.name, {}, { jobKey: job.name, queueName: job.name })
      } finally {
        working.delete(id)
      }
    }
  }
  return Object.fromEntries(jobs.map((job) => [job.name, task(job)]))
}
