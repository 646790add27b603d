import sql from 'sql-template-tag'
import { broken, notFound } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import type { CallBrief } from '../providers/call-brief.ts'
import type { DisconnectionReason, Turn } from '../providers/voice.ts'
import type { CallOutcome } from '../voice-agents/analysis.ts'
import type { Held, Note } from '../voice-agents/facts.ts'
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

type Within = <T>(work: (scope: Scope) => Promise<T>) => Promise<T>

/**
 * Reads an ended call's transcript anew: its summary, sentiment, extracted fields and what they rest on. The result
 * stays, for what followed from it has happened.
 *
 * @param within Runs its work in a transaction of the company; none is open while a model reads.
 */
export async function reanalyse(within: Within, callId: number, mind: Mind): Promise<CallOutcome> {
  const { held, brief } = await within((scope) => selectTalk(scope, callId))
  const reading = await mind.analyse(held, brief)
  await within((scope) => updateReading(scope, callId, reading))
  return reading
}

/** What was said in an ended call, and what its agent knew. */
async function selectTalk({ db, companyId }: Scope, callId: number): Promise<{ held: Held; brief: CallBrief }> {
  const found =
    (await db.maybe<Row>(sql`
      select answered_at, duration_seconds, disconnection_reason, transcript, transferred_to, talk -> 'notes' as notes
      from calls where company_id = ${companyId} and id = ${callId} and state = 'ended'`)) ??
    notFound('ended call', callId)
  const { answered_at, transcript, notes, ...rest } = found
  if (!answered_at || !transcript) throw broken([{ field: 'call_id', message: 'nobody spoke in this call' }])
  const [brief] = await selectBriefs(db, [{ company_id: companyId, call_id: callId }], false)
  return { held: { ...rest, answered_at, transcript, notes: notes ?? [] }, brief: brief! }
}

async function updateReading({ db, companyId }: Scope, callId: number, reading: CallOutcome): Promise<void> {
  const { summary, sentiment_score, extracted_fields, evidence } = reading
  await db.run(sql`
    update calls set summary = ${summary}, sentiment_score = ${sentiment_score},
      extracted_fields = ${JSON.stringify(extracted_fields)}::jsonb, evidence = ${JSON.stringify(evidence)}::jsonb || case
        when evidence ? 'recording' then jsonb_build_object('recording', evidence -> 'recording') else '{}' end
    where company_id = ${companyId} and id = ${callId}`)
}
