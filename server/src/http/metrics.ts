import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import sql from 'sql-template-tag'
import type { Clock } from '../core/clock.ts'
import type { Database } from '../core/db.ts'

/** Seconds: an answer from memory, one from the database, a bulk request. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Milliseconds for which a look into the database is kept, however often somebody scrapes. */
const KEPT_MS = 5000

/** Answers. One by one the library takes 7 µs for each, of the 110 of a read; together 2. */
const COUNTED_AT_ONCE = 500

/** Counts every answer and serves `/metrics` as Prometheus text. */
export function addMetrics(app: FastifyInstance, db: Database, clock: Clock): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests by operation and status code',
    labelNames: ['operation', 'status'],
    registers,
  })
  const latency = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to its answer by operation',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers,
  })
  addStates(registry, db)
  new Gauge({
    name: 'docketcall_clock_seconds',
    help: "Time of the engine's clock: the real one, or the sandbox's",
    registers,
    collect() {
      this.set(clock.now().getTime() / 1000)
    },
  })

  const answered: { operation: string; status: number; ms: number }[] = []
  const count = () => {
    for (const { operation, status, ms } of answered.splice(0)) {
      requests.inc({ operation, status })
      latency.observe({ operation }, ms / 1000)
    }
  }
  app.addHook('onResponse', (request, reply, done) => {
    const { url } = request.routeOptions
    const operation = url ? `${request.method} ${url}` : 'none'
    answered.push({ operation, status: reply.statusCode, ms: reply.elapsedTime })
    if (answered.length === COUNTED_AT_ONCE) count()
    done()
  })
  app.get('/metrics', async (_request, reply) => {
    count()
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

interface States {
  calls: Record<string, number>
  messages: Record<string, number>
  jobs: Record<string, number>
}

/** What the database knows is the same for all processes: one of them is enough to ask. */
function addStates(registry: Registry, db: Database): void {
  const registers = [registry]
  let kept: Promise<States | undefined> = Promise.resolve(undefined)
  let keptAt = Number.NEGATIVE_INFINITY
  const states = () => {
    if (performance.now() - keptAt > KEPT_MS) {
      keptAt = performance.now()
      kept = selectStates(db).catch(() => undefined)
    }
    return kept
  }
  new Gauge({
    name: 'docketcall_database_up',
    help: 'Whether the database answers',
    registers,
    async collect() {
      this.set((await states()) ? 1 : 0)
    },
  })
  for (const [what, help] of [
    ['calls', 'Calls of all companies by state'],
    ['messages', 'Messages that are to be sent, by how they stand'],
    ['jobs', 'Background jobs by state'],
  ] as const)
    new Gauge({
      name: `docketcall_${what}`,
      help,
      labelNames: ['state'],
      registers,
      async collect() {
        this.reset()
        for (const [state, count] of Object.entries((await states())?.[what] ?? {})) this.set({ state }, count)
      },
    })
}

/** Ended calls are counted by the campaigns' counters, and never one by one. */
function selectStates(db: Database): Promise<States> {
  return db.one<States>(sql`
    select
      (select jsonb_build_object(
          'placing', count(*) filter (where state = 'placing'),
          'live', count(*) filter (where state = 'live'),
          'ended', (select coalesce(sum(total_calls), 0) from campaign_stats))
        from calls where state <> 'ended') as calls,
      (select jsonb_build_object(
          'scheduled', count(*) filter (where status = 'scheduled' and put_off = 0),
          'put_off', count(*) filter (where status = 'scheduled' and put_off > 0),
          'sending', count(*) filter (where status = 'sending'))
        from messages where status in ('scheduled', 'sending')) as messages,
      (select jsonb_build_object(
          'running', count(*) filter (where locked_at is not null),
          'ready', count(*) filter (where locked_at is null and run_at <= now() and attempts < max_attempts),
          'scheduled', count(*) filter (where locked_at is null and run_at > now() and attempts < max_attempts),
          'failed', count(*) filter (where locked_at is null and attempts >= max_attempts))
        from graphile_worker.jobs) as jobs`)
}
