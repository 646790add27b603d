import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Run } from './campaign.ts'
import { Trouble } from './trouble.ts'

/** What a demo that is killed must find again to go on. */
export interface Memory {
  /** Names the demo's data folder, and goes into the Idempotency-Key of its requests: one demo does everything once. */
  id: string
  api_key: string
  /** SHA-256 of the file. */
  digest: string
  begun_at: string
  /** Seconds that pass for the service in one. */
  speed: number
  /** The demo's own process. */
  pid: number
  service?: { pid: number; url: string }
  /** The runs of the campaign, which were chosen by the clock. */
  runs?: Run[]
  /** Values that the service refused, and why: by case number and field. */
  refused: Record<string, Record<string, string>>
  over: boolean
}

const FILE = 'demo.json'

/** Idempotency keys are kept for a day: what is older is not gone on with. */
const GONE_ON_WITH_MS = 20 * 3_600_000

/** A demo that runs touches its file once a second. */
const ALIVE_MS = 10_000

export interface Notebook {
  memory: Memory
  /** The service's data. */
  dataDir: string
  save(): void
}

/** What the last demo left, unless it is of no use any more. */
export function recall(folder: string): Memory | undefined {
  const file = path.join(folder, FILE)
  let memory: Memory
  try {
    memory = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
  if (memory.pid !== process.pid && isAlive(memory.pid) && Date.now() - statSync(file).mtimeMs < ALIVE_MS)
    throw new Trouble(`the demo is running already, as process ${memory.pid}`)
  return memory
}

export function canGoOn(memory: Memory, content: Uint8Array): boolean {
  return (
    !memory.over && memory.digest === digestOf(content) && Date.now() - Date.parse(memory.begun_at) < GONE_ON_WITH_MS
  )
}

export function newMemory(content: Uint8Array, speed: number): Memory {
  return {
    id: randomBytes(6).toString('hex'),
    api_key: `dk_demo_${randomBytes(18).toString('base64url')}`,
    digest: digestOf(content),
    begun_at: new Date().toISOString(),
    speed,
    pid: process.pid,
    refused: {},
    over: false,
  }
}

export function openNotebook(folder: string, memory: Memory): Notebook {
  const file = path.join(folder, FILE)
  const save = () => {
    writeFileSync(`${file}.new`, `${JSON.stringify(memory, null, 2)}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  const dataDir = path.join(folder, memory.id)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  memory.pid = process.pid
  save()
  setInterval(() => utimesSync(file, new Date(), new Date()), 1000).unref()
  return { memory, dataDir, save }
}

/** Removes the data of a demo that nobody goes on with. */
export function forget(folder: string, { id }: Memory): void {
  if (/^[0-9a-f]{12}$/.test(id)) rmSync(path.join(folder, id), { recursive: true, force: true })
}

const digestOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
