import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { cloneDatabase } from '../../test/support/database.ts'
import { type Database, openPool } from './db.ts'

const pool = openPool({ ...(await cloneDatabase()), max: 4 })
after(() => pool.end())
await pool.run(sql`create table things (id integer primary key)`)

const insert = (db: Database, id: number) => db.run(sql`insert into things (id) values (${id})`)

/** As a function that asks others, which ask others: its rejection arrives late. */
async function deep<T>(work: () => Promise<T>, levels = 5): Promise<T> {
  return levels === 0 ? await work() : await deep(work, levels - 1)
}

test('a unique key that breaks runs the work anew, three times at the most', async () => {
  await insert(pool, 1)
  let tries = 0
  const work = pool.transaction((db) => {
    tries++
    return insert(db, 1)
  })
  await assert.rejects(work, { code: '23505' })
  assert.equal(tries, 3)
})

test('of statements sent together the one that failed first says why, whichever promise rejects first', async () => {
  let tries = 0
  const work = pool.transaction((db) => {
    tries++
    return Promise.all([deep(() => insert(db, 1)), db.run(sql`select 1`)])
  })
  await assert.rejects(work, { code: '23505' })
  assert.equal(tries, 3)
})

test('a transaction that loses a deadlock runs anew, and both succeed', async () => {
  await insert(pool, 10)
  await insert(pool, 11)
  const meet = Promise.withResolvers<void>()
  let waiting = 0
  const lock = (db: Database, id: number) => db.run(sql`select from things where id = ${id} for update`)
  const run = (first: number, second: number) =>
    pool.transaction(async (db) => {
      await lock(db, first)
      if (++waiting === 2) meet.resolve()
      await meet.promise
      await Promise.all([deep(() => lock(db, second)), db.run(sql`select 1`)])
    })
  await Promise.all([run(10, 11), run(11, 10)])
  // On a slow machine each may find the deadlock and give way.
  assert.ok(waiting === 3 || waiting === 4, `${waiting}`)
})

test('an error that is not of the database is thrown as it is', async () => {
  const mine = new Error('mine')
  await assert.rejects(
    pool.transaction(async () => {
      throw mine
    }),
    mine,
  )
})

test('a transaction that says nothing any more is ended, and its locks are free', async () => {
  const [row] = await pool.many(sql`show idle_in_transaction_session_timeout`)
  assert.deepEqual(row, { idle_in_transaction_session_timeout: '1min' })
  const { connectionString } = pool.pg.options
  const silent = openPool({ connectionString, idle_in_transaction_session_timeout: 200 })
  after(() => silent.end())
  const lock = sql`select pg_advisory_xact_lock(1)`
  const lost = silent.transaction(async (db) => {
    await db.run(lock)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await db.run(sql`select 1`)
  })
  lost.catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, 100))
  const begun = Date.now()
  await pool.run(lock)
  assert.ok(Date.now() - begun < 1000, 'the other did not wait for it to wake up')
  await assert.rejects(lost)
  await silent.run(sql`select 1`)
})
