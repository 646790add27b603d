import type pg from 'pg'
import { pause } from '../core/clock.ts'
import { isOutOfReach } from '../core/out-of-reach.ts'

const ASK_AGAIN_MS = 1000

type Query = (...args: unknown[]) => Promise<pg.QueryResult>

/**
 * The pool as Graphile Worker gets it: a statement that finds no connection, or loses it, is sent again until it is
 * answered. By itself Graphile Worker lets the end of a job fail then, with a rejection that nobody awaits: the process
 * would end with every restart of PostgreSQL. Its statements may all be sent twice.
 */
export function patientPool(pool: pg.Pool): pg.Pool {
  const query: Query = async (...args) => {
    for (;;) {
      try {
        return await (pool.query as unknown as Query)(...args)
      } catch (error) {
        if (!isOutOfReach(error)) throw error
        await pause(ASK_AGAIN_MS)
      }
    }
  }
  const client = { query, release() {} }
  return new Proxy(pool, {
    get(target, name) {
      // With a callback it is the listener, which needs a connection of its own and looks after it.
      if (name === 'connect') return (...args: []) => (args.length > 0 ? target.connect(...args) : client)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
