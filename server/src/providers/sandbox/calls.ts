import sql from 'sql-template-tag'
import { entryRows } from '../../core/columns.ts'
import type { Database } from '../../core/db.ts'
import type { CallRef } from '../voice.ts'

/** A call as the sandbox carrier remembers it. */
export interface SandboxCall extends CallRef {
  to_number: string
  from_number: string | null
  attempt: number
  persona: string
  ring_seconds: number
  max_seconds: number
  placed_at: Date
  answered_at: Date | null
  ended_at: Date | null
  outcome: Outcome | null
}

export type Outcome = 'completed' | 'busy' | 'no_answer' | 'canceled' | 'failed' | 'refused'

const columns = {
  company_id: 'bigint',
  call_id: 'bigint',
  to_number: 'text',
  from_number: 'text',
  attempt: 'integer',
  persona: 'text',
  ring_seconds: 'integer',
  max_seconds: 'integer',
  placed_at: 'timestamptz',
  ended_at: 'timestamptz',
  outcome: 'text',
}

export const keyOf = ({ company_id, call_id }: CallRef) => `${company_id}-${call_id}`

/** Answers for each call whether it is new: a call id that is known already is left as it is. */
export async function insertCalls(db: Database, calls: SandboxCall[]): Promise<boolean[]> {
  const inserted = await db.many<CallRef>(sql`
    insert into sandbox_calls (company_id, call_id, to_number, from_number, attempt, persona, ring_seconds, max_seconds,
      placed_at, ended_at, outcome)
    select company_id, call_id, to_number, from_number, attempt, persona, ring_seconds, max_seconds, placed_at, ended_at, outcome
    from ${entryRows(calls, columns)}
    on conflict (company_id, call_id) do nothing
    returning company_id, call_id`)
  const fresh = new Set(inserted.map(keyOf))
  // Taken out as they are answered, so that of two places of one call in the same set only the first is new.
  return calls.map((call) => fresh.delete(keyOf(call)))
}

export interface Ending extends CallRef {
  answered_at: Date | null
  ended_at: Date
  outcome: Outcome
}

/** A call ends once: later endings change nothing. */
export async function updateEnded(db: Database, endings: Ending[]): Promise<void> {
  await db.run(sql`
    update sandbox_calls c set answered_at = e.answered_at, ended_at = e.ended_at, ended_real = clock_timestamp(), outcome = e.outcome
    from ${entryRows(endings, { company_id: 'bigint', call_id: 'bigint', answered_at: 'timestamptz', ended_at: 'timestamptz', outcome: 'text' })} as e
    where c.company_id = e.company_id and c.call_id = e.call_id and c.ended_at is null`)
}

export function selectCall(db: Database, { company_id, call_id }: CallRef): Promise<SandboxCall | undefined> {
  return db.maybe<SandboxCall>(sql`
    select company_id, call_id, to_number, from_number, attempt, persona, ring_seconds, max_seconds, placed_at, answered_at,
      ended_at, outcome
    from sandbox_calls where company_id = ${company_id} and call_id = ${call_id}`)
}
