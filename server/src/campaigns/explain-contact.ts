import sql from 'sql-template-tag'
import { type Ruled, ruleBooks } from '../compliance/company-rules.ts'
import { permissionOf } from '../compliance/permissions.ts'
import { selectRecentAttempts } from '../compliance/recent-attempts.ts'
import type { Channel, Purpose } from '../compliance/rule-schema.ts'
import { notFound } from '../core/errors.ts'
import type { Context } from '../core/operation.ts'
import { type Decision, decideByLaw } from './gate.ts'
import type { PersonFacts } from './gate-reasons.ts'

/**
 * May anybody of the firm contact this person by the channel at that moment, for that purpose? The same facts and the
 * same rules as the gate's, without those of a campaign (see `explainCalls`).
 */
export async function explainContact(
  ctx: Context,
  clientId: number,
  { channel, purpose, at = ctx.clock.now() }: { channel: Channel; purpose: Purpose; at?: Date },
): Promise<Decision> {
  const { db, companyId } = ctx
  const address = channel === 'email' ? sql`c.email` : sql`c.mobile_e164`
  const permission = permissionOf({ channel: sql`${channel}::text`, address, purpose: sql`${purpose}::text` })
  const contact = await db.maybe<PersonFacts & Ruled & { address: string | null }>(sql`
    select c.*, ${address} as address, co.rules_version, ${permission.columns}
    from clients c
    join companies co on co.id = c.company_id
    ${permission.join}
    where c.company_id = ${companyId} and c.id = ${clientId} and c.deleted_at is null`)
  if (!contact) return notFound('client', clientId)
  const counted = { company_id: companyId, client_id: clientId, address: contact.address }
  const [recent_attempts] = await selectRecentAttempts(db, channel, [counted], at)
  const rules = (await ruleBooks(db, [contact]))(contact)
  return decideByLaw({ now: at, channel, contact: { ...contact, recent_others: [] }, purpose, recent_attempts, rules })
}
