import type { FastifyInstance } from 'fastify'
import sql from 'sql-template-tag'
import { pause } from '../core/clock.ts'
import type { Pool } from '../core/db.ts'
import { type Detail, Refusal } from '../core/errors.ts'

const ANSWERS_WITHIN = 2000

/** `/healthz`: the process is alive. `/readyz`: it can do its work; `engineReady` is absent where it runs no engine. */
export function addHealth(app: FastifyInstance, pool: Pool, engineReady?: () => boolean): void {
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async () => {
    const missing: Detail[] = []
    if (!(await answers(pool))) missing.push({ field: 'database', message: 'is out of reach' })
    if (engineReady && !engineReady()) missing.push({ field: 'engine', message: 'is not running' })
    if (missing.length === 0) return { status: 'ready' }
    const sentence = missing.map(({ field, message }) => `the ${field} ${message}`).join(' and ')
    throw new Refusal('service unavailable', `Not ready: ${sentence}`, missing)
  })
}

async function answers(pool: Pool): Promise<boolean> {
  const asked = pool.one(sql`select 1`).then(
    () => true,
    () => false,
  )
  const patience = new AbortController()
  const late = pause(ANSWERS_WITHIN, patience.signal).then(() => false)
  return await Promise.race([asked, late]).finally(() => patience.abort())
}
