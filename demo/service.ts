import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SETTINGS } from '../server/src/core/config.ts'
import { isAlive, type Memory, type Notebook } from './memory.ts'
import { Trouble } from './trouble.ts'

const MAIN = fileURLToPath(new URL('../server/src/main.ts', import.meta.url))

export const COMPANY = 'Hartwell & Osei LLP'

/** A Monday, seven in the morning in New York. */
export const BEGINS = new Date('2026-03-02T12:00:00Z')
export const LINES = 50

/**
 * Seconds that pass for the service in one: two days and the night between them in half a minute. Larger files take
 * longer, or the people in them could not all be called within the days of the campaign.
 */
export function speedFor(people: number): number {
  return Math.max(300, Math.min(6000, Math.round(42_000 / people) * 100))
}

export interface Service {
  url: string
  /** Resolves, with what it said last, when the service ends by itself. */
  ended: Promise<string>
  stop(): Promise<void>
}

/** The service of this demo, where it has started one. */
let started: Service | undefined

/** Starts the service in a process of its own, or takes the one that a killed demo left running. */
export async function startService({ memory, dataDir, save }: Notebook): Promise<Service> {
  const left = await leftover(memory)
  if (left) return left
  const url = `http://127.0.0.1:${await freePort()}`
  const output = path.join(dataDir, 'service.out')
  const child = launch(dataDir, url, memory, output)
  const ended = once(child, 'exit').then(() => lastWords(output))
  started = serviceOf({ pid: child.pid!, url }, ended)
  memory.service = { pid: child.pid!, url }
  save()
  const failed = await Promise.race([ready(url, memory.api_key), ended])
  if (failed) throw new Trouble(`the service did not start: ${failed}`)
  return started
}

/** Stops the service, also one that a killed demo left running. */
export async function stopService(memory: Memory): Promise<void> {
  await (started ?? (await leftover(memory)))?.stop()
}

/** Milliseconds that a service which a killed demo had just started has to come up. */
const COMES_UP_WITHIN = 10_000

/** What a killed demo left running: it shows that it is ours by knowing our key. */
async function leftover({ service, api_key }: Memory): Promise<Service | undefined> {
  const end = Date.now() + COMES_UP_WITHIN
  while (service && isAlive(service.pid) && Date.now() < end) {
    if (await isReady(service.url, api_key)) return serviceOf(service, gone(service.pid))
    await pause(100)
  }
}

function serviceOf({ pid, url }: NonNullable<Memory['service']>, ended: Promise<string>): Service {
  return {
    url,
    ended,
    async stop() {
      if (isAlive(pid)) process.kill(pid, 'SIGTERM')
      await ended
    },
  }
}

async function gone(pid: number): Promise<string> {
  while (isAlive(pid)) await pause(100)
  return 'its process is gone'
}

function launch(dataDir: string, url: string, { api_key, speed }: Memory, output: string): ChildProcess {
  const env: NodeJS.ProcessEnv = { ...process.env }
  // Nothing that is set for a real installation reaches the demo, and in its own folder there is no .env.
  for (const name of Object.keys(SETTINGS)) delete env[name]
  Object.assign(env, {
    PORT: new URL(url).port,
    DATA_DIR: dataDir,
    COMPANY_NAME: COMPANY,
    API_KEY: api_key,
    RATE_LIMIT_PER_HOUR: '0',
    MAX_CONCURRENT_CALLS: String(LINES),
    SANDBOX_CLOCK: BEGINS.toISOString(),
    SANDBOX_SPEED: String(speed),
  })
  const out = openSync(output, 'a', 0o600)
  try {
    // A group of its own: Ctrl-C is the demo's to hear, which then stops the service.
    return spawn(process.execPath, [MAIN], { cwd: dataDir, env, detached: true, stdio: ['ignore', out, out] })
  } finally {
    closeSync(out)
  }
}

async function ready(url: string, apiKey: string): Promise<undefined> {
  while (!(await isReady(url, apiKey))) await pause(50)
}

async function isReady(url: string, apiKey: string): Promise<boolean> {
  try {
    // The key is created last.
    const answer = await fetch(`${url}/v1/campaigns/settings`, { headers: { 'X-API-KEY': apiKey } })
    return answer.ok && (await fetch(`${url}/readyz`)).ok
  } catch {
    return false
  }
}

/** What the service said when it ended: its own line where it has one, else the error. */
function lastWords(output: string): string {
  const lines = readFileSync(output, 'utf8').trim().split('\n')
  const own = lines.findLast((line) => line.startsWith('docketcall: '))
  return own?.slice('docketcall: '.length) ?? lines.findLast((line) => /\bError\b/.test(line)) ?? `see ${output}`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
