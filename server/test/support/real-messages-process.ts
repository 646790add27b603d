import { pino } from 'pino'
import { buildMonitor } from '../../src/app.ts'
import { realClock } from '../../src/core/clock.ts'
import { openPool } from '../../src/core/db.ts'
import { startEngine } from '../../src/engine/engine.ts'
import { jobs, listen } from '../../src/jobs.ts'
import { addPreferencePages } from '../../src/preferences/routes.ts'
import { createProviders } from '../../src/providers/index.ts'
import { freePort } from './real-calls.ts'
import { settingsFor } from './real-messages.ts'

/** An engine that really texts and mails, in a process of its own: DATABASE_URL, TEXTS, MAIL. Tells its address. */
const pool = openPool({ connectionString: process.env.DATABASE_URL, max: 8 })
const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })
const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}`
const providers = createProviders(pool, realClock, settingsFor(process.env.TEXTS!, process.env.MAIL!, publicUrl))
const app = buildMonitor({ pool, clock: realClock, log })
for (const each of [providers.sms, providers.email]) each.addRoutes?.(app)
addPreferencePages(app, pool)
await app.listen({ port, host: '127.0.0.1' })
await startEngine({
  pool,
  clock: realClock,
  log,
  providers,
  jobs,
  listen,
  alone: false,
  maxConcurrentCalls: 1,
  publicUrl,
})
process.send?.(publicUrl)
process.once('disconnect', () => process.exit())
