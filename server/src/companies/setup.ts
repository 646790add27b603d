import sql from 'sql-template-tag'
import { type Change, insertAudit } from '../core/change.ts'
import type { Database, Pool } from '../core/db.ts'
import { notFound } from '../core/errors.ts'
import { hashKey } from '../core/key-hash.ts'
import type { Context, Scope } from '../core/operation.ts'
import {
  insertCompany,
  insertKey,
  type KeyRecord,
  lockKey,
  type NewKey,
  selectCompanies,
  updateCampaignsEnabled,
  updateKeyEnabled,
} from './queries.ts'

type Author = Pick<Context, 'actor' | 'channel' | 'requestId'>

export interface NewCompany {
  company_id: number
  /** Shown this once. */
  api_key: string
}

/** A company with what it needs to begin, and its first key. Run it in a transaction. */
export async function createCompany(db: Database, author: Author, name: string, apiKey?: string): Promise<NewCompany> {
  const scope = { db, companyId: await insertCompany(db, name) }
  await record(scope, author, { activity: 'company_created', record_type: 'company', record_id: scope.companyId })
  const { api_key } = await createKey(scope, author, 'First key', apiKey)
  return { company_id: scope.companyId, api_key }
}

/** Run it in a transaction. */
export async function createKey(scope: Scope, author: Author, name: string, apiKey?: string): Promise<NewKey> {
  const key = await insertKey(scope, name, apiKey)
  await record(scope, author, { activity: 'api_key_created', record_type: 'api_key', record_id: key.key_id })
  return key
}

/** Run it in a transaction. A disabled key is refused at once by every process. */
export async function setKeyEnabled(scope: Scope, author: Author, id: number, enabled: boolean): Promise<KeyRecord> {
  const before = await lockKey(scope, id)
  if (before.enabled === enabled) return before
  const changes = { enabled: { from: before.enabled, to: enabled } }
  await record(scope, author, { activity: 'api_key_updated', record_type: 'api_key', record_id: id, changes })
  return await updateKeyEnabled(scope, id, enabled)
}

/**
 * The switch that stops all campaigns of a company, or of all, or lets them go on. Run it in a transaction. No process
 * begins another call or message of them; a call in flight goes on to its end.
 */
export async function setCampaignsEnabled(
  db: Database,
  author: Author,
  enabled: boolean,
  companyId?: number,
): Promise<{ company_id: number; name: string; is_enabled: boolean }[]> {
  const companies = (await selectCompanies(db)).filter(({ company_id }) => !companyId || company_id === companyId)
  if (companyId && companies.length === 0) notFound('company', companyId)
  const changes = { is_enabled: { from: !enabled, to: enabled } }
  for (const { company_id: companyId } of companies)
    if (await updateCampaignsEnabled({ db, companyId }, enabled)) {
      const change = { activity: 'campaign_settings_updated', record_type: 'company', record_id: companyId, changes }
      await record({ db, companyId }, author, change)
    }
  return companies.map(({ company_id, name }) => ({ company_id, name, is_enabled: enabled }))
}

/**
 * Creates the first company where there is none; undefined where there is one. Of several processes that start at once
 * on an empty database one creates it.
 */
export async function ensureFirstCompany(
  pool: Pool,
  author: Author,
  { name, apiKey }: { name: string; apiKey?: string },
): Promise<NewCompany | undefined> {
  const exists = async (db: Database) => (await db.maybe(sql`select from companies limit 1`)) !== undefined
  if (await exists(pool)) return undefined
  return await pool.transaction(async (db) => {
    await db.run(sql`lock table companies in share row exclusive mode`)
    return (await exists(db)) ? undefined : createCompany(db, author, name, apiKey)
  })
}

/** Whether it is an enabled key of any company. */
export async function isKey(db: Database, apiKey: string): Promise<boolean> {
  return (await db.maybe(sql`select from api_keys where hash = ${hashKey(apiKey)} and enabled`)) !== undefined
}

async function record({ db, companyId }: Scope, author: Author, change: Change): Promise<void> {
  await db.run(insertAudit({ companyId, ...author }, [change]))
}
