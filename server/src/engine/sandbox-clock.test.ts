import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, beforeEach, test } from 'node:test'
import { pino } from 'pino'
import sql from 'sql-template-tag'
import { cloneDatabase } from '../../test/support/database.ts'
import { pause } from '../core/clock.ts'
import { openPool } from '../core/db.ts'
import { StartError } from '../core/start-error.ts'
import { openClock, type RunningClock } from './sandbox-clock.ts'

const database = await cloneDatabase()
const pool = openPool({ ...database, max: 2 })
const other = openPool({ ...database, max: 2 })
const opened: RunningClock[] = []
after(async () => {
  // A test that failed has left its clocks running.
  await Promise.all(opened.map((clock) => clock.stop()))
  await Promise.all([pool.end(), other.end()])
})
beforeEach(() => pool.run(sql`delete from sandbox_clock`))

const log = pino({ level: 'silent' })
const start = new Date('2026-03-02T14:00:00Z')
const HOUR = 3_600_000
const minutes = (date: Date) => (date.getTime() - start.getTime()) / 60_000

async function open(...args: Parameters<typeof openClock>): Promise<RunningClock> {
  const clock = await openClock(...args)
  opened.push(clock)
  return clock
}

test('without settings the clock is the real one and leaves nothing behind', async () => {
  const clock = await open(pool, {}, log)
  assert.ok(Math.abs(clock.now().getTime() - Date.now()) < 100)
  await clock.stop()
  assert.equal(await pool.maybe(sql`select from sandbox_clock`), undefined)
})

test('it starts at SANDBOX_CLOCK and runs at SANDBOX_SPEED', async () => {
  const before = Date.now()
  const clock = await open(pool, { start, speed: 600 }, log)
  await clock.sleep(60_000)
  const passed = minutes(clock.now())
  // 600 seconds in one: 10 minutes; however slow the machine, no more than has really passed.
  assert.ok(passed >= 1 && passed <= ((Date.now() - before) / 1000) * 10, `${passed}`)
  await clock.stop()
})

test('all processes agree', async () => {
  const [one, two] = await Promise.all([
    open(pool, { start, speed: 1000 }, log),
    open(other, { start, speed: 1000 }, log),
  ])
  await pause(300)
  // A quarter of a second of real time apart at the most, on a machine that is busy with other tests.
  assert.ok(Math.abs(one.now().getTime() - two.now().getTime()) < 250_000)
  await one.stop()
  await pause(1200)
  const three = await open(pool, { start, speed: 1000 }, log)
  assert.ok(Math.abs(three.now().getTime() - two.now().getTime()) < 250_000, 'the one that stopped took nothing along')
  await Promise.all([two.stop(), three.stop()])
})

test('it stands still while no process runs, and goes on from there', async () => {
  const first = await open(pool, { start, speed: 3600 }, log)
  await pause(100)
  await first.stop()
  const stood = first.now().getTime()
  await pause(300)
  const second = await open(pool, { start, speed: 3600 }, log)
  const gone = second.now().getTime() - stood
  assert.ok(gone >= 0 && gone < HOUR / 5, `${gone / HOUR} h instead of the 0.3 h it was stopped for`)
  await second.stop()
  const slower = await open(pool, { start, speed: 2 }, log)
  assert.ok(slower.now() >= second.now(), 'another speed goes on from the same instant')
  await slower.stop()
})

test('after kill -9 it is not set back', async () => {
  const script = `
    import { openPool } from './server/src/core/db.ts'
    import { openClock } from './server/src/engine/sandbox-clock.ts'
    const clock = await openClock(openPool(${JSON.stringify(database)}), { start: new Date('${start.toISOString()}'), speed: 3600 }, console)
    setInterval(() => console.log(clock.now().getTime()), 10)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let shown = ''
  child.stdout.on('data', (data) => {
    shown += data
  })
  await once(child.stdout, 'data')
  await pause(700)
  child.kill('SIGKILL')
  await once(child, 'close')
  const last = Number(shown.trim().split('\n').at(-1))
  // Until its lease is over, a dead process can't be told from a live one.
  await pause(1100)
  const clock = await open(pool, { start, speed: 3600 }, log)
  const gone = clock.now().getTime() - last
  assert.ok(gone >= 0 && gone < 1.2 * HOUR, `${gone / HOUR} h`)
  await clock.stop()
})

test('another SANDBOX_CLOCK starts anew; a speed alone takes the clock as it stands', async () => {
  const first = await open(pool, { start, speed: 3600 }, log)
  await pause(50)
  await first.stop()
  const onward = await open(pool, { speed: 10 }, log)
  assert.ok(onward.now() >= first.now())
  await onward.stop()
  const earlier = new Date('2025-01-01T00:00:00Z')
  const anew = await open(pool, { start: earlier, speed: 10 }, log)
  assert.ok(anew.now().getTime() - earlier.getTime() < 10_000)
  await anew.stop()
})

test('processes with different settings do not run side by side', async () => {
  const clock = await open(pool, { start, speed: 60 }, log)
  for (const settings of [{ start, speed: 61 }, { start: new Date(0), speed: 60 }, {}])
    await assert.rejects(open(other, settings, log), StartError)
  await clock.stop()
})
