import { type ChildProcess, execFile, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { pause } from '../core/clock.ts'
import { StartError } from '../core/start-error.ts'
import { type Cluster, environment, folderArgument } from './cluster.ts'
import { chooseAddress } from './listen-address.ts'
import { type LockFile, type Owner, ownerName, readLockFile } from './postmaster.ts'
import { openServerLog } from './server-log.ts'

/** What a small server with an SSD wants. Disk is always synced: a call once committed must not be forgotten. */
const SETTINGS: Record<string, string> = {
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  max_connections: '200',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Parallel plans take shared memory from /dev/shm, of which an ordinary container has 64 MB.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  autovacuum_naptime: '15s',
  min_wal_size: '256MB',
  log_checkpoints: 'off',
  // Details and statements would put people's data into the log.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/**
 * PostgreSQL outlives a service that is killed, so a shell that waits for the end of a pipe from the service stops it and
 * clears away the folder of its socket ($0). A line on the pipe dismisses the shell. It is a grandchild: a postmaster
 * takes a dying child for a crash of its own.
 */
const WITH_GUARD = `
( (
  trap '' HUP INT TERM
  read -r _ <&3 && exit
  kill -INT $$
  for second in 1 2 3 4 5 6 7 8 9; do sleep 1; rmdir "$0" && exit; done 2>/dev/null
) & )
exec "$@" 3<&-`

interface Options {
  cluster: Cluster
  dataDir: string
  log: { info(line: string): void }
  owner: Owner
  settings: Record<string, string>
}

export interface ServerProcess extends LockFile {
  crashed: Promise<string>
  stop(): Promise<void>
}

/** Starts PostgreSQL on a cluster that no other server uses and waits until it takes connections. */
export async function startServer({ cluster, dataDir, log, owner, settings }: Options): Promise<ServerProcess> {
  const { folder, binaries, account } = cluster
  const serverLog = await openServerLog(path.join(dataDir, 'postgres.log'))
  const address = await chooseAddress(account)
  const all = { ...SETTINGS, ...address.settings, cluster_name: ownerName(owner), ...settings }
  const command = [binaries.postgres, '-D', folderArgument(folder)]
  for (const [name, value] of Object.entries(all)) command.push('-c', `${name}=${value}`)
  const [program, ...options] =
    process.platform === 'win32' ? command : ['sh', '-c', WITH_GUARD, address.folder, ...command]

  const spawnedAt = Date.now()
  // A process group of its own: Ctrl-C in the terminal is for the service, which still needs its database to finish.
  const child = spawn(program!, options, {
    ...account,
    cwd: folder,
    env: environment(),
    stdio: ['ignore', serverLog.fd, serverLog.fd, 'pipe'],
    detached: true,
    windowsHide: true,
  })
  const guard = child.stdio[3] as Socket
  guard.on('error', () => {})
  // A process that has nothing else to do may end; the shell then stops the server.
  child.unref()
  guard.unref()
  let asked = false
  let over = false
  const ended = new Promise<string>((resolve) => {
    const end = async (reason?: string) => {
      if (over) return
      over = true
      guard.end('dismissed\n')
      const last = await serverLog.lastLine()
      await Promise.all([serverLog.close(), address.remove()])
      resolve(reason ?? last)
    }
    child.on('error', (error) => end(error.message)).on('exit', () => end())
  })

  const lockFile = await waitUntilReady()
  return {
    ...lockFile,
    crashed: new Promise((resolve) => ended.then((reason) => asked || resolve(`PostgreSQL ended: ${reason}`))),
    async stop() {
      asked = true
      child.ref()
      const patience = setTimeout(() => child.kill('SIGQUIT'), STOPS_WITHIN)
      await askToStop(cluster, child)
      await ended
      clearTimeout(patience)
    },
  }

  /** Without a limit of time: after a crash it may have gigabytes to read, and to kill it would not make that shorter. */
  async function waitUntilReady(): Promise<LockFile> {
    let saidAt = spawnedAt
    while (!over) {
      const found = await readLockFile(folder)
      // One from before may hold the same process number, in a container that was started again.
      const { pid, startedAt = 0, status } = found ?? {}
      if (pid === child.pid && startedAt >= Math.floor(spawnedAt / 1000) && status === 'ready') return found!
      if (Date.now() - saidAt > 5000) {
        saidAt = Date.now()
        log.info(`waiting for PostgreSQL: ${await serverLog.lastLine()}`)
      }
      await pause(10)
    }
    throw new StartError(`PostgreSQL did not start: ${await ended}`)
  }
}

/** Milliseconds for a shutdown checkpoint; then PostgreSQL is ended at once and repairs itself at the next start. */
const STOPS_WITHIN = 6000

/** Open transactions are rolled back. Windows has no signals, there `pg_ctl` knows how to ask. */
async function askToStop({ folder, binaries }: Cluster, child: ChildProcess): Promise<void> {
  if (process.platform !== 'win32') child.kill('SIGINT')
  else await promisify(execFile)(binaries.pg_ctl, ['stop', '-D', folder, '-m', 'fast'])
}
