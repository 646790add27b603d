import pg from 'pg'
import { StartError } from '../core/start-error.ts'

const OLDEST_VERSION = 15
const CONNECTS_WITHIN = 10_000

/** Connects once, and throws a `StartError` that says in a line what is wrong. It never shows the password. */
export async function checkDatabaseUrl(url: string): Promise<void> {
  const client = clientFor(url)
  const place = `${client.host}:${client.port}/${client.database}`
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number; encoding: string; standby: boolean }>(`
      select current_setting('server_version_num')::int / 10000 as version,
        current_setting('server_encoding') as encoding,
        pg_is_in_recovery() as standby`)
    const { version, encoding, standby } = rows[0]!
    if (version < OLDEST_VERSION)
      throw new Error(`PostgreSQL ${version} is too old, ${OLDEST_VERSION} or newer is needed`)
    if (encoding !== 'UTF8') throw new Error(`the database's encoding is ${encoding} and must be UTF8`)
    if (standby) throw new Error('this server is a read-only standby')
  } catch (error) {
    throw new StartError(`cannot use the database of DATABASE_URL (${place}): ${sentence(error)}`)
  } finally {
    await client.end().catch(() => {})
  }
}

function clientFor(url: string): pg.Client {
  try {
    if (!/^postgres(ql)?:$/.test(new URL(url).protocol)) throw new Error('another protocol')
    return new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECTS_WITHIN })
  } catch (error) {
    // A certificate that the address names.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new StartError(`DATABASE_URL: ${sentence(error)}`)
    throw new StartError(
      'DATABASE_URL is not an address like postgres://user:password@host:5432/database (special characters in the password as %40 and so on)',
    )
  }
}

/** A host with several addresses fails with a list of errors and no message of its own. */
function sentence(error: unknown): string {
  const { message } = error instanceof AggregateError ? error.errors[0] : (error as Error)
  return message.replaceAll(/\s+/g, ' ')
}
