import sql from 'sql-template-tag'
import type { Engine, Job } from '../engine/job.ts'
import type { SoughtCall } from '../providers/voice.ts'
import { deskOf } from './desk.ts'
import { MAX_SECONDS, RING_SECONDS } from './place.ts'

/** Seconds of the engine's clock. */
const GRACE = 60
const ASK_AGAIN = 120

/** Look-ups of one pass: a carrier's interface is slow and counts them. */
const BATCH = 20

export const followLateCalls: Job = {
  name: 'follow late calls',
  summary: 'Asks the carrier about calls of whose end nothing was heard, and settles what was left half told',
  idleMs: 5000,
  async pass(engine) {
    if (engine.providers.voice.events === 'here') return 'idle'
    const late = await claimLate(engine)
    await Promise.all(late.map((call) => follow(engine, call)))
    return late.length === BATCH ? 'again' : 'idle'
  },
}

type LateCall = SoughtCall & { told: boolean; orphaned: boolean }

/**
 * A conversation may take its time, but it must be over when the carrier has cut the call; without one, a call is late
 * when it should have stopped ringing. One whose end was told must not wait for anybody.
 */
function claimLate({ pool, clock, providers }: Engine): Promise<LateCall[]> {
  const now = clock.now()
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  return pool.many<LateCall>(sql`
    update calls set looked_up_at = ${now}
    where (company_id, id) in (
      select company_id, id from calls c
      where state = 'live' and provider = ${providers.voice.name} and (looked_up_at is null or looked_up_at < ${ago(ASK_AGAIN)}) and (
        (hangup ->> 'at')::timestamptz < ${ago(GRACE)}
        or start_time < ${ago(RING_SECONDS + MAX_SECONDS + GRACE)}
        or (start_time < ${ago(RING_SECONDS + GRACE)} and (
          talk_node is null or talk is not null or not exists (select from engine_nodes n where n.id = c.talk_node))))
      order by start_time limit ${BATCH} for update skip locked)
    returning company_id, id as call_id, provider_call_id, to_number as "to", from_number as "from", created_at as since,
      hangup is not null as told, talk_node is not null and talk is null and not exists (
        select from engine_nodes n where n.id = talk_node) as orphaned`)
}

async function follow(engine: Engine, { told, orphaned, ...call }: LateCall): Promise<void> {
  const desk = deskOf(engine)
  const { voice } = engine.providers
  try {
    if (told) return await desk.settleHalves(call)
    const known = await voice.resume(call)
    if (!known) await desk.settleLost(call)
    // Nobody talks with them any more, and the carrier would have asked what comes next.
    else if (orphaned && known.status === 'in_progress') await voice.hangUp({ ...call, ...known })
  } catch (error) {
    engine.log.warn({ err: error, call_id: call.call_id }, 'a late call could not be looked up; it is tried again')
  }
}
