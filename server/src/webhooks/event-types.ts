import type { Change } from '../core/change.ts'

const CASE_EVENTS = ['case_created', 'case_updated', 'case_status_changed', 'case_deleted'] as const
const CLIENT_EVENTS = ['client_created', 'client_updated', 'client_deleted', 'client_opt_out_changed'] as const
const CALL_EVENTS = [
  'call_started',
  'call_ended',
  'call_analyzed',
  'transfer_started',
  'transfer_bridged',
  'transfer_cancelled',
  'transfer_ended',
] as const
const MESSAGE_EVENTS = ['message_sent', 'message_delivered', 'message_failed', 'message_received'] as const
const FORM_EVENTS = ['task_completed', 'form_completed'] as const
const CAMPAIGN_EVENTS = ['campaign_started', 'campaign_paused', 'campaign_completed'] as const

/** What a webhook can subscribe to. */
export const SUBSCRIBABLE = [
  ...CASE_EVENTS,
  ...CLIENT_EVENTS,
  ...CALL_EVENTS,
  ...MESSAGE_EVENTS,
  ...FORM_EVENTS,
  ...CAMPAIGN_EVENTS,
  'webhook_disabled',
] as const

/** What can be sent as a test. */
export const EVENT_TYPES = [...SUBSCRIBABLE, 'ping'] as const
export type EventType = (typeof EVENT_TYPES)[number]

const known = new Set<string>(SUBSCRIBABLE)

/** Events that belong to a campaign, by which a webhook may then be filtered. */
const ofCampaigns = new Set<string>([...CALL_EVENTS, ...CAMPAIGN_EVENTS])
export const isOfCampaign = (type: string): boolean => ofCampaigns.has(type)

const OPT_OUTS = ['voice_calls_opted_out', 'sms_opted_out', 'email_opted_out']

/** The events that a change makes: its own and, beside it, the narrower ones that apply. */
export function eventsOf({ activity, changes, beside }: Change): string[] {
  if (!known.has(activity)) return []
  const types = [activity, ...(beside ?? [])]
  if (activity === 'case_updated' && changes?.status) types.push('case_status_changed')
  if (activity === 'client_updated' && OPT_OUTS.some((field) => changes?.[field])) types.push('client_opt_out_changed')
  return types
}
