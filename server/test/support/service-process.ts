import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { buildApp } from '../../src/app.ts'
import { realClock } from '../../src/core/clock.ts'
import { openPool } from '../../src/core/db.ts'
import { startEngine } from '../../src/engine/engine.ts'
import { jobs, listen } from '../../src/jobs.ts'
import { operations } from '../../src/operations.ts'
import { createProviders } from '../../src/providers/index.ts'
import { tools } from '../../src/tools.ts'

/** The front door and the engine in a process of their own, to be killed: DATABASE_URL. Tells its port. */
const pool = openPool({ connectionString: process.env.DATABASE_URL, max: 10 })
const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
const clock = realClock
const allowPrivateWebhooks = true
const app = buildApp({ service: { pool, clock, log, allowPrivateWebhooks }, operations, tools, rateLimit: 0 })
await app.listen({ host: '127.0.0.1', port: 0 })
await startEngine({
  pool,
  clock,
  log,
  providers: createProviders(pool, clock),
  jobs,
  listen,
  alone: true,
  maxConcurrentCalls: 1,
  publicUrl: 'http://localhost',
  allowPrivateWebhooks,
})
process.send?.((app.server.address() as AddressInfo).port)
process.once('disconnect', () => process.exit())
