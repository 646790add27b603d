import sql from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'
import { DAY, dateOf, dayOf } from './local-time.ts'

/** Whose list it is that a company imports: the service fetches none, since access to them is each company's own. */
export const LIST_KINDS = ['national', 'reassigned', 'litigators', 'internal'] as const
export type ListKind = (typeof LIST_KINDS)[number]

/** 47 CFR 64.1200(c)(2)(i)(D): calls to sell are checked against a version no older than this. */
const NATIONAL_DAYS = 31

export interface ImportedList {
  kind: ListKind
  /** The day of the list, not of its import. */
  as_of: string
  file: string
  channel: string
  purpose: string
  addresses: number
}

export function insertList({ db, companyId }: Scope, list: ImportedList): Promise<unknown> {
  const { kind, as_of, file, channel, purpose, addresses } = list
  return db.run(sql`
    insert into suppression_lists (company_id, kind, as_of, file, channel, purpose, addresses)
    values (${companyId}, ${kind}, ${as_of}, ${file}, ${channel}, ${purpose}, ${addresses})`)
}

/** The newest of each kind. */
export function selectLists({ db, companyId }: Scope): Promise<(ImportedList & { imported_at: Date })[]> {
  return db.many(sql`
    select distinct on (kind) kind, as_of, file, channel, purpose, addresses, imported_at from suppression_lists
    where company_id = ${companyId} order by kind, as_of desc, id desc`)
}

/** What is missing before somebody is called to sell something. */
export function listWarnings(lists: Pick<ImportedList, 'kind' | 'as_of'>[], now: Date): string[] {
  const national = lists.find(({ kind }) => kind === 'national')
  if (!national)
    return ['no national do-not-call list has been imported: marketing needs one that is at most 31 days old']
  const age = Math.floor(now.getTime() / DAY) - (dayOf(national.as_of) as number)
  if (age <= NATIONAL_DAYS) return []
  return [
    `the national do-not-call list is of ${national.as_of}, ${age} days old: marketing needs one of ${dateOf(Math.floor(now.getTime() / DAY) - NATIONAL_DAYS)} or later`,
  ]
}
