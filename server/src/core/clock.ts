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
