import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { buildMonitor } from '../../src/app.ts'
import { fastClock } from '../../src/core/clock.ts'
import { openPool } from '../../src/core/db.ts'
import { startEngine } from '../../src/engine/engine.ts'
import { jobs, listen } from '../../src/jobs.ts'
import { stopServing } from '../../src/leaving.ts'
import { createProviders } from '../../src/providers/index.ts'
import { twilioSettings } from './real-calls.ts'

/** An engine that really calls, in a process of its own, to be stopped and killed. Tells its port. */
const { DATABASE_URL, TWILIO, PUBLIC_URL, CLOCK, LOG_LEVEL } = process.env
const [start, anchor, speed] = JSON.parse(CLOCK!) as [string, string, number]
const clock = fastClock(new Date(start), new Date(anchor), speed)
const pool = openPool({ connectionString: DATABASE_URL, max: 8 })
const log = pino({ level: LOG_LEVEL ?? 'silent' })
const providers = createProviders(pool, clock, twilioSettings({ api: TWILIO!, url: PUBLIC_URL! }))
const app = buildMonitor({ pool, clock, log })
providers.voice.addRoutes?.(app)
await app.listen({ port: 0, host: '127.0.0.1' })
const engine = await startEngine({
  pool,
  clock,
  log,
  providers,
  jobs,
  listen,
  alone: false,
  maxConcurrentCalls: 40,
  publicUrl: PUBLIC_URL!,
})
process.send?.((app.server.address() as AddressInfo).port)
process.once('disconnect', () => process.exit())
process.once('SIGTERM', async () => {
  await stopServing(app, engine, providers.voice)
  await pool.end()
  process.exit()
})
