import type { Change } from '../core/change.ts'
import type { Turn } from '../providers/voice.ts'

export interface CallKeys {
  company_id: number
  id: number
  campaign_id: number
  client_id: number
  case_id: number
}

/** What is recorded of a call, for the audit log and the events. */
const changeOf = (activity: string, { company_id, id, campaign_id, client_id, case_id }: CallKeys) => ({
  company_id,
  activity,
  record_type: 'call',
  record_id: id,
  campaign_id,
  client_id,
  case_id,
})

type CallChange = Change & { company_id: number }

export const callStarted = (call: CallKeys): CallChange => changeOf('call_started', call)

export const callEnded = (call: CallKeys, end: { result: string; transcript: Turn[] | null }): CallChange => ({
  ...changeOf('call_ended', call),
  changes: { result: { from: null, to: end.result } },
  beside: end.transcript ? ['call_analyzed'] : [],
})

export const transferred = (call: CallKeys, status: string, number: string): CallChange => ({
  ...changeOf(`transfer_${status}`, call),
  changes: { transferred_to: { from: null, to: number } },
})
