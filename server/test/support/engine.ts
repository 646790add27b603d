import { pino } from 'pino'
import { type Clock, fastClock } from '../../src/core/clock.ts'
import { type EngineOptions, type RunningEngine, startEngine } from '../../src/engine/engine.ts'
import { jobs, listen } from '../../src/jobs.ts'
import { createProviders } from '../../src/providers/index.ts'
import type { TestApi } from './api.ts'

/** A clock that starts at the given instant and runs so fast that a campaign's days pass in seconds. */
export const clockAt = (instant: string, speed = 2000): Clock => fastClock(new Date(instant), new Date(), speed)

/** The engine with the sandbox around it; stopped after the file's tests. */
export async function startTestEngine(
  api: TestApi,
  clock: Clock,
  options: Partial<EngineOptions> = {},
): Promise<RunningEngine> {
  const { pool, closing } = api
  const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
  const providers = createProviders(pool, clock)
  const engine = await startEngine({
    pool,
    clock,
    log,
    providers,
    jobs,
    listen,
    alone: true,
    maxConcurrentCalls: 50,
    publicUrl: 'http://localhost',
    ...options,
  })
  closing.push(() => engine.stop())
  return engine
}

/** A machine that is shared may be slow; what works there is no failure. */
const PATIENCE = 3

/** Asks every 20 ms until the answer is there; gives up after three times `seconds`, which are what it should take at the most. */
export async function eventually<T>(ask: () => Promise<T | undefined | false | null>, seconds = 20): Promise<T> {
  const end = Date.now() + seconds * PATIENCE * 1000
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${ask}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
