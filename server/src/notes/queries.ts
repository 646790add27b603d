import sql from 'sql-template-tag'
import { ulid } from 'ulid'
import { assignGiven, type Columns } from '../core/columns.ts'
import { notFound } from '../core/errors.ts'
import type { Context, Scope } from '../core/operation.ts'
import { type Found, findPage, type Slice } from '../core/paging.ts'
import { containing } from '../core/search.ts'
import type { Note } from './schema.ts'

/** Notes of deleted cases and clients are as gone as these. */
const records = sql`
  select n.id, n.ulid, n.title, n.body, n.type, coalesce(n.case_id, n.client_id) as reference_id,
    coalesce(k.name, k.case_number) as case_name, n.author_name, n.attachment_ulids, n.created_at
  from notes n
  left join cases k on k.company_id = n.company_id and k.id = n.case_id
  left join clients c on c.company_id = n.company_id and c.id = n.client_id`

const alive = sql`k.deleted_at is null and c.deleted_at is null`

/** Of a case or of a client, newest first. */
export async function selectNotes(
  { db, companyId }: Scope,
  about: { case_id?: number; client_id?: number },
  { search, limit, offset }: { search?: string } & Slice,
): Promise<Found<Note>> {
  const subject =
    about.case_id === undefined ? sql`n.client_id = ${about.client_id}` : sql`n.case_id = ${about.case_id}`
  const like = containing(search ?? '')
  const matching = search ? sql`and (n.title ilike ${like} or n.body ilike ${like})` : sql``
  const where = sql`n.company_id = ${companyId} and ${subject} ${matching}`
  return findPage<Note>(
    db,
    sql`notes n where ${where}`,
    sql`${records} where ${where} order by n.id desc limit ${limit} offset ${offset}`,
  )
}

/** Keeps others from changing it until the end of the transaction. */
export async function selectNoteForUpdate({ db, companyId }: Scope, ulid: string): Promise<Note> {
  const found = await db.maybe<Note>(
    sql`${records} where n.company_id = ${companyId} and n.ulid = ${ulid} and ${alive} for no key update of n`,
  )
  return found ?? notFound('note', ulid)
}

export interface NoteInput {
  type: 'case' | 'client'
  reference_id: number
  title?: string | null
  body: string
  attachment_ulids?: string[]
}

export async function insertNote(ctx: Context, input: NoteInput): Promise<number> {
  const { type, reference_id, title, body, attachment_ulids = [] } = input
  const { id } = await ctx.db.one<{ id: number }>(sql`
    insert into notes (company_id, ulid, title, body, type, case_id, client_id, author_name, attachment_ulids, origin)
    values (${ctx.companyId}, ${ulid()}, ${title}, ${body}, ${type}, ${type === 'case' ? reference_id : null},
      ${type === 'client' ? reference_id : null}, ${ctx.actor.name}, ${attachment_ulids}, ${ctx.channel})
    returning id`)
  return id
}

const writable: Columns = { title: 'text', body: 'text' }

/** Writes the given fields and leaves the others. */
export async function updateNote(
  { db, companyId }: Scope,
  id: number,
  { attachment_ulids, ...given }: { title?: string | null; body?: string; attachment_ulids?: string[] },
): Promise<void> {
  await db.run(sql`
    update notes n set ${assignGiven(writable, 'n', 'e.entry')},
      attachment_ulids = coalesce(${attachment_ulids}::text[], n.attachment_ulids), updated_at = now()
    from (select ${JSON.stringify(given)}::jsonb as entry) e
    where n.company_id = ${companyId} and n.id = ${id}`)
}

export interface Attachment {
  file_name: string
  content_type: string
  content: Buffer
}

export async function insertAttachment({ db, companyId }: Scope, attachment: Attachment): Promise<string> {
  const { file_name, content_type, content } = attachment
  const id = ulid()
  await db.run(sql`
    insert into attachments (company_id, ulid, file_name, content_type, content)
    values (${companyId}, ${id}, ${file_name}, ${content_type}, ${content})`)
  return id
}

/** The ULIDs of `ulids` that are no attachments of the company. */
export async function selectMissingAttachments({ db, companyId }: Scope, ulids: string[]): Promise<string[]> {
  const rows = await db.many<{ ulid: string }>(sql`
    select w.ulid from unnest(${ulids}::text[]) as w (ulid)
    where not exists (select from attachments a where a.company_id = ${companyId} and a.ulid = w.ulid)`)
  return rows.map(({ ulid }) => ulid)
}
