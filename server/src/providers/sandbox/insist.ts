import { pause } from '../../core/clock.ts'

/** A provider calls back until it is heard, less and less often, or until it is stopped. */
export async function insist(work: () => unknown, stopping: AbortSignal): Promise<void> {
  for (let wait = 500; !stopping.aborted; wait = Math.min(wait * 2, 30_000)) {
    try {
      await work()
      return
    } catch {
      await pause(wait, stopping)
    }
  }
}
