import sql from 'sql-template-tag'
import { selectMissingCases } from '../cases/links.ts'
import type { Detail } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import { type Filter, givenKeys } from './filter.ts'

/** What an input names that may not exist. */
export interface Named {
  filter?: Filter | null
  include_ids?: number[] | null
}

/** The ids of these that don't exist. */
export interface Missing {
  cases: Set<number>
  types: Set<number>
  statuses: Set<number>
}

export async function selectMissing(scope: Scope, inputs: Named[]): Promise<Missing> {
  const filters = inputs.flatMap(({ filter }) => filter ?? [])
  const [cases, types, statuses] = await Promise.all([
    selectMissingCases(
      scope,
      inputs.flatMap(({ include_ids }) => include_ids ?? []),
    ),
    selectMissingIds(
      scope,
      'case_types',
      filters.flatMap(({ case_type_ids }) => case_type_ids ?? []),
    ),
    selectMissingIds(
      scope,
      'case_statuses',
      filters.flatMap(({ status_ids }) => status_ids ?? []),
    ),
  ])
  return { cases: new Set(cases), types: new Set(types), statuses: new Set(statuses) }
}

const TABLES = { case_types: sql`case_types`, case_statuses: sql`case_statuses` }

async function selectMissingIds(
  { db, companyId }: Scope,
  table: keyof typeof TABLES,
  ids: number[],
): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await db.many<{ id: number }>(sql`
    select distinct w.id from unnest(${ids}::bigint[]) as w (id)
    where not exists (select from ${TABLES[table]} t where t.company_id = ${companyId} and t.id = w.id)`)
  return rows.map(({ id }) => id)
}

/** What the schema can't say of a filter and of the cases to include. */
export function brokenRules({ filter, include_ids }: Named, { cases, types, statuses }: Missing): Detail[] {
  return [
    ...unknown('filter.case_type_ids', 'case type', filter?.case_type_ids, types),
    ...unknown('filter.status_ids', 'case status', filter?.status_ids, statuses),
    ...unknown('include_ids', 'case', include_ids, cases),
  ]
}

function unknown(field: string, what: string, ids: number[] | null | undefined, missing: Set<number>): Detail[] {
  const found = [...new Set(ids)].filter((id) => missing.has(id))
  return found.length > 0 ? [{ field, message: `no such ${what}: ${found.join(', ')}` }] : []
}

interface Change extends Named {
  exclude_ids?: number[] | null
}

/** Attach and detach change the members by a filter, by ids or by both; a filter that says nothing is a mistake there. */
export function brokenChange({ filter, include_ids, exclude_ids }: Change): Detail[] {
  if (filter && Object.keys(givenKeys(filter)).length === 0)
    return [{ field: 'filter', message: 'must name at least one criterion' }]
  if (filter) return []
  if (exclude_ids?.length) return [{ field: 'exclude_ids', message: 'needs a filter from whose cases it excludes' }]
  if (!include_ids?.length) return [{ field: 'filter', message: 'is required unless include_ids names cases' }]
  return []
}
