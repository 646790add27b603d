import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import type { Pool } from '../core/db.ts'
import type { Providers } from '../providers/index.ts'
import type { Pass } from './shift.ts'

/** What the engine's jobs work with. */
export interface Engine {
  pool: Pool
  clock: Clock
  log: Logger
  /** This process; written on the calls and messages it has in hand. */
  nodeId: string
  providers: Providers
  /** How many calls the whole installation may have in flight. */
  maxConcurrentCalls: number
  /** Base address of links and callbacks. */
  publicUrl: string
  /** Development: webhooks may be anywhere, without https too. */
  allowPrivateWebhooks: boolean
  /** Days for which events and the attempts to deliver them are kept. */
  webhookLogDays: number
  /** Aborted when the process is asked to stop. */
  signal: AbortSignal
  /** Wakes the job of that name early; only within this process. */
  wake(job: string): void
  /** Work that goes on beside the jobs, such as calls in progress: the engine waits for it before it stops. */
  inHand<T>(work: Promise<T>): Promise<T>
}

/** Something the service does by itself, over and over, in one process at a time. */
export interface Job {
  name: string
  summary: string
  /** Real milliseconds between two looks when there was nothing to do. */
  idleMs: number
  /** One look at what there is to do. */
  pass(engine: Engine): ReturnType<Pass>
}
