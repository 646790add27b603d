import sql, { join, raw } from 'sql-template-tag'
import { suppress } from '../clients/opt-outs.ts'
import { type Columns, columnList, entryRows } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Channel, Scope } from '../core/operation.ts'
import type { Case, CaseInput } from './schema.ts'

/** A case as it is written: its status and type found. What is left out becomes null. */
export interface CaseRow extends CaseInput {
  id?: number
  status_id: number
  type_id: number
}

// Without `representative`: REST does not show it, so a full replacement leaves it alone.
const writable: Columns = {
  case_number: 'text',
  external_source: 'text',
  external_source_id: 'text',
  external_source_data: 'jsonb',
  name: 'text',
  court_name: 'text',
  jurisdiction: 'text',
  description: 'text',
  status_id: 'bigint',
  type_id: 'bigint',
  is_obo: 'boolean',
  created_date: 'date',
  court_date: 'date',
  end_date: 'date',
  opt_out_voice_calls: 'boolean',
}

export const caseRecords = sql`
  select k.id, k.case_number, k.external_source, k.external_source_id, k.external_source_data, k.name, k.court_name,
    k.jurisdiction, k.description, s.name as status, t.name as type, k.is_obo, k.created_date, k.court_date, k.end_date,
    people.client_ids, k.opt_out_voice_calls, people.call_opted_out, people.sms_opted_out, people.email_opted_out,
    k.origin, k.update_origin
  from cases k
  join case_statuses s on s.company_id = k.company_id and s.id = k.status_id
  join case_types t on t.company_id = k.company_id and t.id = k.type_id
  cross join lateral (
    select coalesce(array_agg(l.client_id order by l.client_id), '{}') as client_ids,
      coalesce(bool_and(c.voice_calls_opted_out), false) as call_opted_out,
      coalesce(bool_and(c.sms_opted_out), false) as sms_opted_out,
      coalesce(bool_and(c.email_opted_out), false) as email_opted_out
    from case_clients l
    join clients c on c.company_id = l.company_id and c.id = l.client_id
    where l.company_id = k.company_id and l.case_id = k.id
  ) people`

export async function selectCase({ db, companyId }: Scope, id: number): Promise<Case> {
  const found = await db.maybe<Case>(
    sql`${caseRecords} where k.company_id = ${companyId} and k.id = ${id} and k.deleted_at is null`,
  )
  return found ?? notFound('case', id)
}

/** In no particular order. */
export function selectCases({ db, companyId }: Scope, ids: number[]): Promise<Case[]> {
  return db.many<Case>(
    sql`${caseRecords} where k.company_id = ${companyId} and k.id = any(${ids}) and k.deleted_at is null`,
  )
}

/**
 * Answers which of the cases exist, ascending. They stay as they are until the end of the transaction: not even a
 * client can be linked to them.
 */
export async function lockForDeletion({ db, companyId }: Scope, ids: number[]): Promise<number[]> {
  const rows = await db.many<{ id: number }>(sql`
    select id from cases where company_id = ${companyId} and id = any(${ids}) and deleted_at is null
    order by id for update`)
  return rows.map(({ id }) => id)
}

/** Which case has a number, for the given numbers. */
export async function selectNumberHolders({ db, companyId }: Scope, numbers: string[]): Promise<Map<string, number>> {
  const rows = await db.many<{ id: number; case_number: string }>(sql`
    select id, case_number from cases
    where company_id = ${companyId} and case_number = any(${numbers}) and deleted_at is null`)
  return new Map(rows.map(({ id, case_number }) => [case_number, id]))
}

/** Answers the ids in the order of the rows. */
export async function insertCases({ db, companyId }: Scope, origin: Channel, rows: CaseRow[]): Promise<number[]> {
  const inserted = await db.many<{ id: number }>(sql`
    with inserted as (
      insert into cases (company_id, ${columnList(writable)}, origin)
      select ${companyId}, ${columnList(writable, 'e')}, ${origin}
      from ${entryRows(rows, writable)} as e
      order by e.ordinality
      returning id
    )
    select id from inserted order by id`)
  return inserted.map(({ id }) => id)
}

/**
 * Replaces every field of the cases. `handedOn` are those of them whose number another one takes: the unique key is
 * checked row by row, so they leave their numbers first.
 */
export async function updateCases(
  { db, companyId }: Scope,
  origin: Channel,
  rows: CaseRow[],
  handedOn: number[],
): Promise<void> {
  if (handedOn.length > 0) {
    await db.run(sql`
      update cases set case_number = gen_random_uuid()::text
      where company_id = ${companyId} and id = any(${handedOn})`)
  }
  await db.run(sql`
    update cases k set ${assignAll}, update_origin = ${origin}, updated_at = now()
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e (id bigint, ${raw(columnTypes)})
    where k.company_id = ${companyId} and k.id = e.id`)
}

const columnTypes = Object.entries(writable)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')
const assignAll = join(Object.keys(writable).map((name) => raw(`${name} = e.${name}`)))

/** Opts the clients of the given cases out of voice calls; answers those who were not before. */
export async function optOutClients(scope: Scope, origin: Channel, caseIds: number[]): Promise<number[]> {
  const { db, companyId } = scope
  const rows = await db.many<{ id: number }>(sql`
    update clients c set voice_calls_opted_out = true, update_origin = ${origin}, updated_at = now()
    where c.company_id = ${companyId} and not c.voice_calls_opted_out and c.id in (
      select l.client_id from case_clients l where l.company_id = ${companyId} and l.case_id = any(${caseIds}))
    returning c.id`)
  const ids = rows.map(({ id }) => id)
  await suppress(scope, origin, ids)
  return ids
}
