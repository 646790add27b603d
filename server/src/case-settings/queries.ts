import sql, { raw } from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'
import { nearest } from '../core/validate.ts'

/** What a company configures for its cases, by table. */
export type Setting = 'case_types' | 'case_statuses'

export interface Named {
  id: number
  name: string
}

const WORDS = { case_types: 'case type', case_statuses: 'case status' }

/** In the order in which people read them. */
export async function selectNames({ db, companyId }: Scope, setting: Setting): Promise<string[]> {
  const order = setting === 'case_statuses' ? sql`priority, id` : sql`lower(name)`
  const rows = await db.many<Named>(
    sql`select name from ${raw(setting)} where company_id = ${companyId} order by ${order}`,
  )
  return rows.map(({ name }) => name)
}

/** Types or statuses without regard to case, by the spelling that was asked for. */
export async function selectByName(
  { db, companyId }: Scope,
  setting: Setting,
  names: string[],
): Promise<Map<string, Named>> {
  const rows = await db.many<Named & { asked: string }>(sql`
    select w.asked, s.id, s.name from unnest(${[...new Set(names)]}::text[]) as w (asked)
    join ${raw(setting)} s on s.company_id = ${companyId} and lower(s.name) = lower(w.asked)`)
  return new Map(rows.map(({ asked, ...found }) => [asked, found]))
}

/** What is wrong with a name that is not configured, and what would be right. */
export function unknownName(setting: Setting, name: string, configured: string[]): string {
  const near = nearest(name, configured)
  const hint = near ? `; did you mean '${near}'?` : '.'
  return `no ${WORDS[setting]} '${name}'${hint} Configured: ${configured.join(', ') || 'none yet'}`
}
