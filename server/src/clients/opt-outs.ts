import sql from 'sql-template-tag'
import { insertConsents, type PermissionChannel, selectHeld, suppressFlagged } from '../compliance/permissions.ts'
import type { Channel, Scope } from '../core/operation.ts'
import { toE164 } from '../core/phone.ts'
import type { Client } from './schema.ts'

export const FLAGS = ['voice_calls_opted_out', 'sms_opted_out', 'email_opted_out'] as const
type Flag = (typeof FLAGS)[number]

const CHANNEL: Record<Flag, PermissionChannel> = {
  voice_calls_opted_out: 'call',
  sms_opted_out: 'sms',
  email_opted_out: 'email',
}

export type Flags = Pick<Client, 'id' | Flag>

export const namesFlag = (entry: Partial<Record<Flag, unknown>>): boolean =>
  FLAGS.some((flag) => entry[flag] !== undefined)

export function selectFlags({ db, companyId }: Scope, ids: number[]): Promise<Flags[]> {
  return db.many<Flags>(sql`
    select id, voice_calls_opted_out, sms_opted_out, email_opted_out from clients
    where company_id = ${companyId} and id = any(${ids})`)
}

/**
 * Keeps the record of permissions true to the flags: a flag that is set suppresses the contact's address, and one that
 * is cleared is a consent to everything but marketing, where only flags stood against the address. What somebody said on
 * the line, or a list, is lifted by a recorded consent alone: another system sends its stale `false` with every record.
 */
export async function recordOptOuts(scope: Scope, origin: Channel, before: Flags[], after: Client[]): Promise<void> {
  const was = new Map(before.map((client) => [client.id, client]))
  const set = after.filter((client) => FLAGS.some((flag) => client[flag]))
  await suppress(
    scope,
    origin,
    set.map(({ id }) => id),
  )
  const cleared = after.flatMap((client) =>
    FLAGS.flatMap((flag) => {
      const address = flag === 'email_opted_out' ? client.email : toE164(client.mobile)
      const isCleared = was.get(client.id)?.[flag] === true && !client[flag] && address
      return isCleared ? [{ id: client.id, channel: CHANNEL[flag], address }] : []
    }),
  )
  if (cleared.length === 0) return
  const held = new Set((await selectHeld(scope, cleared)).map(({ channel, address }) => `${channel} ${address}`))
  const lifted = cleared.filter(({ channel, address }) => !held.has(`${channel} ${address}`))
  await insertConsents(
    scope.db,
    lifted.map(({ channel, address }) => ({
      channel,
      address,
      company_id: scope.companyId,
      purpose: 'informational',
      source: 'flag',
      actor: scope.actor?.name,
    })),
    origin,
  )
  // Their campaigns settled them; the planner looks at them again.
  await scope.db.run(sql`
    insert into case_changes (company_id, case_id)
    select distinct company_id, case_id from case_clients
    where company_id = ${scope.companyId} and client_id = any(${cleared.map(({ id }) => id)})`)
}

/** Of contacts whose flag was set: whoever set it calls this in the same transaction. */
export function suppress({ db, companyId, actor }: Scope, origin: Channel, ids: number[]): Promise<void> {
  return suppressFlagged(
    db,
    ids.map((id) => ({ company_id: companyId, id })),
    origin,
    actor?.name,
  )
}
