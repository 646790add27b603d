import sql from 'sql-template-tag'
import { entryRows } from '../core/columns.ts'
import type { Scope } from '../core/operation.ts'
import type { Integration, Mapping } from './schema.ts'

export function selectIntegrations({ db, companyId }: Scope): Promise<Integration[]> {
  return db.many(sql`
    select type, enabled, connected_at from crm_integrations where company_id = ${companyId} order by type`)
}

/** All of them, or those of the given fields (held until the end of the transaction), by field. */
export function selectMappings({ db, companyId }: Scope, fields?: string[]): Promise<Mapping[]> {
  const some = fields ? sql`and kayse_field = any(${fields}::text[])` : sql``
  return db.many(sql`
    select kayse_field, crm_field, direction from crm_mappings
    where company_id = ${companyId} ${some}
    order by kayse_field ${fields ? sql`for update` : sql``}`)
}

/** Each field at most once. */
export async function upsertMappings({ db, companyId }: Scope, mappings: Mapping[]): Promise<void> {
  await db.run(sql`
    insert into crm_mappings as m (company_id, kayse_field, crm_field, direction)
    select ${companyId}, e.kayse_field, e.crm_field, e.direction
    from ${entryRows(mappings, { kayse_field: 'text', crm_field: 'text', direction: 'text' })} as e
    order by e.kayse_field
    on conflict (company_id, kayse_field) do update
    set crm_field = excluded.crm_field, direction = excluded.direction, updated_at = now()
    where (m.crm_field, m.direction) is distinct from (excluded.crm_field, excluded.direction)`)
}
