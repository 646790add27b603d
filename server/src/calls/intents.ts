import sql from 'sql-template-tag'
import type { Decision } from '../campaigns/gate.ts'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'
import type { OutgoingCall } from '../providers/voice.ts'
import { MAX_SECONDS, RING_SECONDS } from './place.ts'

export interface NewCall {
  company_id: number
  campaign_id: number
  client_id: number
  case_id: number
  run_id: number | null
  agent_id: string
  attempt: number
  decision: Decision
  from: string | null
  to: string
}

type Written = Omit<OutgoingCall, 'place_by'> & Pick<NewCall, 'campaign_id' | 'client_id'>

/** Writes what is about to be done before it is done; the ids are what the provider is asked with. */
export async function insertCalls(
  db: Database,
  calls: NewCall[],
  nodeId: string,
  provider: string,
  now: Date,
): Promise<Written[]> {
  if (calls.length === 0) return []
  const written = await db.many<{
    company_id: number
    call_id: number
    campaign_id: number
    client_id: number
    to: string
    from: string | null
    attempt: number
  }>(sql`
    with written as (
      insert into calls (company_id, campaign_id, client_id, case_id, run_id, agent_id, attempt, state, node_id, provider,
        to_number, from_number, decision, created_at, start_time)
      select n.company_id, n.campaign_id, n.client_id, n.case_id, n.run_id, n.agent_id, n.attempt, 'placing', ${nodeId}, ${provider},
        n."to", n."from", n.decision, ${now}, ${now}
      from ${entryRows(calls, {
        company_id: 'bigint',
        campaign_id: 'bigint',
        client_id: 'bigint',
        case_id: 'bigint',
        run_id: 'bigint',
        agent_id: 'text',
        attempt: 'integer',
        '"to"': 'text',
        '"from"': 'text',
        decision: 'jsonb',
      })} as n
      returning company_id, id, campaign_id, client_id, to_number, from_number, attempt, decision
    ), live as (
      update campaign_contacts cc set state = 'live', due_at = null, attempts = w.attempt, callback_at = null, last_decision = w.decision
      from written w where cc.company_id = w.company_id and cc.campaign_id = w.campaign_id and cc.client_id = w.client_id
    )
    select company_id, id as call_id, campaign_id, client_id, to_number as "to", from_number as "from", attempt from written`)
  return written.map((call) => ({ ...call, ring_seconds: RING_SECONDS, max_seconds: MAX_SECONDS }))
}
