import sql, { raw, type Sql } from 'sql-template-tag'
import { CONTACT } from '../core/actors.ts'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'
import type { Scope } from '../core/operation.ts'

/**
 * Consents and suppressions, by number or e-mail address: an append-only record. Who is suppressed stays so until a
 * later consent, also as another contact, and also after the contact was erased: then by a hash. The hash is salted per
 * company and computed where it is looked up, in the statement that claims the contacts. A key outside of the database
 * would hide no more from whoever holds the database and the service, and whoever lost it would call everybody again.
 */

export const PERMISSION_CHANNELS = ['call', 'sms', 'email', 'all'] as const
export type PermissionChannel = (typeof PERMISSION_CHANNELS)[number]

/** `informational`: every purpose but marketing. */
export type PermissionPurpose = 'all' | 'informational' | (string & {})

/**
 * How it came to us: `spoken` in a call, `keyword` by text (STOP, START), `unsubscribe` (link or one-click), `carrier`
 * (it says that the number opted out there), `import` (a list), `person` (somebody of the firm wrote it down), `flag`
 * (the opt-out of a contact was set or cleared).
 */
export type PermissionSource = 'spoken' | 'keyword' | 'unsubscribe' | 'carrier' | 'import' | 'person' | 'flag'

export interface Permission {
  company_id: number
  channel: PermissionChannel
  purpose: PermissionPurpose
  /** E.164 or an e-mail address. */
  address: string
  source: PermissionSource
  /** Who wrote it down, by name. */
  actor?: string | null
  /** What proves it: the words, the form and its version, the call or message, an address, a user agent. */
  evidence?: Record<string, unknown> | null
  obtained_at?: Date | null
}

const columns = {
  company_id: 'bigint',
  channel: 'text',
  purpose: 'text',
  address: 'text',
  source: 'text',
  actor: 'text',
  evidence: 'jsonb',
  obtained_at: 'timestamptz',
  client_id: 'bigint',
}

const hashOf = (address: Sql): Sql => sql`sha256(co.address_salt || convert_to(${address}, 'UTF8'))`

/** Numbers have one spelling; of e-mail addresses capitals and blanks around them make no difference. */
const spelt = (address: Sql): Sql => sql`lower(btrim(${address}))`

/** The hash under which an address is on record, beside `companies co`. */
export const addressHash = (address: Sql): Sql => hashOf(spelt(address))

const ending = (address: Sql): Sql => sql`case when ${address} like '+%' then right(${address}, 4) end`

const written = raw(`company_id, kind, channel, purpose, address_hash, address, address_ending, source, actor, firm,
  wording_hash, form_version, evidence, obtained_at, origin`)
const given = (kind: 'consent' | 'suppression', origin: string): Sql => sql`
  e.company_id, ${kind}, e.channel, e.purpose, h.hash, h.address, ${ending(sql`h.address`)}, e.source, e.actor, co.name,
  sha256(convert_to(e.evidence ->> 'words', 'UTF8')), e.evidence ->> 'form_version', e.evidence, e.obtained_at, ${origin}`
const givenRows = (permissions: object[]): Sql => sql`
  ${entryRows(permissions, columns)} as e
  join companies co on co.id = e.company_id
  cross join lateral (select ${spelt(sql`e.address`)} as address, ${addressHash(sql`e.address`)} as hash) h`

/** The advisory locks of ours, among those of other programs in the same database; an arbitrary number. */
const TURNS = 1_280_002

/**
 * Who suppresses waits for the consents under way and the other way round: else a STOP that arrives while a list of
 * consents is being written would find the number suppressed, add nothing, and be lifted by the older consent.
 */
async function takeTurns(db: Database, permissions: Permission[], how: 'shared' | 'alone'): Promise<void> {
  const ids = [...new Set(permissions.map(({ company_id }) => company_id))].sort((a, b) => a - b)
  const lock = raw(how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  for (const id of ids) await db.run(sql`select ${lock}(${TURNS}, hashint8(${id}::bigint))`)
}

/** Suppresses what isn't already. Answers how many rows were added. To be called in a transaction. */
export async function insertSuppressions(db: Database, permissions: Permission[], origin: string): Promise<number> {
  if (permissions.length === 0) return 0
  await takeTurns(db, permissions, 'shared')
  return db.run(sql`
    insert into permissions (${written})
    select distinct on (e.company_id, h.hash, e.channel, e.purpose) ${given('suppression', origin)}
    from ${givenRows(permissions)}
    where not ${stands(sql`h.hash`, sql`e.company_id`, sql`e.channel`, sql`e.purpose`, sql`s.client_id is null`)}`)
}

/**
 * Whoever picks up at a wrong number has agreed to nothing: the contact is no longer reached there, by calls or texts, in
 * any campaign, until the number is another one or somebody records a consent. Others who have the number are not meant.
 */
export async function suppressWrongNumbers(
  db: Database,
  wrong: { company_id: number; client_id: number; address: string; call_id: number; at: Date }[],
): Promise<void> {
  if (wrong.length === 0) return
  const permissions = wrong.map(({ call_id, at, ...each }) => ({
    ...each,
    channel: 'all',
    purpose: 'all',
    source: 'spoken',
    actor: CONTACT.actor.name,
    evidence: { call_id, said: 'wrong number' },
    obtained_at: at,
  }))
  await db.run(sql`
    insert into permissions (${written}, client_id)
    select ${given('suppression', 'system')}, e.client_id from ${givenRows(permissions)}`)
}

/** To be called in a transaction. */
export async function insertConsents(db: Database, permissions: Permission[], origin: string): Promise<number> {
  if (permissions.length === 0) return 0
  await takeTurns(db, permissions, 'alone')
  return db.run(sql`
    insert into permissions (${written})
    select ${given('consent', origin)} from ${givenRows(permissions)}
    order by e.ordinality`)
}

/**
 * Whether a suppression that covers the channel and the purpose stands, with no consent after it. Aggregated, so that it is
 * one look into the index whatever the planner believes: an import into a database that was never analysed took 25 times
 * as long with two nested `not exists`.
 */
const stands = (hash: Sql, companyId: Sql, channel: Sql, purpose: Sql, whose: Sql): Sql => sql`(
  select coalesce(
    max(s.id) filter (where s.kind = 'suppression' and s.channel in (${channel}, 'all') and s.purpose in (${purpose}, 'all') and ${whose})
      > coalesce(max(s.id) filter (where s.kind = 'consent' and (s.channel in (${channel}, 'all') or ${channel} = 'all')), 0), false)
  from permissions s
  where s.company_id = ${companyId} and s.address_hash = ${hash})`

/**
 * Writes the opt-outs that the given contacts carry as flags: called wherever a flag was set, in the same transaction,
 * and before a contact is deleted. What is written already is not written again.
 */
export async function suppressFlagged(
  db: Database,
  clients: { company_id: number; id: number }[],
  origin: string,
  actor?: string,
): Promise<void> {
  if (clients.length === 0) return
  await db.run(sql`
    insert into permissions (company_id, kind, channel, purpose, address_hash, address, address_ending, client_id, source, actor,
      firm, origin)
    select c.company_id, 'suppression', f.channel, 'all', h.hash, f.address, ${ending(sql`f.address`)}, c.id, 'flag',
      ${actor ?? null}, co.name, ${origin}
    from unnest(${clients.map((each) => each.company_id)}::bigint[], ${clients.map(({ id }) => id)}::bigint[]) as o (company_id, id)
    join clients c on c.company_id = o.company_id and c.id = o.id
    join companies co on co.id = c.company_id
    cross join lateral (values
      ('call', c.mobile_e164, c.voice_calls_opted_out),
      ('sms', c.mobile_e164, c.sms_opted_out),
      ('email', ${spelt(sql`c.email`)}, c.email_opted_out)) as f (channel, address, opted_out)
    cross join lateral (select ${hashOf(sql`f.address`)} as hash) h
    where f.opted_out and f.address is not null
      and not ${stands(sql`h.hash`, sql`c.company_id`, sql`f.channel`, sql`'all'`, sql`(s.client_id is null or s.client_id = c.id)`)}
    order by c.company_id, c.id`)
}

/**
 * For the gate, beside `clients c` and `companies co`: whether the address may not be contacted by the channel for the
 * purpose (`suppressed`), or was agreed to be (`consented`). One look into one index per contact.
 */
export function permissionOf({ channel, address, purpose }: Record<'channel' | 'address' | 'purpose', Sql>): {
  join: Sql
  columns: Sql
} {
  return {
    columns: sql`pm.suppression > pm.consent as suppressed, pm.consent > pm.suppression as consented`,
    join: sql`
      cross join lateral (
        select coalesce(max(q.id) filter (where q.kind = 'consent'), 0) as consent,
          coalesce(max(q.id) filter (where q.kind = 'suppression' and (q.client_id is null or q.client_id = c.id or not exists (
            select from clients o where o.company_id = q.company_id and o.id = q.client_id and o.deleted_at is null))), 0) as suppression
        from permissions q
        where q.company_id = c.company_id and q.address_hash = ${hashOf(spelt(address))} and q.channel in (${channel}, 'all')
          and (q.purpose in ('all', ${purpose}) or (q.purpose = 'informational' and ${purpose} <> 'marketing'))
      ) pm`,
  }
}

/**
 * Those of the addresses that more stands against than the flags of contacts: what was said on the line, a list, the flag
 * of somebody who was deleted. Only a consent on record lifts that.
 */
export function selectHeld<T extends Pick<Permission, 'channel' | 'address'>>(
  { db, companyId }: Scope,
  addresses: T[],
): Promise<Pick<T, 'channel' | 'address'>[]> {
  const own = sql`s.source = 'flag' and exists (
    select from clients o where o.company_id = s.company_id and o.id = s.client_id and o.deleted_at is null)`
  return db.many(sql`
    select e.channel, e.address from ${entryRows(addresses, { channel: 'text', address: 'text' })} as e
    join companies co on co.id = ${companyId}
    where (
      select coalesce(
        max(s.id) filter (where s.kind = 'suppression' and s.purpose <> 'marketing' and not (${own}))
          > coalesce(max(s.id) filter (where s.kind = 'consent'), 0), false)
      from permissions s
      where s.company_id = co.id and s.address_hash = ${hashOf(spelt(sql`e.address`))} and s.channel in (e.channel, 'all'))`)
}

/** Which of the addresses may not be written to about a case. */
export function selectSuppressed<T extends { channel: 'sms' | 'email'; client_id: number; to_address: string }>(
  { db, companyId }: Scope,
  messages: T[],
): Promise<{ channel: 'sms' | 'email'; client_id: number }[]> {
  const permission = permissionOf({
    channel: sql`m.channel`,
    address: sql`m.to_address`,
    purpose: sql`'case_update'`,
  })
  return db.many(sql`
    select channel, client_id from (
      select m.channel, m.client_id, ${permission.columns}
      from ${entryRows(messages, { channel: 'text', client_id: 'bigint', to_address: 'text' })} as m
      join companies co on co.id = ${companyId}
      join clients c on c.company_id = ${companyId} and c.id = m.client_id
      ${permission.join}
    ) judged
    where suppressed`)
}

/**
 * Takes the numbers and e-mail addresses of contacts that are about to be erased, and the evidence, out of the record:
 * the hash alone goes on holding. What is on record about an address that another contact has, too, is that one's proof
 * and stays.
 */
export function eraseAddresses(companyId: number, clientIds: number[]): Sql {
  const others = sql`o.company_id = ${companyId} and o.id <> all(${clientIds}) and o.deleted_at is null`
  return sql`
    update permissions q set address = null, evidence = null, evidence_nonce = null
    where q.company_id = ${companyId} and q.evidence_nonce is not null and (
      q.client_id = any(${clientIds}) or q.address_hash in (
        select ${hashOf(sql`f.address`)}
        from clients c
        join companies co on co.id = c.company_id
        cross join lateral (values (c.mobile_e164), (${spelt(sql`c.email`)})) as f (address)
        where c.company_id = ${companyId} and c.id = any(${clientIds}) and f.address is not null
          and not exists (select from clients o where ${others} and o.mobile_e164 = f.address)
          and not exists (select from clients o where ${others} and ${spelt(sql`o.email`)} = f.address)))`
}
