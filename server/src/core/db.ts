import type { Socket } from 'node:net'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'

const { builtins } = pg.types
pg.types.setTypeParser(builtins.INT8, Number)
pg.types.setTypeParser(builtins.NUMERIC, Number)
pg.types.setTypeParser(builtins.DATE, (text) => text)
// bigint[] (oid 1016): the driver's array parser would keep the elements as strings.
pg.types.setTypeParser(1016 as number, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))

/** The pool or one transaction: whoever gets it can't tell, and need not. */
export interface Database {
  many<T = Record<string, unknown>>(query: Sql): Promise<T[]>
  /** The only row; throws when there is none. */
  one<T = Record<string, unknown>>(query: Sql): Promise<T>
  maybe<T = Record<string, unknown>>(query: Sql): Promise<T | undefined>
  /** Answers how many rows were written. */
  run(query: Sql): Promise<number>
}

export type Work<T> = (db: Database, atEnd: (statement: Sql) => void) => Promise<T>

export interface Pool extends Database {
  /**
   * Runs `work` in one transaction (read committed) and commits. A serialization failure, a deadlock or a broken unique
   * key rolls back and runs `work` anew, three times at the most, so `work` must keep nothing from a run that failed. A
   * statement handed to `atEnd` is run last, in the same round trip as the commit; its rows are nobody's.
   */
  transaction<T>(work: Work<T>): Promise<T>
  end(): Promise<void>
  readonly pg: pg.Pool
}

const names = new Map<string, string>()

/** A prepared statement's name is cut at 63 bytes by PostgreSQL, so it is a number and not the text. */
function prepared(query: Sql): pg.QueryConfig {
  const text = query.text
  let name = names.get(text)
  if (!name) {
    name = `s${names.size}`
    names.set(text, name)
  }
  return { name, text, values: query.values }
}

type Queryable = { query(config: pg.QueryConfig): Promise<pg.QueryResult> }

function databaseOn(queryable: Queryable): Database {
  const send = (query: Sql) => queryable.query(prepared(query))
  return {
    many: async <T>(query: Sql) => (await send(query)).rows as T[],
    maybe: async <T>(query: Sql) => (await send(query)).rows[0] as T | undefined,
    run: async (query) => (await send(query)).rowCount ?? 0,
    async one<T>(query: Sql) {
      const { rows } = await send(query)
      if (rows.length === 0) throw new Error(`no row: ${query.text.slice(0, 200)}`)
      return rows[0] as T
    },
  }
}

/**
 * A unique key (23505) breaks only when another transaction was faster than ours after we had looked: the next run sees
 * its row and says so in words.
 */
const RETRIED = new Set(['40001', '40P01', '23505'])

/** What PostgreSQL says to every statement that follows a failed one in its transaction. */
const ABORTED = '25P02'

/**
 * Sends the statements of one turn of the event loop as one packet. By itself the driver writes each to the socket at
 * once, which wakes PostgreSQL for each: measured, 14 µs of CPU more (of 120) for a transaction of two statements.
 */
function sender(client: pg.PoolClient) {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  return (query: string | pg.QueryConfig): Promise<pg.QueryResult> => {
    stream.cork()
    process.nextTick(() => stream.uncork())
    return client.query(query)
  }
}

/**
 * `pipeline` lets `begin` travel with the first statement and `commit` with the last: a transaction of two statements
 * takes two round trips instead of four.
 *
 * PostgreSQL ends a transaction from which it hears nothing for a minute: a machine that was suspended or lost from the
 * network in the middle of one would keep its locks, and with them everybody else's calls, for hours.
 */
export function openPool(config: pg.PoolConfig): Pool {
  const idle_in_transaction_session_timeout = 60_000
  const pool = new pg.Pool({ max: 20, idle_in_transaction_session_timeout, ...config, pipeline: true } as pg.PoolConfig)
  // An idle connection that breaks is replaced by the pool; without a listener Node would end the process.
  pool.on('error', () => {})
  // One that breaks while it is lent out also tells whoever waits for its answer.
  pool.on('connect', (client) => client.on('error', () => {}))

  async function attempt<T>(work: Work<T>): Promise<T> {
    const client = await pool.connect()
    const send = sender(client)
    let failed: Error | undefined
    // Of statements that were sent together, it is the first that says why; which promise rejects first is chance.
    let cause: unknown
    const queryable: Queryable = {
      query: (config) =>
        send(config).catch((error) => {
          cause ??= error
          throw error
        }),
    }
    try {
      const begun = send('begin')
      begun.catch(() => {})
      let last: Sql | undefined
      const result = await work(databaseOn(queryable), (query) => {
        last = query
      })
      await begun
      const ending = last ? [send(prepared(last)), send('commit')] : [send('commit')]
      for (const each of ending) each.catch(() => {})
      for (const each of ending) await each
      return result
    } catch (error) {
      await client.query('rollback').catch((broken: Error) => {
        failed = broken
      })
      throw (error as { code?: string }).code === ABORTED ? (cause ?? error) : error
    } finally {
      client.release(failed)
    }
  }

  return {
    ...databaseOn(pool),
    pg: pool,
    end: () => pool.end(),
    async transaction(work) {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(work)
        } catch (error) {
          if (tries === 3 || !RETRIED.has((error as { code?: string }).code ?? '')) throw error
        }
      }
    },
  }
}
