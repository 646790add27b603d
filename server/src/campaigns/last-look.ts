import sql from 'sql-template-tag'
import { type Ruled, ruleBooks } from '../compliance/company-rules.ts'
import type { Engine } from '../engine/job.ts'
import type { OutgoingCall } from '../providers/voice.ts'
import { type ContactRow, contactFacts } from './contact-facts.ts'
import { decide } from './gate.ts'
import type { CampaignFacts } from './gate-reasons.ts'
import type { Schedule } from './schedule.ts'

/** A call whose intent is committed, with what the pass found out about its contact and nobody can have changed since. */
export interface Claimed extends Omit<OutgoingCall, 'place_by'> {
  campaign_id: number
  client_id: number
  callback_at: Date | null
  recent_attempts: Date[] | undefined
  schedule: Schedule
}

/** How long a look holds: real milliseconds. A process may be stopped between any two of its steps. */
const HOLDS_MS = 10_000

interface Row extends ContactRow, Omit<CampaignFacts, 'purpose'>, Ruled {
  call_id: number
  purpose: string
}

/**
 * Asks the gate once more, after the commit and with the facts as they are now: an opt-out, a pause or a new number that
 * came between the pass's look and its commit holds, and so does an hour that ended while the pass waited for a lock.
 * Calls that this process does not have any more (it was thought dead) are in neither list.
 */
export async function lastLook(
  { pool, clock, nodeId }: Engine,
  claimed: Claimed[],
): Promise<{ go: OutgoingCall[]; held: OutgoingCall[] }> {
  if (claimed.length === 0) return { go: [], held: [] }
  const place_by = Date.now() + HOLDS_MS
  const rows = await pool.many<Row>(sql`
    select f.*, x.id as call_id, p.status, p.purpose, p.callback_delays, co.campaigns_enabled, co.rules_version, a.id as agent_id
    from unnest(${claimed.map(({ company_id }) => company_id)}::bigint[], ${claimed.map(({ call_id }) => call_id)}::bigint[]) as w (company_id, call_id)
    join calls x on x.company_id = w.company_id and x.id = w.call_id and x.state = 'placing' and x.node_id = ${nodeId}
    join campaigns p on p.company_id = x.company_id and p.id = x.campaign_id
    join companies co on co.id = x.company_id
    left join agents a on a.company_id = p.company_id and a.id = p.agent_id and a.deleted_at is null
    cross join lateral (${contactFacts(sql`
      select cc.* from campaign_contacts cc
      where cc.company_id = x.company_id and cc.campaign_id = x.campaign_id and cc.client_id = x.client_id and cc.state = 'live'`)}) f`)
  const rulesOf = await ruleBooks(pool, rows)
  const byCall = new Map(rows.map((row) => [row.call_id, row]))
  const now = clock.now()
  const go: OutgoingCall[] = []
  const held: OutgoingCall[] = []
  for (const { campaign_id: _, client_id: __, callback_at, recent_attempts, schedule, ...call } of claimed) {
    const row = byCall.get(call.call_id)
    if (!row) continue
    // The contact waits for this very call.
    const contact = { ...row, standing: 'due', callback_at }
    const facts = {
      now,
      channel: 'call',
      contact,
      campaign: row,
      schedule,
      recent_attempts,
      rules: rulesOf(row),
    } as const
    const may = row.mobile_e164 === call.to && decide(facts).allowed
    ;(may ? go : held).push({ ...call, place_by })
  }
  return { go, held }
}
