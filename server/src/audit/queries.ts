import sql, { join, type Sql } from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import type { AuditEntry } from './schema.ts'

export interface AuditFilter {
  activity?: string
  actor?: string
  from?: Date
  before?: Date
  case_id?: number
  client_id?: number
}

/** Newest first. */
export async function selectAuditLog(
  { db, companyId }: Scope,
  { activity, actor, from, before, case_id, client_id }: AuditFilter,
  { limit, offset }: Slice,
): Promise<Found<AuditEntry>> {
  const conditions: Sql[] = [sql`company_id = ${companyId}`]
  if (activity) conditions.push(sql`activity = ${activity}`)
  if (actor) conditions.push(sql`actor = ${actor}`)
  if (from) conditions.push(sql`created_at >= ${from}`)
  if (before) conditions.push(sql`created_at < ${before}`)
  if (case_id) conditions.push(sql`case_id = ${case_id}`)
  if (client_id) conditions.push(sql`client_id = ${client_id}`)
  const where = join(conditions, ' and ')
  return findPage<AuditEntry>(
    db,
    sql`audit_log where ${where}`,
    sql`
      select id, activity, actor, channel, record_type, record_id, case_id, client_id, changes, request_id, created_at
      from audit_log where ${where} order by id desc limit ${limit} offset ${offset}`,
  )
}
