import { Campaign } from '../campaigns/schema.ts'
import { Case } from '../cases/schema.ts'
import { Client } from '../clients/schema.ts'
import type { EventType } from './event-types.ts'

export interface Sample {
  event_key: string
  data: Record<string, unknown>
  previous?: Record<string, unknown>
}

const example = (schema: object) => (schema as { examples: Record<string, unknown>[] }).examples[0]!

const call = {
  start_time: '2026-03-02T14:30:00.000Z',
  duration: '02:05',
  sentiment_score: 0.8,
  client_name: 'María Okafor',
  result: 'successful',
  campaign_name: 'Spring follow-up',
  campaign_id: 7,
  case_name: 'Okafor v. Transit Authority',
  case_id: 17,
  opted_out: false,
  is_disqualified: false,
  disconnection_reason: 'user_hangup',
  end_reason: null,
  direction: 'outbound',
  agent_name: 'Grace',
  client_id: 42,
  summary: 'The contact will come to the office on Thursday.',
  extracted_fields: { can_come: true },
}

const message = { case_id: 17, client_id: 42, campaign_id: 7, channel: 'sms', status: 'delivered', body: 'Hello María' }

const RECORDS: Record<string, Record<string, unknown>> = {
  case: example(Case),
  client: example(Client),
  call,
  transfer: call,
  message,
  campaign: { ...example(Campaign), status: 'active' },
  task: { case_id: 17, case_task_id: 3, title: 'Bring the accident report', status: 'completed', answer: true },
  form: { case_id: 17, name: 'Intake' },
}

const PREVIOUS: Partial<Record<EventType, Record<string, unknown>>> = {
  case_updated: { court_name: null },
  case_status_changed: { status: 'open' },
  client_updated: { city: null },
  client_opt_out_changed: { sms_opted_out: true },
}

/** An event as it would be, about a record that can't be: the id of every sample is 0. */
export function sampleOf(type: EventType, webhook: { id: number }): Sample {
  const [kind] = type.split('_') as [string]
  const record = RECORDS[kind]
  if (!record) return { event_key: `webhook:${webhook.id}`, data: { ...webhook } }
  const data = { ...record, id: 0 }
  return { event_key: `${kind === 'transfer' ? 'call' : kind}:0`, data, previous: PREVIOUS[type] }
}
