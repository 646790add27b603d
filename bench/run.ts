/** `npm run bench`: every part in a process of its own, one after the other, and one table. `npm run bench -- api` runs one. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, loadavg } from 'node:os'
import { type Row, table } from './report.ts'

const PARTS = ['api', 'bulk', 'engine', 'mcp', 'plan', 'relay', 'webhooks']

const asked = process.argv.slice(2)
const unknown = asked.filter((part) => !PARTS.includes(part))
if (unknown.length > 0) {
  process.stderr.write(`no such part: ${unknown.join(', ')}; there are ${PARTS.join(', ')}\n`)
  process.exit(1)
}

const load = loadavg()[0]!.toFixed(1)
process.stdout.write(
  `${availableParallelism()} cores (for the service, PostgreSQL and the load together), load average ${load} before, Node ${process.version}\n`,
)
const rows: Row[] = []
for (const part of asked.length > 0 ? asked : PARTS) {
  process.stdout.write(`${part} …\n`)
  const measuring = fork(new URL(`${part}.ts`, import.meta.url))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => measuring.kill(signal))
  measuring.on('message', (more) => rows.push(...(more as Row[])))
  const [code] = await once(measuring, 'exit')
  if (code !== 0) process.exitCode = 1
}
process.stdout.write(`\n${table(rows)}`)
