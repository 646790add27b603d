/** A process to be killed: starts PostgreSQL on the given data folder, prints its address and waits. */
import { startEmbeddedPostgres } from '../../src/database/embedded.ts'

const [dataDir, purpose] = process.argv.slice(2)
const { url } = await startEmbeddedPostgres({
  dataDir: dataDir!,
  purpose: purpose as 'service' | 'command',
  log: { info() {} },
})
process.stdout.write(`${url}\n`)
setInterval(() => {}, 1000)
