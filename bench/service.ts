/** The service as `main.ts` builds it, without the engine and without a limit. */
import { pino } from 'pino'
import { buildApp } from '../server/src/app.ts'
import { realClock } from '../server/src/core/clock.ts'
import { openPool } from '../server/src/core/db.ts'
import { operations } from '../server/src/operations.ts'
import { tools } from '../server/src/tools.ts'
import { serve } from './server.ts'

const pool = openPool({ connectionString: process.env.BENCH_DATABASE })
const log = pino({ level: 'warn' })
await serve(buildApp({ service: { pool, clock: realClock, log }, operations, tools, rateLimit: 0 }), pool)
