import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import { notFound } from '../core/errors.ts'
import { hashKey } from '../core/key-hash.ts'
import type { Scope } from '../core/operation.ts'

export interface NewKey {
  key_id: number
  name: string
  /** Shown this once: only its SHA-256 is kept. */
  api_key: string
}

export interface KeyRecord {
  key_id: number
  name: string
  enabled: boolean
  prefix: string
  created_at: Date
  last_used_at: Date | null
}

/** What a fresh company can use at once; both can be added to through the tool interface. */
const CASE_TYPES = ['civil', 'criminal', 'family', 'personal injury', 'immigration', 'employment', 'estate']
const CASE_STATUSES = ['new', 'open', 'active', 'pending', 'settled', 'closed']

/** Creates a company with its guard, its first case types and statuses. Run it in a transaction. */
export async function insertCompany(db: Database, name: string): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`insert into companies (name) values (${name}) returning id`)
  await db.run(sql`insert into membership_guards (company_id) values (${id})`)
  await db.run(sql`
    insert into case_types (company_id, name)
    select ${id}, name from unnest(${CASE_TYPES}::text[]) with ordinality as t (name, position) order by position`)
  await db.run(sql`
    insert into case_statuses (company_id, name, priority)
    select ${id}, name, position from unnest(${CASE_STATUSES}::text[]) with ordinality as t (name, position) order by position`)
  return id
}

export async function selectCompanies(db: Database): Promise<{ company_id: number; name: string; created_at: Date }[]> {
  return db.many(sql`select id as company_id, name, created_at from companies order by id`)
}

/** Answers whether it was otherwise before. Waits for a dial pass under way, which has read what was. */
export async function updateCampaignsEnabled({ db, companyId }: Scope, enabled: boolean): Promise<boolean> {
  const changed = await db.run(sql`
    update companies set campaigns_enabled = ${enabled} where id = ${companyId} and campaigns_enabled <> ${enabled}`)
  await db.run(sql`
    select from campaigns where company_id = ${companyId} and status = 'active' order by id for update`)
  return changed > 0
}

/** Stores a key; a random one unless `apiKey` is given. */
export async function insertKey(
  { db, companyId }: Scope,
  name: string,
  apiKey = `dk_${randomBytes(24).toString('base64url')}`,
): Promise<NewKey> {
  const row = await db.maybe<{ id: number }>(sql`
    insert into api_keys (company_id, name, hash, prefix)
    select id, ${name}, ${hashKey(apiKey)}, ${apiKey.slice(0, 7)} from companies where id = ${companyId}
    returning id`)
  return row ? { key_id: row.id, name, api_key: apiKey } : notFound('company', companyId)
}

export function selectKeys({ db, companyId }: Scope): Promise<KeyRecord[]> {
  return db.many<KeyRecord>(sql`
    select id as key_id, name, enabled, prefix, created_at, last_used_at from api_keys
    where company_id = ${companyId} order by id`)
}

/** What is done with it is done to what was read. */
export async function lockKey({ db, companyId }: Scope, id: number): Promise<KeyRecord> {
  const row = await db.maybe<KeyRecord>(sql`
    select id as key_id, name, enabled, prefix, created_at, last_used_at from api_keys
    where company_id = ${companyId} and id = ${id} for update`)
  return row ?? notFound('key', id)
}

export async function updateKeyEnabled({ db, companyId }: Scope, id: number, enabled: boolean): Promise<KeyRecord> {
  return await db.one<KeyRecord>(sql`
    update api_keys set enabled = ${enabled} where company_id = ${companyId} and id = ${id}
    returning id as key_id, name, enabled, prefix, created_at, last_used_at`)
}
