import { randomBytes } from 'node:crypto'
import { databaseUrl, ensureTemplate, execute } from './template.ts'
import { startTestServer } from './test-server.ts'

let own: ReturnType<typeof startTestServer> | undefined
const databases: string[] = []

/**
 * How to connect to a migrated database of one's own without any rows, for a `pg.Pool` or a `pg.Client`. The server is
 * the one of the whole run (`TEST_DATABASE_URL`, whose role must be allowed to create databases) or, for a test file
 * that is run by itself, one that lives as long as the file. The database is dropped when the file is done and has
 * closed its connections.
 */
export async function cloneDatabase(): Promise<{ connectionString: string }> {
  const server = await serverUrl()
  return await create(server, await ensureTemplate(server))
}

/** As `cloneDatabase`, not even migrated. */
export async function emptyDatabase(): Promise<{ connectionString: string }> {
  return await create(await serverUrl(), 'template1')
}

async function create(server: string, template: string): Promise<{ connectionString: string }> {
  const name = `docketcall_test_${randomBytes(6).toString('hex')}`
  await execute(server, `create database ${name} template ${template}`)
  if (databases.push(name) === 1) process.once('beforeExit', cleanUp)
  return { connectionString: databaseUrl(server, name) }
}

async function serverUrl(): Promise<string> {
  const { TEST_DATABASE_URL } = process.env
  if (TEST_DATABASE_URL) return TEST_DATABASE_URL
  own ??= startTestServer()
  return (await own).url
}

async function cleanUp(): Promise<void> {
  if (own) return await (await own).stop()
  const server = await serverUrl()
  // Not `with (force)`: that may not end an autovacuum worker, as it is a superuser's. Without it the worker is sent away.
  for (const name of databases) await execute(server, `drop database ${name}`)
}
