/** `npm test`: runs the given test files, or all of them, on one PostgreSQL. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { startTestServer } from './support/test-server.ts'

const { TEST_DATABASE_URL } = process.env
const files = process.argv.slice(2)
if (files.length === 0) files.push('{server,bench,demo,examples}/**/*.test.ts')

const server = TEST_DATABASE_URL ? undefined : await startTestServer()
try {
  const options = [
    '--test',
    '--test-reporter=spec',
    '--test-timeout=600000',
    `--test-concurrency=${availableParallelism()}`,
  ]
  const tests = spawn(process.execPath, [...options, ...files], {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: TEST_DATABASE_URL ?? server?.url },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
  const [code] = await once(tests, 'exit')
  process.exitCode = code ?? 1
} finally {
  await server?.stop()
}
