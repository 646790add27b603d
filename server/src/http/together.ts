import { coalesce } from '../core/coalesce.ts'
import { Refusal } from '../core/errors.ts'
import type { Operation } from '../core/operation.ts'
import { type Caller, inOneTransaction, runOperation, type Service } from './run.ts'

interface Request {
  caller: Caller
  input: unknown
}

type Outcome = PromiseSettledResult<unknown>

export type Run = (caller: Caller, op: Operation, input: unknown) => Promise<unknown>

/** More at once would keep those waiting who are behind them. */
const MOST = 200

/**
 * Runs operations. Where one can do many requests at once (`runAll`), those of a key that come in while others of it are
 * being worked on are done together, in one transaction: an integrator that creates records one by one over many
 * connections pays for few commits. A request that is alone is run as ever.
 */
export function runner(service: Service): Run {
  const lines = new Map<string, (request: Request) => Promise<Outcome>>()

  return async (caller, op, input) => {
    if (!op.runAll) return runOperation(service, caller, op, input)
    const name = `${op.method} ${op.path} ${caller.companyId} ${caller.actor.id}`
    let line = lines.get(name)
    if (!line) {
      line = coalesce((requests) => runTogether(service, op, requests), { max: MOST })
      lines.set(name, line)
    }
    const outcome = await line({ caller, input })
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }
}

async function runTogether(service: Service, op: Operation, requests: Request[]): Promise<Outcome[]> {
  if (requests.length > 1) {
    try {
      const callers = requests.map(({ caller }) => caller)
      const values = await inOneTransaction(service, callers, (contexts) =>
        op.runAll!(contexts.map((ctx, index) => ({ ctx, input: requests[index]!.input as never }))),
      )
      return values.map((value) => ({ status: 'fulfilled', value }))
    } catch (error) {
      if (!isOfOne(error)) throw error
    }
  }
  return Promise.allSettled(requests.map(({ caller, input }) => runOperation(service, caller, op, input)))
}

/**
 * What the input of one request brings about: a refusal, or data that PostgreSQL does not take (classes 22, 23 and 54).
 * Nothing was saved. After any other failure, such as a broken connection, that is not certain.
 */
function isOfOne(error: unknown): boolean {
  return error instanceof Refusal || /^(22|23|54)/.test((error as { code?: string }).code ?? '')
}
