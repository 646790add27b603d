import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/database/embedded.ts'

/** Nothing of it outlives the tests, so it need not reach the disk. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '128MB' }

/** Starts a PostgreSQL in a folder for temporary files, which goes with it. */
export async function startTestServer(): Promise<Pick<EmbeddedPostgres, 'url' | 'stop'>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'docketcall-test-'))
  const remove = () => rm(dataDir, { recursive: true, force: true })
  try {
    const { url, stop } = await startEmbeddedPostgres({ dataDir, log: { info() {} }, settings: SETTINGS })
    return { url, stop: () => stop().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}
