import sql from 'sql-template-tag'
import type { Engine, Job } from '../engine/job.ts'
import type { SoughtCall } from '../providers/voice.ts'
import { deskOf } from './desk.ts'
import { takeOver } from './place.ts'
import { letGo } from './settle.ts'

export const takeOverCalls: Job = {
  name: 'take over calls',
  summary: 'Goes on with the calls that a dead process had in hand',
  idleMs: 3000,
  async pass(engine) {
    const { pool, nodeId, log } = engine
    const calls = await pool.many<OrphanedCall>(sql`
      update calls c set node_id = ${nodeId}
      where c.state <> 'ended' and not exists (select from engine_nodes n where n.id = c.node_id)
      returning c.company_id, c.id as call_id, c.state, c.provider_call_id, c.to_number as "to", c.from_number as "from",
        c.created_at as since, c.provider`)
    if (calls.length > 0) log.warn({ calls: calls.length }, 'taking over calls in flight')
    for (const call of calls) engine.inHand(attend(engine, call)).catch(() => {})
    return 'idle'
  },
}

type OrphanedCall = SoughtCall & { state: 'placing' | 'live'; provider: string }

async function attend(engine: Engine, call: OrphanedCall): Promise<void> {
  const desk = deskOf(engine)
  try {
    if (isElsewhere(engine, call)) await desk.settleLost(call)
    else await takeOver(engine, desk, call)
  } catch (error) {
    engine.log.error({ err: error, call_id: call.call_id }, 'could not take over a call; it is tried again')
    await letGo(engine.pool, call)
  }
}

/**
 * Another carrier was asked for it, before the settings were changed: that it is not known here does not mean that nobody
 * was rung. The sandbox rings nobody.
 */
const isElsewhere = ({ providers, log }: Engine, { provider, call_id }: OrphanedCall): boolean => {
  const elsewhere = provider !== providers.voice.name && provider !== 'sandbox'
  if (elsewhere) log.warn({ call_id, provider }, 'a call of a carrier that is not used any more counts as failed')
  return elsewhere
}
