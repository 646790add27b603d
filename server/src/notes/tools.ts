import Type from 'typebox'
import { selectCase } from '../cases/queries.ts'
import { selectClient } from '../clients/queries.ts'
import { changedFields } from '../core/change.ts'
import { refuseAll } from '../core/errors.ts'
import { Fields, Id, Text } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import {
  insertAttachment,
  insertNote,
  selectMissingAttachments,
  selectNoteForUpdate,
  selectNotes,
  updateNote,
} from './queries.ts'
import { about, BODY, Note, TITLE, Ulid, Ulids } from './schema.ts'

export const listNotes = tool({
  name: 'list_notes',
  title: 'List notes',
  description: 'Notes on one case or one client, newest first. Give case_id or client_id, not both.',
  readOnly: true,
  untrustedFields: ['notes[].title', 'notes[].body'],
  input: Fields({
    ...paging,
    case_id: Type.Optional(Id('Case whose notes are wanted')),
    client_id: Type.Optional(Id('Client whose notes are wanted')),
    search: Type.Optional(Type.String({ description: 'Part of the title or text' })),
  }),
  output: Paged('notes', Note),
  async run(ctx, { case_id, client_id, ...args }) {
    if ((case_id === undefined) === (client_id === undefined)) {
      const message = 'give either case_id or client_id'
      refuseAll([
        { field: 'case_id', message },
        { field: 'client_id', message },
      ])
    }
    if (case_id !== undefined) await selectCase(ctx, case_id)
    if (client_id !== undefined) await selectClient(ctx, client_id)
    return paged('notes', args, await selectNotes(ctx, { case_id, client_id }, { ...args, ...slice(args) }))
  },
})

export const createNote = tool({
  name: 'create_note',
  title: 'Create a note',
  description: "Writes a note on a case or client; its author is the API key's name.",
  input: Fields({
    body: BODY,
    ...about,
    title: TITLE,
    attachment_ulids: Type.Optional(Ulids('Files from create_attachment')),
  }),
  output: Type.Object({ note_id: Type.Integer(), status: Type.Literal('created') }),
  async run(ctx, input) {
    const subject = input.type === 'case' ? selectCase : selectClient
    await subject(ctx, input.reference_id)
    await refuseMissing(ctx, 'attachment_ulids', input.attachment_ulids)
    const note_id = await insertNote(ctx, input)
    ctx.record({ activity: 'note_created', ...record(note_id, input) })
    return { note_id, status: 'created' } as const
  },
})

export const updateNoteTool = tool({
  name: 'update_note',
  title: 'Update a note',
  description: 'Changes only the given fields, at least one of title, body and attachment_ids.',
  idempotent: true,
  untrustedFields: ['title', 'body'],
  input: Fields({
    ulid: Ulid('The note, as list_notes names it'),
    title: TITLE,
    body: Type.Optional(BODY),
    attachment_ids: Type.Optional(Ulids('All files of the note from now on: ULIDs from create_attachment')),
  }),
  output: Note,
  async run(ctx, { ulid, attachment_ids, ...given }) {
    if (given.title === undefined && given.body === undefined && attachment_ids === undefined) {
      const message = 'give at least one of title, body and attachment_ids'
      refuseAll(['title', 'body', 'attachment_ids'].map((field) => ({ field, message })))
    }
    const before = await selectNoteForUpdate(ctx, ulid)
    await refuseMissing(ctx, 'attachment_ids', attachment_ids)
    await updateNote(ctx, before.id, { ...given, attachment_ulids: attachment_ids })
    const after = await selectNoteForUpdate(ctx, ulid)
    const changes = changedFields(before, after)
    if (changes) ctx.record({ activity: 'note_updated', ...record(before.id, before), changes })
    return after
  },
})

/** 5 MB. */
const MOST = 5 * 1024 * 1024

export const createAttachment = tool({
  name: 'create_attachment',
  title: 'Upload a file',
  description: 'Stores a file of at most 5 MB; create_note and update_note attach it by its ULID.',
  input: Fields({
    file_name: Text(255, 'Name with extension'),
    content_type: Type.Optional(
      Type.String({ pattern: '^[\\w.+-]+/[\\w.+-]+$', maxLength: 255, default: 'application/octet-stream' }),
    ),
    content_base64: Type.String({ minLength: 1, description: 'Content in base64' }),
  }),
  output: Type.Object({ ulid: Type.String(), file_name: Type.String(), size: Type.Integer() }),
  async run(ctx, { file_name, content_type = 'application/octet-stream', content_base64 }) {
    const content = decode(content_base64)
    const ulid = await insertAttachment(ctx, { file_name, content_type, content })
    ctx.record({ activity: 'attachment_created', record_type: 'attachment', record_id: ulid })
    return { ulid, file_name, size: content.length }
  },
})

function decode(base64: string): Buffer {
  const refuse = (message: string) => refuseAll([{ field: 'content_base64', message }])
  if (base64.length > Math.ceil(MOST / 3) * 4) refuse('must be at most 5 MB once decoded')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) refuse('must be base64, padded with =')
  const content = Buffer.from(base64, 'base64')
  if (content.length > MOST) refuse('must be at most 5 MB once decoded')
  return content
}

async function refuseMissing(ctx: Context, field: string, ulids: string[] = []): Promise<void> {
  const missing = await selectMissingAttachments(ctx, ulids)
  if (missing.length > 0)
    refuseAll([{ field, message: `no such attachment: ${missing.join(', ')}; create_attachment answers the ULIDs` }])
}

const record = (id: number, { type, reference_id }: { type: 'case' | 'client'; reference_id: number }) => ({
  record_type: 'note',
  record_id: id,
  [`${type}_id`]: reference_id,
})
