import { pino } from 'pino'
import { buildMonitor } from '../../src/app.ts'
import { fastClock } from '../../src/core/clock.ts'
import { openPool } from '../../src/core/db.ts'
import { startEngine } from '../../src/engine/engine.ts'
import { jobs, listen } from '../../src/jobs.ts'
import { createProviders } from '../../src/providers/index.ts'
import { type HostName, hostSettings } from './hosted-calls.ts'

/** An engine that calls through an emulated host, in a process of its own, to be killed. */
const { DATABASE_URL, HOST_NAME, HOST_URL, PUBLIC, CLOCK, LOG_LEVEL = 'silent' } = process.env
const pool = openPool({ connectionString: DATABASE_URL, max: 8 })
const log = pino({ level: LOG_LEVEL })
const { instant, since, speed } = JSON.parse(CLOCK!) as { instant: string; since: number; speed: number }
const clock = fastClock(new Date(instant), new Date(since), speed)
const providers = createProviders(pool, clock, hostSettings(HOST_NAME as HostName, HOST_URL!, PUBLIC!))
const app = buildMonitor({ pool, clock, log })
providers.voice.addRoutes?.(app)
await app.listen({ port: Number(new URL(PUBLIC!).port), host: '127.0.0.1' })
await startEngine({
  pool,
  clock,
  log,
  providers,
  jobs,
  listen,
  alone: false,
  maxConcurrentCalls: 30,
  publicUrl: PUBLIC!,
})
process.send?.('ready')
process.once('disconnect', () => process.exit())
