import sql from 'sql-template-tag'
import type { Change } from '../core/change.ts'

/** A message as events show it. */
export const messageRecords = sql`
  select m.id, m.case_id, m.client_id, m.campaign_id, m.channel, m.status, m.body from messages m`

export interface MessageKeys {
  company_id: number
  id: number
  case_id: number | null
  client_id: number
  campaign_id: number | null
}

/** What is recorded of a message that is now `sent`, `delivered` or `failed`, for the audit log and the events. */
export const messageChanged = (status: string, message: MessageKeys): Change & { company_id: number } => ({
  company_id: message.company_id,
  activity: `message_${status}`,
  record_type: 'message',
  record_id: message.id,
  case_id: message.case_id,
  client_id: message.client_id,
  campaign_id: message.campaign_id,
})
