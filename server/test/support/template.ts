import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrate, readMigrations } from '../../src/database/migrate.ts'

/** The name of a migrated database to be cloned. It is made by whoever needs it first, once per set of migrations. */
export async function ensureTemplate(server: string): Promise<string> {
  const checksums = (await readMigrations()).map(({ checksum }) => checksum)
  const name = `docketcall_template_${createHash('sha256').update(checksums.join()).digest('hex').slice(0, 12)}`
  const found = await execute(server, 'select from pg_database where datname = $1', [name])
  if (found === 0) {
    // Renamed when complete: several test files may get here at once.
    const fresh = `docketcall_new_${randomBytes(6).toString('hex')}`
    await execute(server, `create database ${fresh}`)
    try {
      await migrate(databaseUrl(server, fresh), { log: { info() {} } })
      await execute(server, `alter database ${fresh} rename to ${name}`).catch((error: pg.DatabaseError) => {
        if (error.code !== '42P04') throw error
      })
    } finally {
      await execute(server, `drop database if exists ${fresh}`)
    }
  }
  return name
}

/** Answers the number of rows. */
export async function execute(url: string, text: string, values: string[] = []): Promise<number | null> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text, values)).rowCount
  } finally {
    await client.end()
  }
}

/** The address of another database on the same server. */
export function databaseUrl(server: string, name: string): string {
  return server.replace(/^(\w+:\/\/[^/]+\/)[^?]*/, `$1${name}`)
}
