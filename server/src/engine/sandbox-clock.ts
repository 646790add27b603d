import type { Logger } from 'pino'
import sql from 'sql-template-tag'
import { type Clock, fastClock, pause, realClock } from '../core/clock.ts'
import type { Database, Pool } from '../core/db.ts'
import { StartError } from '../core/start-error.ts'

export interface RunningClock extends Clock {
  /** Stores where the clock stands, so that the next start goes on from there. */
  stop(): Promise<void>
}

interface ClockRow {
  start: Date
  speed: number
  anchor: Date
  anchor_real: Date
  seen: Date
  real: Date
}

/** Real milliseconds between two heartbeats, and how far ahead of the clock a heartbeat writes `seen`. */
const BEAT_MS = 500
const LEASE_MS = 1000

/**
 * The clock that all processes on this database share: the real one, or with either setting the sandbox's. That one
 * stands still while no process runs. It is never set back but by another `start`: heartbeats write ahead where it will
 * be, so after a `kill -9` it goes on at most a real second later than it stood.
 */
export async function openClock(
  pool: Pool,
  { start, speed }: { start?: Date; speed?: number },
  log: Logger,
): Promise<RunningClock> {
  const asked = Date.now()
  const row = await pool.transaction((db) => (start || speed ? setClock(db, start, speed ?? 1) : removeClock(db)))
  if (!row) return { ...realClock, stop: async () => {} }
  // The database's clock is the one that all processes share; the answer is on average half a round trip old.
  const ahead = row.real.getTime() - (asked + Date.now()) / 2
  return runClock(pool, row, ahead, log)
}

async function setClock(db: Database, start: Date | undefined, speed: number): Promise<ClockRow> {
  await db.run(sql`
    insert into sandbox_clock (id, start, speed, anchor_real, anchor, seen)
    select 1, at, ${speed}, clock_timestamp(), at, at from (values (coalesce(${start}::timestamptz, now()))) as t (at)
    on conflict do nothing`)
  const row = (await lockClock(db))!
  const anew = start !== undefined && start.getTime() !== row.start.getTime()
  if (isRunning(row)) {
    if (anew || speed !== row.speed) throw disagreement(row)
    return row
  }
  const begin = anew ? start : row.seen
  const set = { ...row, start: start ?? row.start, speed, anchor: begin, anchor_real: row.real }
  await db.run(sql`
    update sandbox_clock
    set start = ${set.start}, speed = ${speed}, anchor = ${begin}, anchor_real = ${row.real},
      seen = ${new Date(begin.getTime() + LEASE_MS * speed)}
    where id = 1`)
  return set
}

async function removeClock(db: Database): Promise<undefined> {
  const row = await lockClock(db)
  if (row && isRunning(row)) throw disagreement(row)
  if (row) await db.run(sql`delete from sandbox_clock where id = 1`)
}

function lockClock(db: Database): Promise<ClockRow | undefined> {
  return db.maybe<ClockRow>(sql`
    select start, speed, anchor, anchor_real, seen, clock_timestamp() as real from sandbox_clock where id = 1 for update`)
}

/** Whether a process keeps it going: then it has not yet come to where the last heartbeat wrote that it would be. */
function isRunning({ anchor, anchor_real, real, speed, seen }: ClockRow): boolean {
  return anchor.getTime() + (real.getTime() - anchor_real.getTime()) * speed < seen.getTime()
}

function disagreement({ start, speed }: ClockRow): StartError {
  return new StartError(
    `another process runs on this database with the sandbox clock from ${start.toISOString()} at speed ${speed}: give every process the same SANDBOX_CLOCK and SANDBOX_SPEED`,
  )
}

function runClock(pool: Pool, { start, speed, ...row }: ClockRow, ahead: number, log: Logger): RunningClock {
  const anchored = ({ anchor, anchor_real }: Pick<ClockRow, 'anchor' | 'anchor_real'>) =>
    fastClock(anchor, new Date(anchor_real.getTime() - ahead), speed)
  let clock: Pick<Clock, 'now'> = anchored(row)
  let latest = 0
  const now = () => {
    latest = Math.max(latest, clock.now().getTime())
    return new Date(latest)
  }
  const stopping = new AbortController()

  async function beat() {
    const seen = new Date(now().getTime() + LEASE_MS * speed)
    const set = await pool.maybe<ClockRow>(sql`
      update sandbox_clock set seen = greatest(seen, ${seen}) where id = 1 and start = ${start} and speed = ${speed}
      returning anchor, anchor_real`)
    // Another process that came while the last one went may have anchored it anew.
    if (set) clock = anchored(set)
  }

  async function keepBeating() {
    while (!stopping.signal.aborted) {
      await beat().catch((error: unknown) => log.warn({ err: error }, 'the sandbox clock could not be stored'))
      await pause(BEAT_MS, stopping.signal)
    }
  }

  const beating = keepBeating()
  return {
    speed,
    now,
    sleep: (ms, signal) => pause(ms / speed, signal),
    async stop() {
      stopping.abort()
      await beating
      const stood = now()
      clock = { now: () => stood }
      // Anchored anew, so that by nobody's clock it is still to come where it stood.
      await pool.run(sql`
        update sandbox_clock set anchor = ${stood}, anchor_real = clock_timestamp(), seen = ${stood}
        where id = 1 and start = ${start} and speed = ${speed}`)
    },
  }
}
