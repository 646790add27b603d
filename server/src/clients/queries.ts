import sql, { raw } from 'sql-template-tag'
import { missing } from '../cases/links.ts'
import { assignGiven, type Columns, columnList, entryRows } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Channel, Scope } from '../core/operation.ts'
import { toE164 } from '../core/phone.ts'
import { FLAGS, namesFlag, recordOptOuts, selectFlags, suppress } from './opt-outs.ts'
import type { Client, CreateClient, PatchClient } from './schema.ts'

const writable: Columns = {
  external_source: 'text',
  external_source_id: 'text',
  first_name: 'text',
  last_name: 'text',
  email: 'text',
  mobile: 'text',
  mobile_e164: 'text',
  gender: 'text',
  date_of_birth: 'date',
  date_of_death: 'date',
  city: 'text',
  state: 'text',
  postal_code: 'text',
  address_line1: 'text',
  address_line2: 'text',
  timezone: 'text',
  meta: 'jsonb',
  voice_calls_opted_out: 'boolean',
  sms_opted_out: 'boolean',
  email_opted_out: 'boolean',
}

const { mobile_e164: _, ...shown } = writable
const record = sql`c.id, ${columnList(shown, 'c')}, c.origin, c.update_origin`

const caseIds = sql`array(
  select l.case_id from case_clients l where l.company_id = c.company_id and l.client_id = c.id order by l.case_id) as case_ids`

export const clientRecords = sql`select ${record}, ${caseIds} from clients c`

/** An entry as its row: the number in E.164 beside the one that was sent, cleared flags false. */
function toRow<T extends CreateClient | PatchClient>(entry: T): T & { mobile_e164?: string | null } {
  const row = { ...entry, ...(entry.mobile === undefined ? {} : { mobile_e164: toE164(entry.mobile) }) }
  for (const flag of FLAGS) if (row[flag] === null) row[flag] = false
  return row
}

export async function selectClient({ db, companyId }: Scope, id: number): Promise<Client> {
  const found = await db.maybe<Client>(sql`
    ${clientRecords}
    where c.company_id = ${companyId} and c.id = ${id} and c.deleted_at is null`)
  return found ?? notFound('client', id)
}

/** In no particular order. */
export function selectClients({ db, companyId }: Scope, ids: number[]): Promise<Client[]> {
  return db.many<Client>(sql`
    ${clientRecords}
    where c.company_id = ${companyId} and c.id = any(${ids}) and c.deleted_at is null`)
}

/**
 * As `selectClients`, and keeps others from changing them until the end of the transaction; cases can still be linked.
 * Locked by a statement of its own: one that waits for a lock and then goes on sees the new client beside old links.
 */
export async function selectClientsForUpdate(scope: Scope, ids: number[]): Promise<Client[]> {
  const { db, companyId } = scope
  const [, clients] = await Promise.all([
    db.run(sql`
      select from clients where company_id = ${companyId} and id = any(${ids}) and deleted_at is null
      order by id for no key update`),
    selectClients(scope, ids),
  ])
  return clients
}

/** Answers the records in the order of the entries, still without their links. */
export async function insertClients(scope: Scope, origin: Channel, entries: CreateClient[]): Promise<Client[]> {
  const { db, companyId } = scope
  const clients = await db.many<Client>(sql`
    insert into clients as c (company_id, ${written}, origin)
    select ${companyId}, ${given}, ${origin} from ${entryRows(entries.map(toRow), writable)} as e
    order by e.ordinality
    returning ${record}, '{}'::bigint[] as case_ids`)
  clients.sort((a, b) => a.id - b.id)
  if (entries.some(namesFlag)) await recordOptOuts(scope, origin, [], clients)
  return clients
}

const written = columnList(writable)
const given = raw(
  Object.keys(writable)
    .map((name) => (FLAGS.includes(name as never) ? `coalesce(e.${name}, false)` : `e.${name}`))
    .join(', '),
)

/** Writes the given fields of each entry and leaves the others; answers the records in no particular order. */
export async function updateClients(scope: Scope, origin: Channel, entries: PatchClient[]): Promise<Client[]> {
  const { db, companyId } = scope
  const named = entries.filter(namesFlag).map(({ id }) => id)
  const before = named.length > 0 ? await selectFlags(scope, named) : []
  const clients = await db.many<Client>(sql`
    update clients c set ${assignGiven(writable, 'c', 'e.entry')}, update_origin = ${origin}, updated_at = now()
    from (select (value ->> 'id')::bigint as id, value as entry from jsonb_array_elements(${JSON.stringify(entries.map(toRow))}::jsonb)) e
    where c.company_id = ${companyId} and c.id = e.id and c.deleted_at is null
    returning ${record}, ${caseIds}`)
  if (named.length > 0) await recordOptOuts(scope, origin, before, clients)
  return clients
}

export interface OptOutSpread {
  client_ids: number[]
  case_ids: number[]
}

/** Marks all cases of the given clients and opts out all clients of those cases. Answers what changed by it. */
export async function spreadVoiceOptOut(scope: Scope, origin: Channel, clientIds: number[]): Promise<OptOutSpread> {
  const { db, companyId } = scope
  const clients = await db.many<{ id: number }>(sql`
    update clients c set voice_calls_opted_out = true, update_origin = ${origin}, updated_at = now()
    where c.company_id = ${companyId} and not c.voice_calls_opted_out and c.deleted_at is null and c.id in (
      select other.client_id from case_clients l
      join case_clients other on other.company_id = l.company_id and other.case_id = l.case_id
      where l.company_id = ${companyId} and l.client_id = any(${clientIds}))
    returning c.id`)
  const cases = await db.many<{ id: number }>(sql`
    update cases k set opt_out_voice_calls = true, update_origin = ${origin}, updated_at = now()
    where k.company_id = ${companyId} and k.opt_out_voice_calls is not true and k.id in (
      select l.case_id from case_clients l where l.company_id = ${companyId} and l.client_id = any(${clientIds}))
    returning k.id`)
  const client_ids = clients.map(({ id }) => id)
  await suppress(scope, origin, client_ids)
  return { client_ids, case_ids: cases.map(({ id }) => id) }
}

/**
 * The ids that are no clients of the company, ascending. Those that are can't be deleted before the end of the
 * transaction, so that what is linked to them is never linked to a deleted client.
 */
export async function selectMissingClients({ db, companyId }: Scope, ids: number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await db.many<{ id: number }>(sql`
    select id from clients where company_id = ${companyId} and id = any(${ids}) and deleted_at is null
    order by id for key share`)
  return missing(ids, rows)
}
