import sql, { type Sql } from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'
import { toE164 } from '../core/phone.ts'
import type { PermissionChannel } from './permissions.ts'

/** A suppression that no consent has lifted since. */
export interface Suppression {
  id: number
  /** Null where the contact was erased: only the hash is left. */
  address: string | null
  address_ending: string | null
  channel: PermissionChannel
  purpose: string
  source: string
  client_id: number | null
  created_at: Date
}

const standing = (companyId: number, channel: string | undefined): Sql => sql`
  from permissions s
  where s.company_id = ${companyId} and s.kind = 'suppression'
    and (${channel ?? null}::text is null or s.channel in (${channel ?? null}, 'all'))
    and not exists (
      select from permissions k
      where k.company_id = s.company_id and k.address_hash = s.address_hash and k.kind = 'consent' and k.id > s.id
        and k.channel in (s.channel, 'all') and (k.purpose in (s.purpose, 'all') or k.purpose = 'informational' and s.purpose <> 'marketing'))`

/** Oldest first, a chunk at a time, for lists of any length. */
export async function* everySuppression(
  scope: Scope,
  channel?: string,
): AsyncGenerator<Suppression & { hash: string }> {
  for (let after = 0; ; ) {
    const rows = await scope.db.many<Suppression & { hash: string }>(sql`
      select s.id, s.address, s.address_ending, s.channel, s.purpose, s.source, s.client_id, s.created_at,
        encode(s.address_hash, 'hex') as hash
      ${standing(scope.companyId, channel)} and s.id > ${after}
      order by s.id limit 5000`)
    yield* rows
    if (rows.length < 5000) return
    after = rows.at(-1)!.id
  }
}

/** A number in E.164 or an e-mail address, as far as the text is one that the channel could reach. */
export function readAddress(text: string, channel: PermissionChannel): string | undefined {
  const address = text.trim()
  const isEmail = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address)
  if (isEmail) return channel === 'email' || channel === 'all' ? address.toLowerCase() : undefined
  return channel === 'email' ? undefined : (toE164(address) ?? undefined)
}
