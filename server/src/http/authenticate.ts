import sql, { type Sql } from 'sql-template-tag'
import { coalesce } from '../core/coalesce.ts'
import type { Pool } from '../core/db.ts'
import { hashKey } from '../core/key-hash.ts'

/** Each channel has an allowance of its own. */
export type Bucket = 'rest' | 'mcp'

export interface Admission {
  companyId: number
  keyId: number
  keyName: string
  /** Whether the company has an enabled webhook. */
  hasWebhooks: boolean
  /** Absent while the limit is switched off. */
  allowance?: Allowance
}

export interface Allowance {
  allowed: boolean
  limit: number
  remaining: number
  /** Epoch seconds at which the window ends. */
  resetAt: number
}

/**
 * Answers who a key belongs to and takes one request from the allowance of the bucket, if one is named; null for an
 * unknown or disabled key.
 */
export type Admit = (key: string, bucket: Bucket | null) => Promise<Admission | null>

interface Asked {
  hash: string
  bucket: Bucket | null
}

interface KeyRow {
  hash: string
  bucket: Bucket | null
  company_id: number
  id: number
  name: string
  has_webhooks: boolean
  used: number | null
  reset_at: number | null
}

/**
 * The database is asked for every request, so that a disabled key is refused at once by every process and the limit is
 * exact across processes and restarts. Requests that arrive while an answer is under way share the next question: under
 * load many requests cost one round trip, and a key's row is never fought over by one process.
 */
export function admission(pool: Pool, limit: number): Admit {
  const asking = (question: (asked: Asked[]) => Sql) =>
    coalesce<Asked, Admission | null>(
      async (asked) => {
        const rows = await pool.many<KeyRow>(question(asked))
        const found = new Map(rows.map((row) => [`${row.bucket} ${row.hash}`, row]))
        return asked.map(({ bucket, hash }) => {
          const row = found.get(`${bucket} ${hash}`)
          if (!row) return null
          const { company_id: companyId, id: keyId, name: keyName, has_webhooks: hasWebhooks } = row
          const admitted: Admission = { companyId, keyId, keyName, hasWebhooks }
          // The batch was counted as one; hand its requests out one by one, the earliest first.
          if (row.used !== null) {
            const used = row.used - remainingOf(row, asked)
            admitted.allowance = {
              allowed: used <= limit,
              limit,
              remaining: Math.max(0, limit - used),
              resetAt: row.reset_at!,
            }
          }
          return admitted
        })
      },
      { max: 500 },
    )
  const look = asking(selectKeys)
  const take = asking(takeAllowance)

  const lastUse = new Map<number, number>()
  return async (key, bucket) => {
    const hash = hashKey(key).toString('hex')
    const admitted = await (bucket && limit > 0 ? take({ hash, bucket }) : look({ hash, bucket: null }))
    if (admitted && Date.now() - (lastUse.get(admitted.keyId) ?? 0) > LAST_USE_MS) {
      lastUse.set(admitted.keyId, Date.now())
      pool.run(updateLastUse(admitted)).catch(() => lastUse.delete(admitted.keyId))
    }
    return admitted
  }
}

/** `last_used_at` is shown to people: to the minute is enough, and costs no write per request. */
const LAST_USE_MS = 60_000

const left = new WeakMap<KeyRow, number>()

/** How many requests of the batch for the same key come after the one asked about now. */
function remainingOf(row: KeyRow, asked: Asked[]): number {
  const before = left.get(row) ?? asked.filter(({ hash, bucket }) => hash === row.hash && bucket === row.bucket).length
  left.set(row, before - 1)
  return before - 1
}

const hasWebhooks = sql`
  exists (select from webhooks w where w.company_id = k.company_id and w.enabled) as has_webhooks`

function selectKeys(asked: Asked[]) {
  const hashes = [...new Set(asked.map(({ hash }) => hash))].map((hash) => Buffer.from(hash, 'hex'))
  return sql`
    select encode(k.hash, 'hex') as hash, null as bucket, k.company_id, k.id, k.name, ${hasWebhooks}, null as used, null as reset_at
    from api_keys k where k.hash = any(${hashes}) and k.enabled`
}

/** Rows are locked in the order of their ids, so that two processes can't deadlock. */
function takeAllowance(asked: Asked[]) {
  return sql`
    with asked as (
      select hash, bucket, count(*)::int as requests
      from unnest(${asked.map(({ hash }) => hash)}::text[], ${asked.map(({ bucket }) => bucket)}::text[]) as a (hash, bucket)
      group by hash, bucket
    ), keys as (
      select a.hash, a.bucket, a.requests, k.company_id, k.id, k.name
      from asked a join api_keys k on k.hash = decode(a.hash, 'hex') and k.enabled
      order by k.company_id, k.id, a.bucket
    ), taken as (
      insert into rate_windows as w (company_id, api_key_id, bucket, started_at, used)
      select company_id, id, bucket, now(), requests from keys
      on conflict (company_id, api_key_id, bucket) do update set
        started_at = case when w.started_at <= now() - interval '1 hour' then now() else w.started_at end,
        used = case when w.started_at <= now() - interval '1 hour' then excluded.used else w.used + excluded.used end
      returning company_id, api_key_id, bucket, used, started_at
    )
    select k.hash, k.bucket, k.company_id, k.id, k.name, ${hasWebhooks}, t.used,
      ceil(extract(epoch from t.started_at + interval '1 hour'))::bigint as reset_at
    from keys k join taken t on t.company_id = k.company_id and t.api_key_id = k.id and t.bucket = k.bucket`
}

function updateLastUse({ companyId, keyId }: Admission) {
  return sql`update api_keys set last_used_at = now() where company_id = ${companyId} and id = ${keyId}`
}
