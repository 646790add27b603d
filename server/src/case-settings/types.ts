import sql from 'sql-template-tag'
import { assignGiven, type Columns } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import { containing } from '../core/search.ts'
import type { CaseType, CustomField } from './schema.ts'

const records = sql`
  select t.id, t.name, t.description, t.pronunciation, (
    select count(*)::int from cases k
    where k.company_id = t.company_id and k.type_id = t.id and k.deleted_at is null
  ) as number_of_cases
  from case_types t`

export async function selectCaseType({ db, companyId }: Scope, id: number): Promise<CaseType> {
  const found = await db.maybe<CaseType>(sql`${records} where t.company_id = ${companyId} and t.id = ${id}`)
  return found ?? notFound('case type', id)
}

export async function selectCaseTypes(
  { db, companyId }: Scope,
  { name = '', limit, offset }: { name?: string } & Slice,
): Promise<Found<CaseType>> {
  const matching = sql`t.company_id = ${companyId} and t.name ilike ${containing(name)}`
  return findPage<CaseType>(
    db,
    sql`case_types t where ${matching}`,
    sql`${records} where ${matching} order by lower(t.name), t.id limit ${limit} offset ${offset}`,
  )
}

export interface TypeInput {
  name: string
  description?: string | null
  pronunciation?: string | null
}

/** The name must be free. */
export async function insertCaseType({ db, companyId }: Scope, input: TypeInput): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`
    insert into case_types (company_id, name, description, pronunciation)
    values (${companyId}, ${input.name}, ${input.description}, ${input.pronunciation}) returning id`)
  return id
}

const writable: Columns = { name: 'text', description: 'text', pronunciation: 'text' }

/** Writes the given fields and leaves the others. */
export async function updateCaseType({ db, companyId }: Scope, id: number, given: Partial<TypeInput>): Promise<void> {
  await db.run(sql`
    update case_types t set ${assignGiven(writable, 't', 'e.entry')}
    from (select ${JSON.stringify(given)}::jsonb as entry) e
    where t.company_id = ${companyId} and t.id = ${id}`)
}

export function selectCustomFields({ db, companyId }: Scope, typeId: number): Promise<CustomField[]> {
  return db.many<CustomField>(sql`
    select id, key, source, created_at from case_type_custom_fields
    where company_id = ${companyId} and case_type_id = ${typeId}
    order by id`)
}

/** null when the type has the key already, whatever its capitals. */
export async function insertCustomField(
  { db, companyId }: Scope,
  typeId: number,
  key: string,
): Promise<CustomField | undefined> {
  return db.maybe<CustomField>(sql`
    insert into case_type_custom_fields (company_id, case_type_id, key)
    values (${companyId}, ${typeId}, ${key})
    on conflict (company_id, case_type_id, lower(key)) do nothing
    returning id, key, source, created_at`)
}

export async function isCaseType({ db, companyId }: Scope, id: number): Promise<boolean> {
  return (await db.run(sql`select from case_types where company_id = ${companyId} and id = ${id}`)) > 0
}
