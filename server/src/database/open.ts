import type { Config } from '../core/config.ts'
import { checkDatabaseUrl } from './check-database-url.ts'
import { borrowEmbeddedPostgres, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'
import { migrate } from './migrate.ts'

export interface OpenDatabase extends EmbeddedPostgres {
  /** No other process can use it. */
  alone: boolean
}

/**
 * The database of the settings, migrated: the one of DATABASE_URL or the embedded one. `borrow` is for a command beside a
 * service: it takes the database of the service that runs, or starts it for the moment.
 */
export async function openDatabase(
  { DATABASE_URL, DATA_DIR }: Config,
  log: { info(line: string): void },
  borrow = false,
): Promise<OpenDatabase> {
  const open = borrow ? borrowEmbeddedPostgres : startEmbeddedPostgres
  const database = DATABASE_URL ? await external(DATABASE_URL) : await open({ dataDir: DATA_DIR, log })
  try {
    await migrate(database.url, { log })
  } catch (error) {
    await database.stop()
    throw error
  }
  return { ...database, alone: !DATABASE_URL && !borrow }
}

async function external(url: string): Promise<EmbeddedPostgres> {
  await checkDatabaseUrl(url)
  return { url, crashed: new Promise(() => {}), stop: async () => {} }
}
