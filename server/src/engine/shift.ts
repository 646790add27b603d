import type { Logger } from 'pino'
import { type Clock, pause } from '../core/clock.ts'

/** One look at what there is to do. Answers when to look again: at once, at an instant of the engine's clock, or idle. */
export type Pass = () => Promise<'again' | Date | 'idle'>

export interface ShiftOptions {
  clock: Clock
  log: Logger
  signal: AbortSignal
  /** Wakes the shift early, such as a freed slot. */
  wake: Wake
  /** Real milliseconds between two looks when there is nothing to do: what other processes write is found by looking. */
  idleMs: number
}

/** How long one process keeps a recurring job before any process may take it: real milliseconds. */
const SHIFT_MS = 2000

/**
 * Repeats a pass for the length of a shift. A job that is queued anew for every pass would cost more than the pass:
 * Graphile Worker decides which process works the shift, the shift decides when to look.
 */
export async function workShift(pass: Pass, { clock, log, signal, wake, idleMs }: ShiftOptions): Promise<void> {
  const end = Date.now() + SHIFT_MS
  while (!signal.aborted && Date.now() < end) {
    let next: Awaited<ReturnType<Pass>> = 'idle'
    const woken = wake.next()
    try {
      next = await pass()
    } catch (error) {
      // The next pass finds the same rows again; nothing is lost.
      log.error({ err: error }, 'a pass of the engine failed')
      await pause(1000, signal)
    }
    if (next === 'again') continue
    const wait =
      next === 'idle' ? idleMs : Math.min(idleMs, Math.max(0, (next.getTime() - clock.now().getTime()) / clock.speed))
    await Promise.race([pause(wait, signal), woken])
  }
}

/** A signal inside one process; what it missed is found by looking. */
export class Wake {
  #woken = Promise.withResolvers<void>()

  call(): void {
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }

  next(): Promise<void> {
    return this.#woken.promise
  }
}
