import sql from 'sql-template-tag'
import { coalesce } from '../core/coalesce.ts'
import { entryRows } from '../core/columns.ts'
import type { Engine } from '../engine/job.ts'
import {
  assertInTime,
  type CallRef,
  DialPutOff,
  DialRefused,
  type OutgoingCall,
  type SoughtCall,
} from '../providers/voice.ts'
import { recordEngineChanges } from '../webhooks/record-changes.ts'
import { type CallKeys, callStarted } from './changes.ts'
import type { CallDesk } from './desk.ts'
import { notReached } from './not-reached.ts'
import { letGo } from './settle.ts'

export const RING_SECONDS = 30
/** A conversation is cut off by the carrier after half an hour. */
export const MAX_SECONDS = 1800

/** How long a contact waits when the carrier could not be asked at all. */
const OUT_OF_REACH_MS = 60_000

const placing = new WeakMap<Engine, Set<number>>()

/** The calls that this process is asking the provider for. */
export function beingPlaced(engine: Engine): Set<number> {
  const ids = placing.get(engine) ?? new Set()
  placing.set(engine, ids)
  return ids
}

/**
 * Asks the provider for a call whose intent is committed. A definite refusal ends the call; after any other failure the
 * provider is asked what it knows, and nobody is rung a second time.
 */
export async function place(engine: Engine, desk: CallDesk, call: OutgoingCall): Promise<void> {
  const { voice } = engine.providers
  const since = engine.clock.now()
  const ids = beingPlaced(engine).add(call.call_id)
  try {
    assertInTime(call)
    const { provider_call_id } = await voice.place(call)
    await desk.placed({ ...call, provider_call_id })
  } catch (error) {
    if (error instanceof DialRefused) return desk.ended(notReached(call, 'failed', error.reason, engine.clock.now()))
    if (error instanceof DialPutOff) {
      engine.log.warn({ call_id: call.call_id, reason: error.message }, 'the provider takes no call just now')
      return strikeOff(engine, call, error.seconds * 1000)
    }
    engine.log.warn({ err: error, call_id: call.call_id }, 'the provider did not answer whether it placed a call')
    await takeOver(engine, desk, { ...call, since, state: 'placing' }).catch(async (unknown: unknown) => {
      // Whoever takes it over asks again.
      await letGo(engine.pool, call)
      throw unknown
    })
  } finally {
    ids.delete(call.call_id)
  }
}

/**
 * Finds out what became of a call that nobody in the service attends to, and goes on from there. One that the provider
 * never heard of was never dialled: it is struck off and its contact is due again.
 */
export async function takeOver(
  engine: Engine,
  desk: CallDesk,
  call: SoughtCall & { state: 'placing' | 'live' },
): Promise<void> {
  const known = await engine.providers.voice.resume(call)
  if (known) return desk.placed({ ...call, provider_call_id: known.provider_call_id })
  if (call.state === 'live') return desk.settleLost(call)
  await strikeOff(engine, call, OUT_OF_REACH_MS)
}

/** Nobody was rung: the call is as if it had not been meant, and its contact is due again after a while. */
export async function strikeOff(
  { pool, clock, wake }: Engine,
  { company_id, call_id }: CallRef,
  waitMs: number,
): Promise<void> {
  const due = new Date(clock.now().getTime() + waitMs)
  await pool.run(sql`
    with struck as (
      delete from calls where company_id = ${company_id} and id = ${call_id} and state = 'placing'
      returning campaign_id, client_id
    )
    update campaign_contacts cc set state = 'due', due_at = ${due}, attempts = cc.attempts - 1
    from struck where cc.company_id = ${company_id} and cc.campaign_id = struck.campaign_id and cc.client_id = struck.client_id`)
  wake('dial')
}

/** Notes that the provider has the calls. */
export function placedMarker({ pool }: Engine) {
  return coalesce<CallRef & { provider_call_id: string }, void>(async (placed) => {
    await pool.transaction(async (db) => {
      const started = await db.many<CallKeys>(sql`
        update calls c set state = 'live', provider_call_id = p.provider_call_id
        from ${entryRows(placed, { company_id: 'bigint', call_id: 'bigint', provider_call_id: 'text' })} as p
        where c.company_id = p.company_id and c.id = p.call_id and c.state = 'placing'
        returning c.company_id, c.id, c.campaign_id, c.client_id, c.case_id`)
      await recordEngineChanges(db, started.map(callStarted))
    })
    return placed.map(() => undefined)
  })
}
