import { execFile } from 'node:child_process'
import { chown, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { StartError } from '../core/start-error.ts'

const run = promisify(execFile)

/** An account of the operating system. */
export interface Account {
  uid: number
  gid: number
}

/**
 * Who PostgreSQL runs as when we are root, which it refuses to be: the owner of its files, else the owner of the data
 * folder, else an account that every system has. Undefined when we are not root: then it runs as we do.
 */
export async function accountFor(cluster: string, dataDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const folder of [cluster, dataDir]) {
    const owner = await stat(folder).catch(() => undefined)
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  }
  return (await lookUp('postgres')) ?? (await lookUp('nobody')) ?? missing()
}

async function lookUp(name: string): Promise<Account | undefined> {
  const id = async (flag: string) => Number((await run('id', [flag, name])).stdout)
  try {
    return { uid: await id('-u'), gid: await id('-g') }
  } catch {
    return undefined
  }
}

function missing(): never {
  throw new StartError(
    'PostgreSQL does not run as root, and there is no account postgres or nobody to run it: start as an ordinary user, or set DATABASE_URL',
  )
}

/** A file that root made in somebody's data folder belongs to that somebody, who may start the service next time. */
export async function giveToOwnerOf(folder: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await chown(file, uid, gid)
}
