import { Logger as GraphileLogger } from 'graphile-worker'
import type { Logger } from 'pino'

/** Graphile Worker's words in our log, a level lower: a shift that begins and ends is no news. */
export const graphileLogger = (log: Logger): GraphileLogger =>
  new GraphileLogger(() => (level, message) => {
    if (level === 'error') log.error({ from: 'graphile-worker' }, message)
    else if (level === 'warning') log.warn({ from: 'graphile-worker' }, message)
    else log.trace({ from: 'graphile-worker' }, message)
  })
