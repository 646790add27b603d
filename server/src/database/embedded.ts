import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pause } from '../core/clock.ts'
import { StartError } from '../core/start-error.ts'
import { accountFor } from './account.ts'
import { findBinaries } from './binaries.ts'
import { type Cluster, ensureCluster, ROLE, readPassword } from './cluster.ts'
import { findPostmaster, isAlive, type LockFile, type Owner, removeMisleadingLockFile } from './postmaster.ts'
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
/** The rest of a killed service goes by itself, as a rule within a second. */
const REMAINS_END_WITHIN = 60_000

/** Starts PostgreSQL on `dataDir`, creating what is missing. Throws a `StartError` where a person has to do something. */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const { log, purpose = 'service', settings = {} } = options
  const dataDir = path.resolve(options.dataDir)
  const cluster = await prepare(dataDir, log)
  const owner = { purpose, pid: process.pid }
  for (;;) {
    await waitForOthers(cluster, dataDir)
    try {
      const server = await startServer({ cluster, dataDir, log, owner, settings })
      return { url: await urlOf(cluster.folder, server), crashed: server.crashed, stop: server.stop }
    } catch (error) {
      const faster = await findPostmaster(cluster.folder)
      if (!faster) throw error
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

async function prepare(dataDir: string, log: Options['log']): Promise<Cluster> {
  const folder = clusterFolder(dataDir)
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const account = await accountFor(folder, dataDir)
    const cluster = { folder, account, binaries: await findBinaries(account) }
    await ensureCluster(cluster, log)
    return cluster
  } catch (error) {
    const { code, path: place, message } = error as NodeJS.ErrnoException
    if (!code || error instanceof StartError) throw error
    throw new StartError(`cannot use the data folder ${dataDir}: ${message.replace(/, .*/, '')} (${place ?? dataDir})`)
  }
}

/** Returns when no server runs on the cluster. What is left of a killed service is waited for, then stopped. */
async function waitForOthers(cluster: Cluster, dataDir: string): Promise<void> {
  const since = Date.now()
  let stopped = false
  for (;;) {
    const postmaster = await findPostmaster(cluster.folder)
    if (!postmaster) return await removeMisleadingLockFile(cluster.folder)
    const { owner, pid, host } = postmaster
    const waited = Date.now() - since
    if (owner && isAlive(owner.pid)) {
      const patience = owner.purpose === 'command' ? COMMAND_ENDS_WITHIN : 0
      if (waited >= patience) throw new StartError(`the data folder ${dataDir} is in use by process ${owner.pid}`)
    } else if (waited > REMAINS_END_WITHIN) {
      throw new StartError(`the data folder ${dataDir} is in use by PostgreSQL, process ${pid}, which does not stop`)
    } else if (waited > 2000 && host && !stopped) {
      stopped = true
      process.kill(pid, 'SIGINT')
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
