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
/** Two days and the night between them pass in half a minute. */
export const SPEED = 6000
export const LINES = 50

export interface Service {
  url: string
  /** Resolves, with what it said last, when the service ends by itself. */
  ended: Promise<string>
  stop(): Promise<void>
}

/** Starts the service in a process of its own, or takes the one that a killed demo left running. */
export async function startService(notebook: Notebook): Promise<Service> {
  const { memory, dataDir, save } = notebook
  if (memory.service && (await answers(memory))) return adopted(memory.service)
  const url = `http://127.0.0.1:${await freePort()}`
  const output = path.join(dataDir, 'service.out')
  const child = launch(dataDir, url, memory.api_key, output)
  const ended = once(child, 'exit').then(() => lastWords(output))
  memory.service = { pid: child.pid!, url }
  save()
  const failed = await Promise.race([ready(url, memory.api_key), ended])
  if (failed) throw new Trouble(`the service did not start: ${failed}`)
  return { url, ended, stop: () => stop(child.pid!, ended) }
}

/** Stops the service that a killed demo left running, if there is one. */
export async function stopLeftover(memory: Memory): Promise<void> {
  if (memory.service && (await answers(memory))) await adopted(memory.service).stop()
}

/** The service shows that it is ours by knowing our key. */
async function answers({ service, api_key }: Memory): Promise<boolean> {
  try {
    const answer = await fetch(`${service!.url}/v1/campaigns/settings`, { headers: { 'X-API-KEY': api_key } })
    return answer.ok && isAlive(service!.pid)
  } catch {
    return false
  }
}

function adopted({ pid, url }: NonNullable<Memory['service']>): Service {
  const gone = async () => {
    while (isAlive(pid)) await pause(100)
    return 'it is gone'
  }
  const ended = gone()
  return { url, ended, stop: () => stop(pid, ended) }
}

function launch(dataDir: string, url: string, apiKey: string, output: string): ChildProcess {
  const env: NodeJS.ProcessEnv = { ...process.env }
  // Nothing that is set for a real installation reaches the demo, and in its own folder there is no .env.
  for (const name of Object.keys(SETTINGS)) delete env[name]
  Object.assign(env, {
    PORT: new URL(url).port,
    DATA_DIR: dataDir,
    COMPANY_NAME: COMPANY,
    API_KEY: apiKey,
    RATE_LIMIT_PER_HOUR: '0',
    MAX_CONCURRENT_CALLS: String(LINES),
    SANDBOX_CLOCK: BEGINS.toISOString(),
    SANDBOX_SPEED: String(SPEED),
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
  for (;;) {
    try {
      // The key is created last.
      const answer = await fetch(`${url}/v1/campaigns/settings`, { headers: { 'X-API-KEY': apiKey } })
      if (answer.ok && (await fetch(`${url}/readyz`)).ok) return
    } catch {}
    await pause(50)
  }
}

async function stop(pid: number, ended: Promise<unknown>): Promise<void> {
  if (isAlive(pid)) process.kill(pid, 'SIGTERM')
  await ended
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
