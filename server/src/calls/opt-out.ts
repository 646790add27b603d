import sql from 'sql-template-tag'
import { stopCalls } from '../campaigns/stop-calls.ts'
import { insertSuppressions } from '../compliance/permissions.ts'
import { revocationScopes } from '../compliance/revocation.ts'
import { CONTACT } from '../core/actors.ts'
import type { Database } from '../core/db.ts'
import type { Engine } from '../engine/job.ts'
import { skipPending } from '../messages/pending.ts'
import type { SoughtCall } from '../providers/voice.ts'
import { recordEngineChanges } from '../webhooks/record-changes.ts'

export interface SpokenOptOut {
  company_id: number
  call_id: number
  client_id: number
  to_number: string
  at: Date
}

/** An opt-out spoken in a call is the caller's own and does not spread. It holds at once, in every campaign. */
export async function writeOptOuts(db: Database, spoken: SpokenOptOut[]): Promise<void> {
  if (spoken.length === 0) return
  await suppress(db, spoken)
  const changed = await db.many<{ company_id: number; id: number }>(sql`
    update clients c set voice_calls_opted_out = true, update_origin = 'system', updated_at = now()
    from unnest(${spoken.map(({ company_id }) => company_id)}::bigint[], ${spoken.map(({ client_id }) => client_id)}::bigint[]) as o (company_id, client_id)
    where c.company_id = o.company_id and c.id = o.client_id and not c.voice_calls_opted_out
    returning c.company_id, c.id`)
  await recordEngineChanges(
    db,
    changed.map(({ company_id, id }) => ({
      company_id,
      activity: 'client_updated',
      record_type: 'client',
      record_id: id,
      client_id: id,
      changes: { voice_calls_opted_out: { from: false, to: true } },
    })),
  )
}

async function suppress(db: Database, spoken: Omit<SpokenOptOut, 'client_id'>[]): Promise<void> {
  const channelsOf = await revocationScopes(
    db,
    spoken.map(({ company_id }) => company_id),
  )
  const suppressions = spoken.flatMap(({ company_id, call_id, to_number, at }) =>
    channelsOf(company_id, 'call', at).map((channel) => ({
      company_id,
      channel,
      purpose: 'all',
      address: to_number,
      source: 'spoken' as const,
      actor: CONTACT.actor.name,
      evidence: { call_id },
      obtained_at: at,
    })),
  )
  await insertSuppressions(db, suppressions, 'system')
  for (const [companyId, ofCompany] of Map.groupBy(suppressions, ({ company_id }) => company_id)) {
    await stopCalls(
      { db, companyId },
      ofCompany.filter(({ channel }) => channel === 'call').map(({ address }) => address),
    )
    await skipPending({ db, companyId }, ofCompany, 'the contact asked for it in a call')
  }
}

/**
 * Written while the contact is still on the phone: the end of the call may be told late, or never.
 *
 * @param call `to` counts where the call was struck off, because nobody seemed to know of it.
 */
export async function noteOptOut({ pool, clock }: Engine, { company_id, call_id, to }: SoughtCall): Promise<void> {
  const at = clock.now()
  await pool.transaction(async (db) => {
    const call = await db.maybe<Omit<SpokenOptOut, 'at'>>(sql`
      select company_id, id as call_id, client_id, to_number from calls
      where company_id = ${company_id} and id = ${call_id} for update`)
    if (call) return writeOptOuts(db, [{ ...call, at }])
    if (to) await suppress(db, [{ company_id, call_id, to_number: to, at }])
  })
}
