import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { cloneDatabase } from './database.ts'

const [one, other] = await Promise.all([cloneDatabase(), cloneDatabase()])

test('a cloned database is migrated, and what one test file writes another does not see', async () => {
  const clients = [one, other].map((config) => new pg.Client(config))
  for (const client of clients) await client.connect()
  await clients[0]!.query("insert into companies (name) values ('First')")
  const counts = await Promise.all(clients.map((client) => client.query('select from companies')))
  assert.deepEqual(
    counts.map(({ rowCount }) => rowCount),
    [1, 0],
  )
  for (const client of clients) await client.end()
})
