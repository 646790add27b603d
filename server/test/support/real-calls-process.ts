import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { buildMonitor } from '../../src/app.ts'
import { fastClock } from '../../src/core/clock.ts'
import { openPool } from '../../src/core/db.ts'
import { startEngine } from '../../src/engine/engine.ts'
import { jobs, listen } from '../../src/jobs.ts'
import { stopServing } from '../../src/leaving.ts'
import { createProviders } from '../../src/providers/index.ts'

/** An engine that really calls by `SETTINGS`, in a process of its own, to be stopped and killed. Tells its port. */
const { DATABASE_URL, SETTINGS, CLOCK, PORT = '0', LOG_LEVEL } = process.env
const { instant, since, speed } = JSON.parse(CLOCK!) as { instant: string; since: number; speed: number }
const clock = fastClock(new Date(instant), new Date(since), speed)
const settings = JSON.parse(SETTINGS!)
const pool = openPool({ connectionString: DATABASE_URL, max: 8 })
const log = pino({ level: LOG_LEVEL ?? 'silent' })
const providers = createProviders(pool, clock, settings)
const app = buildMonitor({ pool, clock, log })
providers.voice.addRoutes?.(app)
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
const engine = await startEngine({
  pool,
  clock,
  log,
  providers,
  jobs,
  listen,
  alone: false,
  maxConcurrentCalls: 30,
  publicUrl: settings.PUBLIC_URL,
})
process.send?.((app.server.address() as AddressInfo).port)
process.once('disconnect', () => process.exit())
process.once('SIGTERM', async () => {
  await stopServing(app, engine, providers.voice)
  await pool.end()
  process.exit()
})
