import sql from 'sql-template-tag'
import Type from 'typebox'
import { assignGiven, type Columns } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import { Nullable, type Static } from '../core/fields.ts'
import type { Channel, Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import { containing } from '../core/search.ts'

/** A case as the tools show it. */
export const ToolCase = Type.Object({
  id: Type.Integer(),
  name: Nullable<string>('string'),
  case_number: Type.String(),
  description: Nullable<string>('string'),
  type: Type.String(),
  status: Type.String(),
  court_name: Nullable<string>('string'),
  jurisdiction: Nullable<string>('string'),
  representative: Nullable<string>('string'),
  external_source: Type.String(),
  external_source_id: Type.String(),
  is_obo: Nullable<boolean>('boolean'),
  client_ids: Type.Array(Type.Integer()),
})
export type ToolCase = Static<typeof ToolCase>

const records = sql`
  select k.id, k.name, k.case_number, k.description, t.name as type, s.name as status, k.court_name, k.jurisdiction,
    k.representative, k.external_source, k.external_source_id, k.is_obo, array(
      select l.client_id from case_clients l where l.company_id = k.company_id and l.case_id = k.id order by l.client_id
    ) as client_ids
  from cases k
  join case_statuses s on s.company_id = k.company_id and s.id = k.status_id
  join case_types t on t.company_id = k.company_id and t.id = k.type_id`

export async function selectToolCase({ db, companyId }: Scope, id: number): Promise<ToolCase> {
  const found = await db.maybe<ToolCase>(
    sql`${records} where k.company_id = ${companyId} and k.id = ${id} and k.deleted_at is null`,
  )
  return found ?? notFound('case', id)
}

/** Whose name or number contains the key, newest first. */
export async function selectToolCases(
  { db, companyId }: Scope,
  { key, limit, offset }: { key?: string } & Slice,
): Promise<Found<ToolCase>> {
  const like = containing(key ?? '')
  const matching = key ? sql`and (k.name ilike ${like} or k.case_number ilike ${like})` : sql``
  const where = sql`k.company_id = ${companyId} and k.deleted_at is null ${matching}`
  return findPage<ToolCase>(
    db,
    sql`cases k where ${where}`,
    sql`${records} where ${where} order by k.id desc limit ${limit} offset ${offset}`,
  )
}

const writable: Columns = {
  case_number: 'text',
  name: 'text',
  description: 'text',
  type_id: 'bigint',
  status_id: 'bigint',
  court_name: 'text',
  jurisdiction: 'text',
  representative: 'text',
  external_source: 'text',
  external_source_id: 'text',
}

/** Writes the given fields of a case and leaves the others. */
export async function patchCase(
  { db, companyId }: Scope,
  origin: Channel,
  id: number,
  given: Record<string, unknown>,
): Promise<void> {
  await db.run(sql`
    update cases k set ${assignGiven(writable, 'k', 'e.entry')}, update_origin = ${origin}, updated_at = now()
    from (select ${JSON.stringify(given)}::jsonb as entry) e
    where k.company_id = ${companyId} and k.id = ${id}`)
}

export async function updateRepresentative({ db, companyId }: Scope, id: number, name: string): Promise<void> {
  await db.run(sql`update cases set representative = ${name} where company_id = ${companyId} and id = ${id}`)
}
