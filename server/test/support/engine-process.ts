import { pino } from 'pino'
import { openPool } from '../../src/core/db.ts'
import { startEngine } from '../../src/engine/engine.ts'
import { openClock } from '../../src/engine/sandbox-clock.ts'
import { jobs, listen } from '../../src/jobs.ts'
import { createProviders } from '../../src/providers/index.ts'

/** An engine in a process of its own, to be killed: DATABASE_URL, SANDBOX_CLOCK, SANDBOX_SPEED. */
const pool = openPool({ connectionString: process.env.DATABASE_URL, max: 8 })
const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
const clock = await openClock(
  pool,
  { start: new Date(process.env.SANDBOX_CLOCK!), speed: Number(process.env.SANDBOX_SPEED) },
  log,
)
const engine = await startEngine({
  pool,
  clock,
  log,
  providers: createProviders(pool, clock),
  jobs,
  listen,
  alone: false,
  maxConcurrentCalls: 50,
  publicUrl: 'http://localhost',
})
process.send?.('ready')
process.once('SIGTERM', async () => {
  await engine.stop()
  await clock.stop()
  await pool.end()
  process.disconnect?.()
})
