import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../server/src/database/embedded.ts'
import { migrate } from '../server/src/database/migrate.ts'

/** A migrated database of its own, with the settings that the service runs with: fsync on. */
export async function benchDatabase(): Promise<{ config: { connectionString: string }; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'docketcall-bench-'))
  const log = { info() {} }
  const server = await startEmbeddedPostgres({ dataDir, log })
  const config = { connectionString: server.url }
  await migrate(server.url, { log })
  return {
    config,
    async stop() {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
