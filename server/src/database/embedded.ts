import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pause } from '../core/clock.ts'
import { StartError } from '../core/start-error.ts'
import { accountFor } from './account.ts'
import { findBinaries } from './binaries.ts'
import { ensureCluster, ROLE, readPassword } from './cluster.ts'
import {
  askToStop,
  findPostmaster,
  isAlive,
  type LockFile,
  type Owner,
  removeMisleadingLockFile,
} from './postmaster.ts'
import { startServer } from './server-process.ts'

export interface EmbeddedPostgres {
  /** A `postgres://` address with the password in it. */
  url: string
  /** Resolves with a reason if PostgreSQL ends without having been asked to. */
  crashed: Promise<string>
  stop(): Promise<void>
}

interface Options {
  dataDir: string
  log: { info(line: string): void }
  purpose?: Owner['purpose']
  /** PostgreSQL settings beyond or instead of our own. */
  settings?: Record<string, string>
}

/** How long a command may keep the database to itself before a service or another command gives up. */
const COMMAND_ENDS_WITHIN = 30_000
/** The server of a killed service goes by itself, unless what should stop it was killed too; then we ask it. */
const REMAINS_GO_WITHIN = 2000
const REMAINS_END_WITHIN = 60_000

/** Starts PostgreSQL on `dataDir`, creating what is missing. Throws a `StartError` where a person has to do something. */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir)
  try {
    return await start({ ...options, dataDir })
  } catch (error) {
    const { code, path: place = dataDir, message } = error as NodeJS.ErrnoException
    if (!code) throw error
    throw new StartError(`cannot use the data folder ${dataDir}: ${message.replace(/, .*/, '')} (${place})`)
  }
}

async function start({ dataDir, log, purpose = 'service', settings = {} }: Options): Promise<EmbeddedPostgres> {
  const folder = clusterFolder(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const account = await accountFor(folder, dataDir)
  const cluster = { folder, account, binaries: await findBinaries(account) }
  await ensureCluster(cluster, log)
  const owner = { purpose, pid: process.pid }
  const since = Date.now()
  for (;;) {
    await waitForOthers(folder, dataDir)
    try {
      const server = await startServer({ cluster, dataDir, log, owner, settings })
      return { url: await urlOf(folder, server), crashed: server.crashed, stop: server.stop }
    } catch (error) {
      // Another one was faster, or processes of one that was killed have not all ended yet.
      const inUse = /shared memory block/.test(String(error)) && Date.now() - since < REMAINS_END_WITHIN
      if (!inUse && !(await findPostmaster(folder))) throw error
    }
  }
}

/** The address of the database of a service that runs on `dataDir`. While it still starts, that is waited for. */
export async function findRunningPostgres(dataDir: string): Promise<string | undefined> {
  const folder = clusterFolder(dataDir)
  for (;;) {
    const postmaster = await findPostmaster(folder)
    const { owner, status } = postmaster ?? {}
    if (owner?.purpose !== 'service' || !isAlive(owner.pid) || status === 'stopping') return undefined
    if (postmaster && status === 'ready') return await urlOf(folder, postmaster)
    await pause(20)
  }
}

/** For a command beside a service that may or may not run: its database, or the same started for the moment. */
export async function borrowEmbeddedPostgres(options: Omit<Options, 'purpose'>): Promise<EmbeddedPostgres> {
  const running = async () => {
    const url = await findRunningPostgres(options.dataDir)
    return url ? { url, crashed: new Promise<string>(() => {}), stop: async () => {} } : undefined
  }
  const start = () => startEmbeddedPostgres({ ...options, purpose: 'command' })
  // A service that starts meanwhile is no reason to fail.
  return (await running()) ?? (await start().catch(async (error) => (await running()) ?? Promise.reject(error)))
}

function clusterFolder(dataDir: string): string {
  return path.resolve(dataDir, 'postgres')
}

/** Returns when no server runs on the cluster. What is left of a killed service is waited for, then stopped. */
async function waitForOthers(folder: string, dataDir: string): Promise<void> {
  const since = Date.now()
  for (;;) {
    const postmaster = await findPostmaster(folder)
    if (!postmaster) return await removeMisleadingLockFile(folder)
    const { owner, pid, host } = postmaster
    const waited = Date.now() - since
    if (owner && isAlive(owner.pid)) {
      const patience = owner.purpose === 'command' ? COMMAND_ENDS_WITHIN : 0
      if (waited >= patience) throw new StartError(`the data folder ${dataDir} is in use by process ${owner.pid}`)
    } else if (waited > REMAINS_END_WITHIN) {
      throw new StartError(`the data folder ${dataDir} is in use by PostgreSQL, process ${pid}, which does not stop`)
    } else if (waited > REMAINS_GO_WITHIN && host) {
      askToStop(pid)
    }
    await pause(20)
  }
}

async function urlOf(folder: string, { host, port, pid }: LockFile): Promise<string> {
  const password = await readPassword(folder).catch((error: Error) => {
    throw new StartError(
      `PostgreSQL runs on ${folder} as process ${pid}, but its password is out of reach: ${error.message}`,
    )
  })
  // sslmode, as the environment may hold a PGSSLMODE that was meant for another server.
  return `postgres://${ROLE}:${password}@${encodeURIComponent(host)}:${port}/${ROLE}?sslmode=disable`
}
