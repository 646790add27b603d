import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { RunningEngine } from './engine/engine.ts'
import type { VoiceProvider } from './providers/voice.ts'

/** Milliseconds for requests and calls in hand; PostgreSQL needs the rest of the ten seconds. */
const FINISHES_WITHIN = 4000

/** Milliseconds after which the process leaves, whatever it still has in hand. */
const LEAVES_WITHIN = 9000

/** npm passes on a signal that the terminal has sent to both: only later ones are a second wish. */
const SAME_SIGNAL_WITHIN = 500

/** Resolves with the first signal to leave. A second one ends the process at once. */
export function untilAskedToLeave(log: Logger): Promise<NodeJS.Signals> {
  const asked = Promise.withResolvers<NodeJS.Signals>()
  let askedAt: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (askedAt !== undefined && Date.now() - askedAt > SAME_SIGNAL_WITHIN) process.exit(1)
      if (askedAt !== undefined) return
      askedAt = Date.now()
      setTimeout(() => {
        log.warn('left with work in hand: the next start takes it over')
        process.exit()
      }, LEAVES_WITHIN).unref()
      asked.resolve(signal)
    })
  return asked.promise
}

/**
 * Takes no more work, and lets what is in hand come to its end. The door closes last: the carrier asks how calls go on
 * whose conversation ends here.
 */
export async function stopServing(
  app: FastifyInstance,
  engine: RunningEngine | undefined,
  voice: VoiceProvider,
): Promise<void> {
  const stopped = engine?.stop(FINISHES_WITHIN)
  await voice.putDown?.()
  await Promise.all([close(app), stopped])
}

/** Takes no more connections and waits for the answers under way. */
async function close(app: FastifyInstance): Promise<void> {
  const patience = setTimeout(() => app.server.closeAllConnections(), FINISHES_WITHIN)
  await app.close()
  clearTimeout(patience)
}
