import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { databaseUrl, ensureTemplate, execute } from './template.ts'
import { startTestServer } from './test-server.ts'

let own: ReturnType<typeof startTestServer> | undefined
let users = 0

/**
 * The `postgres://` address of an empty, migrated database. It is dropped at the end of the test, suite or file that
 * asked for it, whoever is still connected. The server is the one of the whole run (`TEST_DATABASE_URL`, whose role
 * must be allowed to create databases) or, for a test file that is run by itself, one that lives as long as the file.
 */
export async function cloneDatabase(): Promise<string> {
  const { TEST_DATABASE_URL } = process.env
  if (!TEST_DATABASE_URL) own ??= startTestServer()
  users++
  const server = TEST_DATABASE_URL ?? (await own!).url
  const name = `docketcall_test_${randomBytes(6).toString('hex')}`
  await execute(server, `create database ${name} template ${await ensureTemplate(server)}`)
  after(async () => {
    await execute(server, `drop database ${name} with (force)`)
    users--
    if (own && users === 0) {
      const { stop } = await own
      own = undefined
      await stop()
    }
  })
  return databaseUrl(server, name)
}
