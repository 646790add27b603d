/** A process of its own to be killed or, by SIGTERM, to end: starts PostgreSQL on the given data folder, prints its address and waits. */
import { startEmbeddedPostgres } from '../../src/database/embedded.ts'

const [dataDir, purpose] = process.argv.slice(2)
const { url, stop } = await startEmbeddedPostgres({
  dataDir: dataDir!,
  purpose: purpose as 'service' | 'command',
  log: { info() {} },
})
// As a service that has something to finish first.
process.on('SIGINT', () => {})
process.once('SIGTERM', () => stop().finally(() => process.exit()))
// When the test that started it is gone, so is this.
process.stdin.on('close', () => process.exit()).resume()
process.stdout.write(`${url}\n`)
