import Type from 'typebox'
import { Instant, Nullable, type Static } from '../core/fields.ts'

export const AuditEntry = Type.Object({
  id: Type.Integer(),
  activity: Type.String(),
  actor: Type.String(),
  channel: Type.String(),
  record_type: Type.String(),
  record_id: Type.String(),
  case_id: Nullable<number>('integer'),
  client_id: Nullable<number>('integer'),
  changes: Nullable<Record<string, { from: unknown; to: unknown }>>(
    'object',
    '{field: {from, to}}; null where nothing was changed',
  ),
  request_id: Nullable<string>('string'),
  created_at: Instant(),
})
export type AuditEntry = Static<typeof AuditEntry>
