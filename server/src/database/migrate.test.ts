import assert from 'node:assert/strict'
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { emptyDatabase } from '../../test/support/database.ts'
import { MIGRATIONS, migrate, readMigrations } from './migrate.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

/** A copy of our migrations, to be changed. */
async function copyOfMigrations(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'docketcall-migrations-'))
  folders.push(folder)
  await cp(MIGRATIONS, folder, { recursive: true })
  return folder
}

async function migrator() {
  const { connectionString } = await emptyDatabase()
  const lines: string[] = []
  return {
    lines,
    run: (folder?: string) => migrate(connectionString, { log: { info: (line) => lines.push(line) }, folder }),
    async rows(text: string) {
      const client = new pg.Client(connectionString)
      await client.connect()
      return (await client.query(text).finally(() => client.end())).rows
    },
  }
}

test('no two migrations have the same number', async () => {
  const names = (await readMigrations()).map(({ name }) => name)
  for (const name of names) assert.match(name, /^\d{4}-[a-z-]+\.sql$/)
  assert.equal(new Set(names.map((name) => name.slice(0, 4))).size, names.length)
})

test('four processes that migrate at once apply every migration once, Graphile Worker with them', async () => {
  const { lines, run, rows } = await migrator()
  await Promise.all([run(), run(), run(), run()])
  const names = (await readMigrations()).map(({ name }) => name)
  assert.deepEqual(
    lines,
    names.map((name) => `migrating the database: ${name}`),
  )
  assert.deepEqual(
    (await rows('select name from schema_migrations order by version')).map(({ name }) => name),
    names,
  )
  assert.deepEqual(await rows('select count(*)::int from graphile_worker.jobs'), [{ count: 0 }])
})

test('a database of a newer version of the program is left alone', async () => {
  const { run } = await migrator()
  const newer = await copyOfMigrations()
  await writeFile(path.join(newer, '9999-later.sql'), 'create table later ()')
  await run(newer)
  await assert.rejects(run(), {
    name: 'StartError',
    message: /another version of this program \(9999-later\.sql\)/,
  })
})

test('a migration that arrives after one of a higher number is applied all the same', async () => {
  const { run, lines, rows } = await migrator()
  const folder = await copyOfMigrations()
  await writeFile(path.join(folder, '9999-later.sql'), 'create table later ()')
  await run(folder)
  await writeFile(path.join(folder, '9998-earlier.sql'), 'create table earlier ()')
  await run(folder)
  assert.equal(lines.at(-1), 'migrating the database: 9998-earlier.sql')
  assert.deepEqual(await rows("select to_regclass('earlier')::text as t"), [{ t: 'earlier' }])
})

test('a migration that was edited after it was applied is refused', async () => {
  const { run } = await migrator()
  await run()
  const edited = await copyOfMigrations()
  const [first] = await readMigrations()
  await writeFile(path.join(edited, first!.name), `${first!.text}\n-- edited`)
  await assert.rejects(run(edited), {
    message: `the migration ${first!.name} was edited after the database had applied it: add a new one instead`,
  })
})

test('line ends of Windows are no edit, and neither is another file name', async () => {
  const { run, lines } = await migrator()
  await run()
  const checkout = await copyOfMigrations()
  const [first] = await readMigrations()
  await writeFile(path.join(checkout, first!.name), first!.text.replaceAll('\n', '\r\n'))
  await rename(path.join(checkout, first!.name), path.join(checkout, '0001-renamed.sql'))
  const applied = lines.length
  await run(checkout)
  assert.equal(lines.length, applied)
})

test('a migration that fails is named and leaves nothing of itself', async () => {
  const { run, rows } = await migrator()
  const broken = await copyOfMigrations()
  await writeFile(path.join(broken, '9999-broken.sql'), 'create table half (); select 1 / 0;')
  await assert.rejects(run(broken), { message: 'the migration 9999-broken.sql failed: division by zero' })
  assert.deepEqual(await rows("select to_regclass('half') as half"), [{ half: null }])
  await run()
})
