import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'

/** What a PostgreSQL server writes into its lock file, `postmaster.pid`. */
export interface LockFile {
  pid: number
  /** Seconds since 1970. */
  startedAt: number
  port: number
  /** The folder of its Unix socket, or the address that it listens at. */
  host: string
  /** Empty at first, then `starting`, `ready` or `stopping`. */
  status: string
}

/** A server that is alive on a cluster. */
export interface Postmaster extends LockFile {
  /** The process that started it, as soon as it has written that down: until then the file tells of the one before. */
  owner: Owner | undefined
}

/** `command` is a command line that needs the database for a moment. */
export interface Owner {
  purpose: 'service' | 'command'
  pid: number
}

/** Written into the server's command line, from where it is read back in `postmaster.opts`. */
export function ownerName({ purpose, pid }: Owner): string {
  return `docketcall-${purpose}-${pid}`
}

export async function readLockFile(cluster: string): Promise<LockFile | undefined> {
  const file = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid, , startedAt, port, socketFolder, address, , status] = file.split('\n')
  if (!Number(pid)) return undefined
  return {
    pid: Number(pid),
    startedAt: Number(startedAt),
    port: Number(port),
    host: socketFolder || address || '',
    status: status?.trim() ?? '',
  }
}

/** The server that is alive on this cluster. A lock file whose process is gone, or is another program, tells of none. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lockFile = await readLockFile(cluster)
  if (!lockFile || !isAlive(lockFile.pid) || !(await worksOn(cluster, lockFile))) return undefined
  return { ...lockFile, owner: lockFile.status ? await readOwner(cluster) : undefined }
}

/** To PostgreSQL itself any process with the number in the lock file is a server, even one that is long dead. */
export async function removeMisleadingLockFile(cluster: string): Promise<void> {
  const lockFile = await readLockFile(cluster)
  if (lockFile && isNumberTaken(lockFile.pid) && !(await findPostmaster(cluster))) {
    await rm(path.join(cluster, 'postmaster.pid'))
  }
}

/**
 * Process numbers are used again, in containers after every restart. Either sign is enough: its socket may lie in a
 * /tmp that we don't see (systemd's PrivateTmp), and its working folder is hidden from root in an ordinary container.
 */
async function worksOn(cluster: string, { pid, port, host }: LockFile): Promise<boolean> {
  // It is still writing the lock file.
  if (!host) return true
  if (await answers(host, port)) return true
  const [own, its] = await Promise.all(
    [cluster, `/proc/${pid}/cwd`].map((folder) => stat(folder).catch(() => undefined)),
  )
  return own !== undefined && own.dev === its?.dev && own.ino === its.ino
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect(path.isAbsolute(host) ? { path: path.join(host, `.s.PGSQL.${port}`) } : { host, port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function readOwner(cluster: string): Promise<Owner | undefined> {
  const options = await readFile(path.join(cluster, 'postmaster.opts'), 'utf8').catch(() => '')
  const found = /cluster_name=docketcall-(service|command)-(\d+)"/.exec(options)
  return found ? { purpose: found[1] as Owner['purpose'], pid: Number(found[2]) } : undefined
}

/** Its sessions are ended and rolled back. To ask again does no harm. */
export function askToStop(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGINT')
}

export function isAlive(pid: number): boolean {
  return isNumberTaken(pid) && !isZombie(pid)
}

function isNumberTaken(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Where nobody reaps the dead (a container whose first process is not an init), they keep their number. */
function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
