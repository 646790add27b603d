import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { StartError } from '../core/start-error.ts'

export const MIGRATIONS = path.resolve(import.meta.dirname, '../../migrations')

interface Migration {
  version: number
  name: string
  checksum: string
  text: string
}

/**
 * Brings the database to the state that `folder` describes, and Graphile Worker's schema with it. Every migration is a
 * transaction that first locks the list of migrations, so any number of processes may do this at once.
 */
export async function migrate(
  url: string,
  { log, folder = MIGRATIONS }: { log: { info(line: string): void }; folder?: string },
): Promise<void> {
  const migrations = await readMigrations(folder)
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  // Graphile Worker asks for both: the first is about idle connections, the second about those in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    await createList(pool)
    while (await applyNext(pool, migrations, log));
    await inLockedTransaction(pool, () => runMigrations({ pgPool: pool }))
  } finally {
    await pool.end()
  }
}

/** The migrations in their order, from files named like `0001-companies.sql`. */
export async function readMigrations(folder = MIGRATIONS): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return await Promise.all(
    names.map(async (name) => {
      // Git may have checked it out with the line ends of Windows.
      const text = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return {
        version: Number.parseInt(name, 10),
        name,
        checksum: createHash('sha256').update(text).digest('hex'),
        text,
      }
    }),
  )
}

/** Two sessions that create the same table at once can both find it missing; the second then breaks a unique index. */
async function createList(pool: pg.Pool): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await pool.query(`
        create table if not exists schema_migrations (
          version     integer primary key,
          name        text not null,
          checksum    text not null,
          applied_at  timestamptz not null default now()
        )`)
      return
    } catch (error) {
      const raced = ['23505', '42P07', '42710'].includes((error as pg.DatabaseError).code ?? '')
      if (!raced || tries === 5)
        throw new StartError(`cannot create tables in the database: ${(error as Error).message}`)
    }
  }
}

/** Answers whether there was one to apply. */
async function applyNext(pool: pg.Pool, migrations: Migration[], log: { info(line: string): void }): Promise<boolean> {
  return await inLockedTransaction(pool, async (client) => {
    const { rows: applied } = await client.query<Migration>(
      'select version, name, checksum from schema_migrations order by version',
    )
    checkApplied(applied, migrations)
    const known = new Set(applied.map(({ version }) => version))
    // Also one of a lower number than some that are applied: it was written at the same time as those, elsewhere.
    const next = migrations.find(({ version }) => !known.has(version))
    if (!next) return false
    log.info(`migrating the database: ${next.name}`)
    await client.query(next.text).catch((error: Error) => {
      throw new StartError(`the migration ${next.name} failed: ${error.message}`, { cause: error })
    })
    const { version, name, checksum } = next
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      version,
      name,
      checksum,
    ])
    return true
  })
}

function checkApplied(applied: Pick<Migration, 'version' | 'name' | 'checksum'>[], migrations: Migration[]): void {
  for (const { version, name, checksum } of applied) {
    const ours = migrations.find((each) => each.version === version)
    if (!ours) {
      throw new StartError(
        `the database was migrated by another version of this program (${name}): start that or a newer one`,
      )
    }
    if (ours.checksum !== checksum) {
      throw new StartError(
        `the migration ${ours.name} was edited after the database had applied it: add a new one instead`,
      )
    }
  }
}

async function inLockedTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    await client.query('set local statement_timeout = 0')
    await client.query('lock table schema_migrations in exclusive mode')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}
