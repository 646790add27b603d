import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'

const ROOT = path.resolve(import.meta.dirname, '../../..')

type Settings = Record<string, string>

export interface ServiceProcess {
  child: ChildProcess
  /** Everything that it has printed so far. */
  stdout(): string
  stderr(): string
  /** Resolves with its address once it has said that it is ready; fails when it ends before. */
  ready: Promise<string>
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string>
}

/** As `npm start` sets it. */
const COMPILE_CACHE = { NODE_COMPILE_CACHE: 'node_modules/.cache/node' }

/** The environment of the tests without what belongs to the tests themselves. */
function environment(settings: Settings): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, TMPDIR, ...COMPILE_CACHE, PORT: '0', ...settings }
}

/** Starts the whole service as a process of its own. Whatever is left of it is killed after the file's tests. */
export function startService(settings: Settings, command = [process.execPath, 'server/src/main.ts']): ServiceProcess {
  const [program, ...options] = command
  const child = spawn(program!, options, { cwd: ROOT, env: environment(settings), stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.setEncoding('utf8').on('data', (text) => {
      printed[name] += text
    })
  after(() => child.kill('SIGKILL'))
  // When its output is closed, too, everything that it printed has been read.
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout!.on('data', () => {
      const [, url] = /Base URL +(\S+)/.exec(printed.stdout) ?? []
      if (url && printed.stdout.endsWith('\n\n')) resolve(url)
    })
    ended.then((code) => reject(new Error(`ended with ${code}: ${printed.stderr}`)))
  })
  ready.catch(() => {})
  return { child, stdout: () => printed.stdout, stderr: () => printed.stderr, ready, ended }
}

/** Runs a command of the command line. */
export async function runCli(settings: Settings, ...options: string[]) {
  const { stdout, stderr, ended } = startService(settings, [process.execPath, 'server/src/cli.ts', ...options])
  return { code: await ended, stdout: stdout(), stderr: stderr() }
}

/** A folder of its own for data, removed after the file's tests. */
export async function newDataDir(): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), 'docketcall-service-'))
  after(() => rm(parent, { recursive: true, force: true }))
  return path.join(parent, 'data')
}

export const keyIn = (text: string): string | undefined => /dk_[\w-]+/.exec(text)?.[0]

export const readLog = (dataDir: string): Promise<string> => readFile(path.join(dataDir, 'docketcall.log'), 'utf8')
