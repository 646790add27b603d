import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import { badRequest } from '../core/errors.ts'
import type { Context, Operation } from '../core/operation.ts'

export interface Kept {
  status: number
  /** JSON text; empty where the answer has no body. */
  body: string
  replayed: boolean
}

/**
 * Runs `work` at most once per key, method and path: the key's row is written in the transaction of the work itself, so
 * it is there exactly when the work is. A repeat waits on that row while the first is still running; when the first
 * fails, nothing is kept and the repeat does the work.
 */
export async function once(
  ctx: Context,
  op: Operation,
  path: string,
  key: string,
  input: unknown,
  work: () => Promise<unknown>,
): Promise<Kept> {
  const { db, companyId, actor } = ctx
  const bodyHash = createHash('sha256').update(JSON.stringify(input)).digest()
  // A row older than a day is as good as gone.
  const claimed = await db.run(sql`
    insert into idempotency_keys as k (company_id, api_key_id, method, path, key, body_hash)
    values (${companyId}, ${actor.id}, ${op.method}, ${path}, ${key}, ${bodyHash})
    on conflict (company_id, api_key_id, method, path, key) do update
      set body_hash = excluded.body_hash, status = null, body = null, created_at = now()
      where k.created_at < now() - interval '24 hours'`)
  const mine = sql`company_id = ${companyId} and api_key_id = ${actor.id} and method = ${op.method} and path = ${path} and key = ${key}`
  if (claimed === 0) {
    const kept = await db.one<{ status: number; body: string; body_hash: Buffer }>(
      sql`select status, body, body_hash from idempotency_keys where ${mine}`,
    )
    if (!kept.body_hash.equals(bodyHash)) {
      badRequest('Idempotency-Key: this key was already used with another body', [
        { field: 'Idempotency-Key', message: 'was already used with another body' },
      ])
    }
    return { status: kept.status, body: kept.body, replayed: true }
  }
  const result = await work()
  const body = op.output ? JSON.stringify(result) : ''
  await db.run(sql`update idempotency_keys set status = ${op.status}, body = ${body} where ${mine}`)
  return { status: op.status, body, replayed: false }
}
