import type { QueryConfig } from 'pg'
import type { Sql } from 'sql-template-tag'
import type { Database } from '../server/src/core/db.ts'
import type { Scope } from '../server/src/core/operation.ts'

/** The statement that a query function of the service sends first, as node-postgres takes it. */
export function statementOf(companyId: number, ask: (scope: Scope) => Promise<unknown>): Required<QueryConfig> {
  let sent: Sql | undefined
  const keep = (query: Sql): Promise<never> => {
    sent ??= query
    return new Promise(() => {})
  }
  const db: Database = { many: keep, one: keep, maybe: keep, run: keep }
  void ask({ db, companyId })
  const { text, values } = sent!
  return { name: `bare${++prepared}`, text, values } as Required<QueryConfig>
}

let prepared = 0
