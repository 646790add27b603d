import type { Logger } from 'pino'
import { type Change, insertAudit } from '../core/change.ts'
import type { Clock } from '../core/clock.ts'
import type { Database, Pool } from '../core/db.ts'
import type { Actor, Channel, Context, Operation } from '../core/operation.ts'
import { recordChanges } from '../webhooks/record-changes.ts'

/** What the channels share: handed down from main, never reached for. */
export interface Service {
  pool: Pool
  clock: Clock
  log: Logger
  /** Development: webhooks may be anywhere, without https too. */
  allowPrivateWebhooks?: boolean
}

export interface Caller {
  companyId: number
  actor: Actor
  channel: Channel
  requestId: string | null
  /** False where the company was seen to have no enabled webhook when the request came in: then nobody hears of events. */
  hasWebhooks?: boolean
}

type Run = (ctx: Context) => Promise<unknown>

function context(service: Service, caller: Caller, db: Database, changes: Change[]): Context {
  const { clock, log, allowPrivateWebhooks = false } = service
  return { ...caller, db, clock, log, allowPrivateWebhooks, record: (...more) => void changes.push(...more) }
}

/** Runs `work` with the audit entries and the events of what it records written in its own transaction. */
export function inTransaction<T>(service: Service, caller: Caller, work: (ctx: Context) => Promise<T>): Promise<T> {
  return service.pool.transaction(async (db, atEnd) => {
    const changes: Change[] = []
    const result = await work(context(service, caller, db, changes))
    if (changes.length > 0)
      atEnd(caller.hasWebhooks === false ? insertAudit(caller, changes) : recordChanges(caller, changes))
    return result
  })
}

/** The same for several requests of one key; each has a context of its own. */
export function inOneTransaction<T>(
  service: Service,
  callers: Caller[],
  work: (contexts: Context[]) => Promise<T>,
): Promise<T> {
  const hasWebhooks = callers.some((caller) => caller.hasWebhooks !== false)
  return inTransaction(service, { ...callers[0]!, hasWebhooks, requestId: null }, (ctx) =>
    work(
      callers.map(({ requestId }) => ({
        ...ctx,
        requestId,
        record: (...changes) => ctx.record(...changes.map((change) => ({ ...change, request_id: requestId }))),
      })),
    ),
  )
}

/** Runs an operation or a tool on validated input: reads on the pool, all else in one transaction. */
export function runOperation(
  service: Service,
  caller: Caller,
  op: Pick<Operation, 'readOnly' | 'run'>,
  input: unknown,
): Promise<unknown> {
  const run: Run = (ctx) => op.run(ctx, input as never)
  return op.readOnly ? run(context(service, caller, service.pool, [])) : inTransaction(service, caller, run)
}
