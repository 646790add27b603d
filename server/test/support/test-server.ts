import { glob, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded.ts'
import { findPostmaster } from '../../src/database/postmaster.ts'

/** Nothing of it outlives the tests, so it need not reach the disk. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '128MB' }

const PREFIX = path.join(tmpdir(), 'docketcall-test-')

/** Starts a PostgreSQL in a folder for temporary files, which goes with it. */
export async function startTestServer(): Promise<Pick<EmbeddedPostgres, 'url' | 'stop'>> {
  await removeAbandoned()
  const dataDir = await mkdtemp(PREFIX)
  const remove = () => rm(dataDir, { recursive: true, force: true })
  try {
    const { url, stop } = await startEmbeddedPostgres({ dataDir, log: { info() {} }, settings: SETTINGS })
    return { url, stop: () => stop().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

/** What runs left that were killed. */
async function removeAbandoned(): Promise<void> {
  for await (const folder of glob(`${PREFIX}*`)) {
    const made = await stat(folder).catch(() => undefined)
    if (!made || Date.now() - made.mtimeMs < 3_600_000 || (await findPostmaster(path.join(folder, 'postgres'))))
      continue
    // Another account's stays.
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}
