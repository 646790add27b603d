import sql from 'sql-template-tag'
import Type from 'typebox'
import { notFound } from '../core/errors.ts'
import { Nullable, type Static } from '../core/fields.ts'
import type { Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import { containing } from '../core/search.ts'

/** A client as the tools show it. */
export const ToolClient = Type.Object({
  id: Type.Integer(),
  first_name: Type.String(),
  last_name: Type.String(),
  email: Nullable<string>('string'),
  mobile: Nullable<string>('string'),
  gender: Nullable<string>('string'),
  city: Nullable<string>('string'),
  state: Nullable<string>('string'),
  postal_code: Nullable<string>('string'),
  address_line1: Nullable<string>('string'),
  address_line2: Nullable<string>('string'),
  external_source: Type.String(),
  external_source_id: Type.String(),
  timezone: Nullable<string>('string'),
  voice_calls_opted_out: Type.Boolean(),
  sms_opted_out: Type.Boolean(),
  email_opted_out: Type.Boolean(),
  case_ids: Type.Array(Type.Integer()),
})
export type ToolClient = Static<typeof ToolClient>

const records = sql`
  select c.id, c.first_name, c.last_name, c.email, c.mobile, c.gender, c.city, c.state, c.postal_code, c.address_line1,
    c.address_line2, c.external_source, c.external_source_id, c.timezone, c.voice_calls_opted_out, c.sms_opted_out,
    c.email_opted_out, array(
      select l.case_id from case_clients l where l.company_id = c.company_id and l.client_id = c.id order by l.case_id
    ) as case_ids
  from clients c`

export async function selectToolClient({ db, companyId }: Scope, id: number): Promise<ToolClient> {
  const found = await db.maybe<ToolClient>(
    sql`${records} where c.company_id = ${companyId} and c.id = ${id} and c.deleted_at is null`,
  )
  return found ?? notFound('client', id)
}

/** Whose name (first and last, as one text) or e-mail address contains the key, newest first. */
export async function selectToolClients(
  { db, companyId }: Scope,
  { key, limit, offset }: { key?: string } & Slice,
): Promise<Found<ToolClient>> {
  const like = containing(key ?? '')
  const matching = key ? sql`and (c.first_name || ' ' || c.last_name ilike ${like} or c.email ilike ${like})` : sql``
  const where = sql`c.company_id = ${companyId} and c.deleted_at is null ${matching}`
  return findPage<ToolClient>(
    db,
    sql`clients c where ${where}`,
    sql`${records} where ${where} order by c.id desc limit ${limit} offset ${offset}`,
  )
}
