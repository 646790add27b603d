import sql from 'sql-template-tag'
import { broken, notFound } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import type { DisconnectionReason, Turn } from '../providers/voice.ts'
import type { Note } from '../voice-agents/facts.ts'
import type { Mind } from '../voice-agents/mind.ts'
import { selectBriefs } from './briefs.ts'

interface Row {
  answered_at: Date | null
  duration_seconds: number
  disconnection_reason: DisconnectionReason
  transcript: Turn[] | null
  transferred_to: string | null
  notes: Note[] | null
}

/**
 * Reads an ended call's transcript anew: its summary, sentiment, extracted fields and what they rest on. The result
 * stays, for what followed from it has happened.
 */
export async function reanalyse(scope: Scope, callId: number, mind: Mind) {
  const { db, companyId } = scope
  const found =
    (await db.maybe<Row>(sql`
      select answered_at, duration_seconds, disconnection_reason, transcript, transferred_to, talk -> 'notes' as notes
      from calls where company_id = ${companyId} and id = ${callId} and state = 'ended'`)) ??
    notFound('ended call', callId)
  const { answered_at, transcript, notes, ...rest } = found
  if (!answered_at || !transcript) throw broken([{ field: 'call_id', message: 'nobody spoke in this call' }])
  const [brief] = await selectBriefs(db, [{ company_id: companyId, call_id: callId }], false)
  const held = { ...rest, answered_at, transcript, notes: notes ?? [] }
  const { summary, sentiment_score, extracted_fields, evidence } = await mind.analyse(held, brief!)
  await db.run(sql`
    update calls set summary = ${summary}, sentiment_score = ${sentiment_score},
      extracted_fields = ${JSON.stringify(extracted_fields)}::jsonb, evidence = ${JSON.stringify(evidence)}::jsonb || case
        when evidence ? 'recording' then jsonb_build_object('recording', evidence -> 'recording') else '{}' end
    where company_id = ${companyId} and id = ${callId}`)
  return { call_id: callId, summary, sentiment_score, extracted_fields, evidence }
}
