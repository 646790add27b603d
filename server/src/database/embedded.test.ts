import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { borrowEmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from './embedded.ts'
import { readLockFile } from './postmaster.ts'

// Entered by nobody else: where root runs the tests, PostgreSQL's account can't see what is in it.
const parent = await mkdtemp(path.join(tmpdir(), 'docketcall-embedded-'))
after(() => rm(parent, { recursive: true, force: true }))
const log = { info() {} }
let made = 0

function newDataDir(): string {
  return path.join(parent, `data-${++made}`)
}

/** A data folder that has been used before. To copy one takes a tenth of the time to make one. */
async function usedDataDir(): Promise<string> {
  const dataDir = newDataDir()
  await promisify(execFile)('cp', ['-a', used, dataDir])
  return dataDir
}

const used = newDataDir()
await (await startEmbeddedPostgres({ dataDir: used, log })).stop()

async function query(url: string, text: string) {
  const client = new pg.Client(url)
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}

/** Another process that runs PostgreSQL on the folder. */
async function hold(dataDir: string, purpose = 'service'): Promise<{ process: ChildProcess; url: string }> {
  const holder = path.resolve(import.meta.dirname, '../../test/support/hold-postgres.ts')
  const child = spawn(process.execPath, [holder, dataDir, purpose], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => assert.fail('it ended')),
  ])
  return { process: child, url: String(line).trim() }
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  child.kill(signal)
  await once(child, 'exit')
}

async function refusal(start: Promise<unknown>): Promise<string> {
  const error = await start.then(
    () => assert.fail('it started'),
    (error: Error) => error,
  )
  assert.equal(error.name, 'StartError')
  assert.doesNotMatch(error.message, /\n/)
  return error.message
}

test('a first start makes a database, a second one finds what the first wrote', async () => {
  const dataDir = newDataDir()
  const first = await startEmbeddedPostgres({ dataDir, log })
  await query(first.url, "create table kept as select 'Zoë' as name")
  await first.stop()
  const began = performance.now()
  const second = await startEmbeddedPostgres({ dataDir, log })
  assert.ok(performance.now() - began < 3000)
  assert.deepEqual(await query(second.url, 'select name from kept'), [{ name: 'Zoë' }])
  await second.stop()
})

test('the role of the service is no superuser, and its password is kept to its owner', async () => {
  const dataDir = await usedDataDir()
  const { url, stop } = await startEmbeddedPostgres({ dataDir, log })
  assert.deepEqual(
    await query(url, "select current_setting('is_superuser') as su, current_setting('data_checksums') as sums"),
    [{ su: 'off', sums: 'on' }],
  )
  await assert.rejects(query(url.replace('//docketcall:', '//docketcall:x'), 'select 1'), { code: '28P01' })
  await assert.rejects(query(url.replace('//docketcall:', '//postgres:'), 'select 1'), { code: '28000' })
  assert.equal((await stat(path.join(dataDir, 'postgres/docketcall.password'))).mode & 0o077, 0)
  await stop()
})

test('a data folder whose path is longer than a socket may have works', async () => {
  const { url, stop } = await startEmbeddedPostgres({ dataDir: path.join(parent, 'a'.repeat(120), 'b'), log })
  assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }])
  await stop()
})

test('a second service on the same data folder is refused with the number of the first', async () => {
  const dataDir = await usedDataDir()
  const first = await hold(dataDir)
  assert.equal(
    await refusal(startEmbeddedPostgres({ dataDir, log })),
    `the data folder ${dataDir} is in use by process ${first.process.pid}`,
  )
  assert.deepEqual(await query(first.url, 'select 1 as one'), [{ one: 1 }])
  await end(first.process)
})

test('of two services that start at once one wins and the other is refused', async () => {
  const dataDir = newDataDir()
  const [mine, theirs] = await Promise.allSettled([startEmbeddedPostgres({ dataDir, log }), hold(dataDir)])
  assert.notEqual(mine.status, theirs.status)
  if (mine.status === 'fulfilled') await mine.value.stop()
  if (theirs.status === 'fulfilled') await end(theirs.value.process)
})

test('after kill -9 of the service nothing is lost and the next start takes under 3 seconds', async () => {
  const dataDir = await usedDataDir()
  const killed = await hold(dataDir)
  await query(killed.url, 'create table kept as select generate_series(1, 1000) as n')
  const postmaster = await readLockFile(path.join(dataDir, 'postgres'))
  await end(killed.process, 'SIGKILL')
  const began = performance.now()
  const { url, stop } = await startEmbeddedPostgres({ dataDir, log })
  assert.ok(performance.now() - began < 3000)
  assert.notEqual((await readLockFile(path.join(dataDir, 'postgres')))?.pid, postmaster?.pid)
  assert.deepEqual(await query(url, 'select count(*)::int from kept'), [{ count: 1000 }])
  await stop()
})

test('the PostgreSQL of a killed service goes by itself', async () => {
  const dataDir = await usedDataDir()
  const killed = await hold(dataDir)
  await end(killed.process, 'SIGKILL')
  await until(async () => (await readLockFile(path.join(dataDir, 'postgres'))) === undefined)
  const socket = decodeURIComponent(/@([^:]*):/.exec(killed.url)![1]!)
  await until(async () => !existsSync(socket))
})

test('Ctrl-C, which reaches every process of the terminal, leaves PostgreSQL to the service', async () => {
  const service = await hold(await usedDataDir())
  process.kill(-service.process.pid!, 'SIGINT')
  assert.deepEqual(await query(service.url, 'select 1 as one from pg_sleep(0.2)'), [{ one: 1 }])
  await end(service.process)
})

test('after a power cut PostgreSQL repairs itself', async () => {
  const dataDir = await usedDataDir()
  const cut = await hold(dataDir)
  await query(cut.url, 'create table kept as select generate_series(1, 1000) as n')
  process.kill((await readLockFile(path.join(dataDir, 'postgres')))!.pid, 'SIGKILL')
  await end(cut.process, 'SIGKILL')
  const { url, stop } = await startEmbeddedPostgres({ dataDir, log })
  assert.deepEqual(await query(url, 'select count(*)::int from kept'), [{ count: 1000 }])
  await stop()
})

test('a lock file whose process number now belongs to another program does not stop a start', async () => {
  const dataDir = await usedDataDir()
  const first = await startEmbeddedPostgres({ dataDir, log })
  const file = path.join(dataDir, 'postgres/postmaster.pid')
  const lines = (await readFile(file, 'utf8')).split('\n')
  await first.stop()
  // A process of PostgreSQL's own account, as only such a one misleads PostgreSQL.
  const { uid, gid } = await stat(path.join(dataDir, 'postgres'))
  const stranger = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
  await writeFile(file, [stranger.pid, ...lines.slice(1)].join('\n'))
  const second = await startEmbeddedPostgres({ dataDir, log })
  assert.deepEqual(await query(second.url, 'select 1 as one'), [{ one: 1 }])
  await second.stop()
  stranger.kill()
})

test('when PostgreSQL dies under a running service, the service is told', async () => {
  const dataDir = await usedDataDir()
  const { crashed } = await startEmbeddedPostgres({ dataDir, log })
  process.kill((await readLockFile(path.join(dataDir, 'postgres')))!.pid, 'SIGKILL')
  assert.match(await crashed, /^PostgreSQL ended: /)
})

test('a command uses the database of a running service and leaves it running', async () => {
  const dataDir = await usedDataDir()
  const service = await hold(dataDir)
  const borrowed = await borrowEmbeddedPostgres({ dataDir, log })
  assert.equal(borrowed.url, service.url)
  await borrowed.stop()
  assert.deepEqual(await query(service.url, 'select 1 as one'), [{ one: 1 }])
  await end(service.process)
})

test('beside a stopped service commands take turns', async () => {
  const dataDir = await usedDataDir()
  const order: string[] = []
  const command = async (name: string) => {
    const { url, stop } = await borrowEmbeddedPostgres({ dataDir, log })
    order.push(`${name} begins`)
    await query(url, 'select pg_sleep(0.2)')
    order.push(`${name} ends`)
    await stop()
  }
  await Promise.all([command('one'), command('two')])
  const [first, second] = order[0] === 'one begins' ? ['one', 'two'] : ['two', 'one']
  assert.deepEqual(order, [`${first} begins`, `${first} ends`, `${second} begins`, `${second} ends`])
})

test('a service waits for a command to end', async () => {
  const dataDir = await usedDataDir()
  const command = await hold(dataDir, 'command')
  const service = startEmbeddedPostgres({ dataDir, log })
  assert.equal(await findRunningPostgres(dataDir), undefined)
  assert.deepEqual(await query(command.url, 'select 1 as one from pg_sleep(0.5)'), [{ one: 1 }])
  await end(command.process)
  const { url, stop } = await service
  assert.equal(await findRunningPostgres(dataDir), url)
  await stop()
})

test('a data folder of another version of PostgreSQL is refused with both versions', async () => {
  const dataDir = await usedDataDir()
  await (await startEmbeddedPostgres({ dataDir, log })).stop()
  await writeFile(path.join(dataDir, 'postgres/PG_VERSION'), '15\n')
  assert.match(
    await refusal(startEmbeddedPostgres({ dataDir, log })),
    /was made by PostgreSQL 15 and this program brings PostgreSQL \d\d/,
  )
})

test('a folder of something else is refused and not touched', async () => {
  const dataDir = newDataDir()
  await mkdir(path.join(dataDir, 'postgres'), { recursive: true })
  await writeFile(path.join(dataDir, 'postgres/letters.txt'), 'mine')
  assert.match(await refusal(startEmbeddedPostgres({ dataDir, log })), /postgres is not empty and is no data folder/)
  assert.equal(await readFile(path.join(dataDir, 'postgres/letters.txt'), 'utf8'), 'mine')
})

test('a data folder that cannot be is named', async () => {
  const dataDir = path.join(newDataDir(), 'file')
  await mkdir(path.dirname(dataDir))
  await writeFile(dataDir, '')
  assert.match(
    await refusal(startEmbeddedPostgres({ dataDir, log })),
    new RegExp(`^cannot use the data folder ${dataDir}: `),
  )
})

test('a log that is not ours to write is named', { skip: process.getuid?.() === 0 }, async () => {
  const dataDir = await usedDataDir()
  await chmod(path.join(dataDir, 'postgres.log'), 0o400)
  assert.match(await refusal(startEmbeddedPostgres({ dataDir, log })), /^cannot use the data folder .*postgres\.log\)$/)
})

test('what keeps PostgreSQL from starting is told in its own words', async () => {
  const dataDir = await usedDataDir()
  const settings = { shared_buffers: 'plenty' }
  assert.match(
    await refusal(startEmbeddedPostgres({ dataDir, log, settings })),
    /^PostgreSQL did not start: .*shared_buffers.*plenty/,
  )
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}
