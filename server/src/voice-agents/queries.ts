import sql from 'sql-template-tag'
import { monotonicFactory } from 'ulid'
import { type Columns, columnList, entryRows } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import type { Agent } from './schema.ts'

const writable: Columns = {
  name: 'text',
  voice_id: 'text',
  greeting: 'text',
  task: 'text',
  post_call_fields: 'jsonb',
  transfer_number: 'text',
  is_transfer_enabled: 'boolean',
  is_appointment_booking_enabled: 'boolean',
  phone_number: 'text',
  phone_assignments: 'jsonb',
  voicemail_action: 'text',
  voicemail_message: 'text',
  transfer_mode: 'text',
}

const record = sql`id, ${columnList(writable)}`

const ulid = monotonicFactory()

export async function selectAgent(
  { db, companyId }: Scope,
  id: string,
  lock: 'update' | 'none' = 'none',
): Promise<Agent> {
  const found = await db.maybe<Agent>(sql`
    select ${record} from agents
    where company_id = ${companyId} and id = ${id} and deleted_at is null
    ${lock === 'update' ? sql`for update` : sql``}`)
  return found ?? notFound('agent', id)
}

export function insertAgent({ db, companyId }: Scope, agent: Omit<Agent, 'id'>): Promise<Agent & { created_at: Date }> {
  return db.one(sql`
    insert into agents (company_id, id, ${columnList(writable)})
    select ${companyId}, ${`agent_${ulid().toLowerCase()}`}, ${columnList(writable, 'e')}
    from ${entryRows([agent], writable)} as e
    returning ${record}, created_at`)
}

export function updateAgent({ db, companyId }: Scope, agent: Agent): Promise<Agent & { updated_at: Date }> {
  return db.one(sql`
    update agents a set (${columnList(writable)}) = (select ${columnList(writable, 'e')} from ${entryRows([agent], writable)} as e),
      updated_at = now()
    where a.company_id = ${companyId} and a.id = ${agent.id}
    returning ${record}, updated_at`)
}

/** Answers false when there is no such agent. The row stays: past calls name it. */
export async function deleteAgent({ db, companyId }: Scope, id: string): Promise<boolean> {
  const gone = await db.run(sql`
    update agents set deleted_at = now() where company_id = ${companyId} and id = ${id} and deleted_at is null`)
  return gone > 0
}

export async function selectMissingCaseTypes({ db, companyId }: Scope, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db.many<{ id: number }>(sql`
    select w.id from unnest(${ids}::bigint[]) as w (id)
    where not exists (select from case_types t where t.company_id = ${companyId} and t.id = w.id)`)
  return new Set(rows.map(({ id }) => id))
}

/** By name, for choosing one. */
export function selectAgentNames({ db, companyId }: Scope): Promise<{ id: string; name: string }[]> {
  return db.many(sql`
    select id, name from agents where company_id = ${companyId} and deleted_at is null order by lower(name), id`)
}
