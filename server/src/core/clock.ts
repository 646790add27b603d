/** The engine's time. Rate limits, idempotency keys and webhook deliveries follow the real clock instead. */
export interface Clock {
  now(): Date
  /** Seconds of clock time that pass in a real second. */
  readonly speed: number
  /** Resolves after `ms` of clock time, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Node's timers overflow beyond 2^31-1 ms and would fire at once. */
const LONGEST = 2 ** 31 - 1

/** Resolves after `ms` of real time, or at once when the signal is aborted; never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(Math.max(ms, 0), LONGEST))
    signal?.addEventListener('abort', done, { once: true })
  })
}

export const realClock: Clock = { now: () => new Date(), speed: 1, sleep: pause }

/** A clock that stood at `anchor` when the real one stood at `anchorReal` and runs `speed` times as fast. */
export function fastClock(anchor: Date, anchorReal: Date, speed: number): Clock {
  return {
    speed,
    now: () => new Date(anchor.getTime() + (Date.now() - anchorReal.getTime()) * speed),
    sleep: (ms, signal) => pause(ms / speed, signal),
  }
}

/** Clocks of machines that are looked after differ by much less: milliseconds. */
const MOST_SKEW_MS = 60_000

/**
 * To be asked before anybody is called or written to: hours are judged by this process's clock, and one that is wrong rings
 * people at six in the morning. The database's is the only other one there is; when the two differ, either may be wrong.
 *
 * @param database What the database's clock shows: milliseconds since 1970.
 * @throws When the clocks differ by more than a minute.
 */
export function assertClocksAgree(database: number): void {
  const ahead = Math.round((Date.now() - database) / 1000)
  if (Math.abs(ahead) * 1000 > MOST_SKEW_MS)
    throw new Error(
      `the clock of this process is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's: nobody is called or written to until they agree`,
    )
}
