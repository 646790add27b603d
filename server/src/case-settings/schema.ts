import Type, { type TObject } from 'typebox'
import { Id, Instant, Nullable, OptionalText, type Static, Text } from '../core/fields.ts'

export const typeFields = {
  name: Text(255, 'Name, unique whatever its capitals'),
  description: OptionalText(10_000, 'What belongs to this type'),
  pronunciation: OptionalText(255, 'How the voice agent says the name'),
}

export const CaseType = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable<string>('string'),
  pronunciation: Nullable<string>('string'),
  number_of_cases: Type.Integer(),
})
export type CaseType = Static<typeof CaseType>

export const CustomField = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  source: Type.String(),
  created_at: Instant(),
})
export type CustomField = Static<typeof CustomField>

export const Priority = Type.Integer({
  minimum: -1_000_000,
  maximum: 1_000_000,
  description: 'Place among the statuses with the same parent, ascending',
})

export const statusFields = {
  name: Text(255, 'Name, unique whatever its capitals'),
  description: OptionalText(10_000, 'What the status means'),
  priority: Type.Optional(Priority),
  parent_id: Type.Optional(
    Type.Unsafe<number | null>({ ...Id('Status that this one stands under; null: none'), type: ['integer', 'null'] }),
  ),
}

const status = {
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable<string>('string'),
  priority: Type.Integer(),
  parent_id: Nullable<number>('integer'),
}

export const CaseStatus = Type.Object({ ...status, number_of_cases: Type.Integer() })
export type CaseStatus = Static<typeof CaseStatus>

export interface StatusNode extends Omit<CaseStatus, 'number_of_cases'> {
  children: StatusNode[]
}

const NODE = { $ref: '#/$defs/status' }

export const StatusTree = Type.Unsafe<{ items: StatusNode[] }>({
  ...Type.Object({ items: Type.Array(Type.Unsafe(NODE)) }),
  $defs: { status: Type.Object({ ...status, children: Type.Array(Type.Unsafe(NODE)) }) },
}) as unknown as TObject<{ items: Type.TUnsafe<StatusNode[]> }>
