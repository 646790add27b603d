import type { Logger } from 'pino'

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
