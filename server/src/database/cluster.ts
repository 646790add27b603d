import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { StartError } from '../core/start-error.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'

/** The role that the program works as. It owns its database and is no superuser; nobody can log in as one. */
export const ROLE = 'docketcall'

const PASSWORD_FILE = 'docketcall.password'

const HBA = `# Written once by Docketcall. To do a superuser's work, stop the service and use "postgres --single".
local all ${ROLE} scram-sha-256
host all ${ROLE} 127.0.0.1/32 scram-sha-256
`

/** Everything that PostgreSQL's programs need to be started on a cluster. */
export interface Cluster {
  folder: string
  binaries: Binaries
  account: Account | undefined
}

/**
 * Makes the cluster, its role and its database where there is none yet. They are made beside it and renamed when
 * complete: a process killed on the way leaves nothing half done, and of two that start at once one wins.
 */
export async function ensureCluster(cluster: Cluster, log: { info(line: string): void }): Promise<void> {
  const { folder, binaries } = cluster
  if (await isCluster(cluster)) return
  log.info(`creating a PostgreSQL ${binaries.major} data folder in ${folder}`)
  await removeAbandoned(folder)
  const fresh = await mkdtemp(`${folder}.new-`)
  try {
    await initialise({ ...cluster, folder: fresh })
    await rmdir(folder).catch(() => {})
    await rename(fresh, folder)
  } catch (error) {
    if (!(await isCluster(cluster).catch(() => false))) throw error
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

export async function readPassword(folder: string): Promise<string> {
  return await readFile(path.join(folder, PASSWORD_FILE), 'utf8')
}

async function isCluster({ folder, binaries, account }: Cluster): Promise<boolean> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code !== 'ENOENT') throw error
    return []
  })
  if (files.length === 0) return false
  if (!files.includes('PG_VERSION') || !files.includes(PASSWORD_FILE)) {
    throw new StartError(`${folder} is not empty and is no data folder of this program: move it away`)
  }
  const version = Number(await readFile(path.join(folder, 'PG_VERSION'), 'utf8'))
  if (version !== binaries.major) {
    throw new StartError(
      `${folder} was made by PostgreSQL ${version} and this program brings PostgreSQL ${binaries.major}: move the data with the version that made it (pg_dump), or start that`,
    )
  }
  // A copy that root has put back, for example.
  if (account && (await stat(folder)).uid !== account.uid) {
    throw new StartError(`${folder} belongs to root, and PostgreSQL does not run as root: chown it to another account`)
  }
  return true
}

/** `/proc/self/cwd` leads into the working folder even where the account may not enter the folders above it. */
export function folderArgument(folder: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : folder
}

/** None of our own: what the service was given (keys, passwords) is not PostgreSQL's business. */
export function environment(): NodeJS.ProcessEnv {
  return process.platform === 'win32' ? process.env : { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

async function initialise(cluster: Cluster): Promise<void> {
  const { folder, binaries, account } = cluster
  const own = async (file: string) => (account ? await chown(file, account.uid, account.gid) : undefined)
  await own(folder)
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  await run(cluster, binaries.initdb, ['-D', folderArgument(folder), '-U', 'postgres', '-A', 'trust', ...locale])
  await writeFile(path.join(folder, 'pg_hba.conf'), HBA)
  const password = randomBytes(24).toString('base64url')
  await run(
    cluster,
    binaries.postgres,
    ['--single', '-D', folderArgument(folder), 'postgres'],
    `create role ${ROLE} login createdb password '${password}'\ncreate database ${ROLE} owner ${ROLE}\n`,
  )
  const file = path.join(folder, PASSWORD_FILE)
  await writeFile(file, password, { mode: 0o600 })
  await own(file)
}

async function run({ folder, account }: Cluster, program: string, options: string[], input = ''): Promise<void> {
  const child = spawn(program, options, { ...account, cwd: folder, env: environment() })
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  child.stdin.on('error', () => {}).end(input)
  const [code, problems] = await Promise.all([ended, text(child.stderr), text(child.stdout)])
  // The single-user PostgreSQL carries on after a failed statement and ends with 0.
  if (code === 0 && !/^\S* ?(ERROR|FATAL|PANIC):/m.test(problems)) return
  const lines = problems.trim().split('\n')
  // What follows the reason is only how it cleans up.
  const reason = lines.find((line) => /error|FATAL|PANIC|could not/.test(line)) ?? (lines.at(-1) || `exit code ${code}`)
  throw new StartError(`could not create the PostgreSQL data folder ${folder}: ${reason}`)
}

/** What a killed process left. One that is still at work is done within seconds. */
async function removeAbandoned(folder: string): Promise<void> {
  const parent = path.dirname(folder)
  for (const name of await readdir(parent)) {
    if (!name.startsWith(`${path.basename(folder)}.new-`)) continue
    const made = await stat(path.join(parent, name)).catch(() => undefined)
    if (made && Date.now() - made.mtimeMs > 600_000) await rm(path.join(parent, name), { recursive: true, force: true })
  }
}
