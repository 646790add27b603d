import sql from 'sql-template-tag'
import { pause } from '../core/clock.ts'
import type { Database } from '../core/db.ts'
import type { SoughtCall } from './voice.ts'

/** When a call whose placing was not answered is looked for: real milliseconds. It may come into being a moment later. */
const LOOK_AFTER_MS = [500, 2000, 5000]

/** @throws where `stopping` cut the search short: not found is not the same as not there. */
export async function lookFor<T>(
  call: SoughtCall,
  find: (call: SoughtCall) => Promise<T | null>,
  stopping: AbortSignal,
): Promise<T | null> {
  let found = await find(call)
  for (const wait of call.provider_call_id ? [] : LOOK_AFTER_MS) {
    if (found) return found
    await pause(wait, stopping)
    if (stopping.aborted) throw new Error('stopped while looking for a call')
    found = await find(call)
  }
  return found
}

/** The carrier's own id of a call, where it is known by now: a callback may have told it. */
export async function carriersId(db: Database, call: SoughtCall): Promise<string | null> {
  const { company_id, call_id, provider_call_id } = call
  if (provider_call_id) return provider_call_id
  const row = await db.maybe<{ provider_call_id: string | null }>(sql`
    select provider_call_id from calls where company_id = ${company_id} and id = ${call_id}`)
  return row?.provider_call_id ?? null
}
