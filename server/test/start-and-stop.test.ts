import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { availableParallelism, loadavg } from 'node:os'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { pause } from '../src/core/clock.ts'
import { cloneDatabase } from './support/database.ts'
import { keyIn, newDataDir, readLog, startService } from './support/service.ts'

/** The settings of a service on an empty database of the tests' own server. */
async function external(settings: Record<string, string> = {}) {
  const { connectionString } = await cloneDatabase()
  return { DATABASE_URL: connectionString, DATA_DIR: await newDataDir(), ...settings }
}

const ask = async (url: string, key = '') => (await fetch(url, { headers: { 'x-api-key': key } })).status

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the first start shows a key that works, later starts show none, and kill -9 changes nothing of it', async () => {
  const settings = { DATA_DIR: await newDataDir() }
  const first = startService(settings)
  const url = await first.ready
  const key = keyIn(first.stdout())!
  assert.equal(await ask(`${url}/v1/case_lists`, key), 200)
  assert.equal(await ask(`${url}/v1/case_lists`, `${key}x`), 401)
  first.child.kill('SIGKILL')
  await first.ended

  const killed = startService(settings)
  assert.equal(await ask(`${await killed.ready}/v1/case_lists`, key), 200)
  assert.equal(keyIn(killed.stdout()), undefined)
  killed.child.kill('SIGTERM')
  assert.equal(await killed.ended, 0)

  // The best of a few, as the machine may be busy with other tests; where it is far too busy, it proves nothing.
  const took: number[] = []
  while (took.length < 4 && !took.some((ms) => ms < 3000)) {
    const since = performance.now()
    const again = startService(settings)
    await again.ready
    took.push(performance.now() - since)
    again.child.kill('SIGTERM')
    assert.equal(await again.ended, 0)
  }
  const busy = loadavg()[0]! > 2 * availableParallelism()
  assert.ok(busy || Math.min(...took) < 3000, `${took} ms to a later start`)

  assert.ok(!(await readLog(settings.DATA_DIR)).includes('dk_'), 'no key in the log')
  const lines = [first, killed].flatMap(({ stdout }) => stdout().split('\n'))
  assert.ok(!lines.some((line) => line.startsWith('{') && line.includes('dk_')), 'no key in a line of the log')
  assert.deepEqual([first.stderr(), killed.stderr()], ['', ''])
})

test('of several processes that start at once on an empty database exactly one creates the company and its key', async () => {
  const { DATABASE_URL } = await external()
  const services = await Promise.all(
    [1, 2, 3].map(async () => startService({ DATABASE_URL, DATA_DIR: await newDataDir() })),
  )
  const urls = await Promise.all(services.map(({ ready }) => ready))
  const keys = services.flatMap(({ stdout }) => keyIn(stdout()) ?? [])
  assert.equal(keys.length, 1)
  for (const url of urls) assert.equal(await ask(`${url}/v1/case_lists`, keys[0]), 200)
  for (const { child } of services) child.kill('SIGTERM')
  for (const { ended } of services) assert.equal(await ended, 0)
})

test('API_KEY is the first key and is not shown; later it is said when it is not one', async () => {
  const API_KEY = 'a-key-of-the-operators-own-choice'
  const settings = await external({ API_KEY })
  const service = startService(settings)
  assert.equal(await ask(`${await service.ready}/v1/case_lists`, API_KEY), 200)
  service.child.kill('SIGTERM')
  await service.ended
  const other = startService({ ...settings, API_KEY: 'another-key-that-comes-too-late' })
  await other.ready
  other.child.kill('SIGTERM')
  await other.ended
  assert.match(other.stdout(), /API_KEY is not a key of this installation/)
  for (const { stdout } of [service, other]) assert.ok(!/own-choice|too-late/.test(stdout()))
})

test('a request in hand is answered before the service ends, new ones find no one', async () => {
  const service = startService(await external())
  const { hostname, port, href } = new URL(await service.ready)
  const body = JSON.stringify({
    external_source: 'manual',
    external_source_id: '1',
    first_name: 'Ana',
    last_name: 'Lee',
  })
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST /v1/clients HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${keyIn(service.stdout())}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  )
  await pause(200)
  service.child.kill('SIGTERM')
  await pause(300)
  await assert.rejects(fetch(href))
  socket.write(body.slice(10))
  assert.match(await text(socket), /^HTTP\/1\.1 201 /)
  assert.equal(await service.ended, 0)
})

test('a request that never ends does not keep the service: it leaves within 10 s', async () => {
  const service = startService(await external())
  const { hostname, port } = new URL(await service.ready)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write(
    `POST /v1/clients HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${keyIn(service.stdout())}\r\nContent-Length: 9\r\n\r\n{`,
  )
  await pause(200)
  const since = performance.now()
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
  assert.ok(performance.now() - since < 10_000)
})

test('a second signal ends the service at once; the same one twice from terminal and npm does not', async () => {
  const service = startService(await external())
  const { hostname, port } = new URL(await service.ready)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write('POST /v1/clients HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{')
  await pause(200)
  service.child.kill('SIGINT')
  service.child.kill('SIGINT')
  await pause(700)
  assert.equal(service.child.exitCode, null)
  service.child.kill('SIGINT')
  const since = performance.now()
  assert.equal(await service.ended, 1)
  assert.ok(performance.now() - since < 500)
})

test('SIGTERM that reaches only npm ends the service and its PostgreSQL, too', async () => {
  const service = startService({ DATA_DIR: await newDataDir() }, ['npm', 'start'])
  await service.ready
  const [, pid] = /"pid":(\d+)/.exec(service.stdout())!
  service.child.kill('SIGTERM')
  const ended = await Promise.race([service.ended, pause(10_000)])
  assert.notEqual(ended, undefined, 'within 10 s')
  assert.ok(!isAlive(Number(pid)))
  assert.match(service.stdout(), /"msg":"stopped"/)
})

test('ROLE=api runs no engine and ROLE=engine answers no requests, and both are ready', async () => {
  const settings = await external()
  const api = startService({ ...settings, ROLE: 'api' })
  const key = (await api.ready) && keyIn(api.stdout())
  const engine = startService({ ...settings, ROLE: 'engine' })
  for (const service of [api, engine]) assert.equal(await ask(`${await service.ready}/readyz`), 200)
  assert.equal(await ask(`${await engine.ready}/v1/case_lists`, key), 404)
  assert.equal(await ask(`${await api.ready}/v1/case_lists`, key), 200)
  assert.match(
    await (await fetch(`${await engine.ready}/metrics`)).text(),
    /^docketcall_jobs\{state="running"\} [1-9]/m,
  )
  for (const { child } of [api, engine]) child.kill('SIGTERM')
  for (const { ended } of [api, engine]) assert.equal(await ended, 0)
})

test('what keeps the service from starting is told in one line, and the exit code is not 0', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const port = String((taken.address() as AddressInfo).port)
  const settings = await external()
  const { DATABASE_URL } = settings
  for (const [wrong, line] of [
    [{ PORT: port }, `port ${port} of 127.0.0.1 is in use by another program`],
    [{ HOST: 'no.such.host.invalid' }, 'cannot listen at port 0 of no.such.host.invalid'],
    [{ DATABASE_URL: DATABASE_URL.replace(/[^/?]+(\?|$)/, 'none$1') }, 'cannot use the database of DATABASE_URL'],
    [{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, 'ECONNREFUSED'],
    [{ SANDBOX_SPED: '3' }, 'there is no setting SANDBOX_SPED; did you mean SANDBOX_SPEED?'],
    [{ PORT: 'eighty', LOG_LEVEL: 'loud' }, 'PORT must be a whole number from 0 to 65535; LOG_LEVEL must be one of'],
    [
      { DATA_DIR: '/dev/null/data' },
      'DATA_DIR must be a folder that this account may write to; /dev/null/data is none',
    ],
  ] as const) {
    const { ended, stderr, stdout } = startService({ ...settings, ...wrong } as Record<string, string>)
    assert.equal(await ended, 1, line)
    assert.ok(stderr().startsWith('docketcall: ') && stderr().includes(line), stderr())
    assert.equal(stderr().split('\n').length, 2, stderr())
    assert.equal(keyIn(stdout()), undefined, 'no key is lost with a failed start')
  }
})
