import Type from 'typebox'
import { Id, Instant, Nullable, OptionalText, type Static, Text } from '../core/fields.ts'

export const TITLE = OptionalText(255, 'Title')
export const BODY = Text(100_000, 'Text')

const ulid = { minLength: 26, maxLength: 26 }
export const Ulid = (description: string) => Type.String({ ...ulid, description })

export const Ulids = (description: string) =>
  Type.Array(Type.String(ulid), { maxItems: 100, uniqueItems: true, description })

export const about = {
  type: Type.Unsafe<'case' | 'client'>({ type: 'string', enum: ['case', 'client'], description: 'What it is about' }),
  reference_id: Id('Id of the case or client'),
}

export const Note = Type.Object({
  id: Type.Integer(),
  ulid: Type.String(),
  title: Nullable<string>('string'),
  body: Type.String(),
  type: Type.Unsafe<'case' | 'client'>({ type: 'string', enum: ['case', 'client'] }),
  reference_id: Type.Integer(),
  case_name: Nullable<string>('string'),
  author_name: Nullable<string>('string'),
  attachment_ulids: Type.Array(Type.String()),
  created_at: Instant(),
})
export type Note = Static<typeof Note>
