import sql from 'sql-template-tag'
import type { Database } from './db.ts'

const secrets = new WeakMap<Database, Promise<Buffer>>()

/** Signs links in messages. It lives in the database, so that links outlive restarts and hold in every process. */
export function installationSecret(pool: Database): Promise<Buffer> {
  let secret = secrets.get(pool)
  if (!secret) {
    secret = pool.one<{ secret: Buffer }>(sql`select secret from link_secret where id = 1`).then((row) => row.secret)
    secrets.set(pool, secret)
    secret.catch(() => secrets.delete(pool))
  }
  return secret
}
