import sql, { type Sql } from 'sql-template-tag'
import { notFound } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import { addressHash, type PermissionChannel, permissionOf } from './permissions.ts'
import { CHANNELS } from './rule-schema.ts'

/** A record of what somebody agreed to or asked for, with what proves it and its place in the chain. */
export interface HistoryRecord {
  id: number
  kind: 'consent' | 'suppression'
  channel: PermissionChannel
  purpose: string
  /** Null once the contact was erased. */
  address: string | null
  address_ending: string | null
  address_hash: string
  /** The contact's own opt-out flag, and not a matter of the number. */
  is_flag: boolean
  source: string
  recorded_by: string | null
  origin: string
  firm: string | null
  obtained_at: Date | null
  recorded_at: Date
  form_version: string | null
  wording_sha256: string | null
  evidence: Record<string, unknown> | null
  /** The first later record that says otherwise of all of it, or of a part. */
  superseded_by: { id: number; in_part: boolean } | null
  position: number | null
  previous_hash: string | null
  hash: string | null
}

export interface History {
  firm: string
  client: { id: number; name: string } | null
  addresses: string[]
  at: Date
  /** As the gate would judge by this record alone. */
  standing: { address: string; channel: string; purpose: string; standing: 'suppressed' | 'consented' | 'nothing' }[]
  records: HistoryRecord[]
}

/** Everything on record about a contact's number and e-mail address, or about one address, whoever had it. Oldest first. */
export async function selectHistory(
  scope: Scope,
  about: { client_id: number } | { address: string },
  at: Date,
): Promise<History> {
  const { db, companyId } = scope
  const clientId = 'client_id' in about ? about.client_id : null
  const client =
    clientId === null
      ? null
      : ((await db.maybe<{ id: number; name: string; mobile_e164: string | null; email: string | null }>(sql`
          select id, first_name || ' ' || last_name as name, mobile_e164, lower(btrim(email)) as email from clients
          where company_id = ${companyId} and id = ${clientId} and deleted_at is null`)) ??
        notFound('client', clientId))
  const given = 'address' in about ? about.address : null
  const addresses = (client ? [client.mobile_e164, client.email] : [given]).filter((each) => each !== null)
  const { firm } = await db.one<{ firm: string }>(sql`select name as firm from companies where id = ${companyId}`)
  const rows = await db.many<HistoryRecord>(records(companyId, addresses, clientId))
  return {
    firm,
    client: client && { id: client.id, name: client.name },
    addresses,
    at,
    standing: await db.many(standing(companyId, addresses, clientId)),
    records: rows.map((row, index) => ({ ...row, superseded_by: successor(row, rows.slice(index + 1)) })),
  }
}

/** The flag of somebody else who has the number says nothing of this contact, as long as that one is a contact. */
const records = (companyId: number, addresses: string[], clientId: number | null): Sql => sql`
  select q.id, q.kind, q.channel, q.purpose, q.address, q.address_ending,
    encode(q.address_hash, 'hex') as address_hash, q.client_id is not null as is_flag, q.source,
    q.actor as recorded_by, q.origin, q.firm, q.obtained_at, q.created_at as recorded_at, q.form_version,
    encode(q.wording_hash, 'hex') as wording_sha256, q.evidence, l.position,
    encode(b.hash, 'hex') as previous_hash, encode(l.hash, 'hex') as hash
  from permissions q
  join companies co on co.id = q.company_id
  left join permission_links l on l.company_id = q.company_id and l.permission_id = q.id
  left join permission_links b on b.company_id = q.company_id and b.position = l.position - 1
  where q.company_id = ${companyId} and (q.client_id = ${clientId} or (
    q.address_hash in (select ${addressHash(sql`a.address`)} from unnest(${addresses}::text[]) as a (address))
    and (q.client_id is null or not exists (
      select from clients o where o.company_id = q.company_id and o.id = q.client_id and o.deleted_at is null))))
  order by q.id`

function standing(companyId: number, addresses: string[], clientId: number | null): Sql {
  const permission = permissionOf({ channel: sql`w.channel`, address: sql`a.address`, purpose: sql`w.purpose` })
  return sql`
    select a.address, w.channel, w.purpose,
      case when suppressed then 'suppressed' when consented then 'consented' else 'nothing' end as standing
    from unnest(${addresses}::text[]) with ordinality as a (address, place)
    join companies co on co.id = ${companyId}
    cross join (select ${companyId}::bigint as company_id, ${clientId ?? 0}::bigint as id) c
    join (
      select channel, purpose, row_number() over () as place
      from unnest(${[...CHANNELS]}::text[]) as h (channel), (values ('case_update'), ('marketing')) as p (purpose)
    ) w on (w.channel = 'email') = (a.address like '%@%')
    cross join lateral (select ${permission.columns} from (select) as one ${permission.join}) judged
    order by a.place, w.place`
}

/** What a later record of the other kind about the same address leaves of a record. */
function successor(record: HistoryRecord, later: HistoryRecord[]): HistoryRecord['superseded_by'] {
  const other = later.find(
    (each) =>
      each.kind !== record.kind &&
      each.address_hash === record.address_hash &&
      (each.channel === record.channel || each.channel === 'all' || record.channel === 'all') &&
      meet(each.purpose, record.purpose),
  )
  if (!other) return null
  const whole = (other.channel === 'all' || other.channel === record.channel) && holds(other.purpose, record.purpose)
  return { id: other.id, in_part: !whole }
}

const holds = (one: string, other: string): boolean =>
  one === 'all' || one === other || (one === 'informational' && other !== 'marketing' && other !== 'all')
const meet = (one: string, other: string): boolean => holds(one, other) || holds(other, one)
