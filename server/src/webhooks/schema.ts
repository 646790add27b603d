import Type from 'typebox'
import { Choice, Fields, Id, Instant, Nullable, OptionalId, type Static, Text } from '../core/fields.ts'
import { SUBSCRIBABLE } from './event-types.ts'

const unique = { uniqueItems: true, maxItems: 1000 }

/** What a caller says of a webhook. */
export const webhookFields = {
  name: Text(255, 'Name, 3 characters or more', { minLength: 3 }),
  url: Text(2048, 'Receiver: https at a public address', { examples: ['https://example.com/docketcall'] }),
  enabled: Type.Optional(Type.Boolean({ description: 'true when omitted on create' })),
  event_types: Type.Optional(
    Type.Array(Choice(SUBSCRIBABLE, 'Event type'), { ...unique, description: 'Events to send; [] means all' }),
  ),
  case_type_ids: Type.Optional(
    Type.Array(Id('Case type'), { ...unique, description: 'Only events about cases of these types; [] means any' }),
  ),
  campaign_ids: Type.Optional(
    Type.Array(Id('Campaign'), {
      ...unique,
      description: 'Only events of these campaigns; needs event_types, all of them call_…, transfer_… or campaign_…',
    }),
  ),
  api_key_id: OptionalId('Sign with the secret derived from this API key instead of an own one; see list_api_keys'),
}

const given = Fields(webhookFields)
export type WebhookInput = Static<typeof given>

const webhook = {
  id: Type.Integer(),
  name: Type.String(),
  url: Type.String(),
  enabled: Type.Boolean(),
  event_types: Type.Array(Type.String()),
  case_type_ids: Type.Array(Type.Integer()),
  campaign_ids: Type.Array(Type.Integer()),
  api_key_id: Nullable<number>('integer'),
}

export const Webhook = Type.Object(webhook)
export type Webhook = Static<typeof Webhook>

/** The secret is shown this once, and only where the webhook signs with its own. */
export const WebhookWithSecret = Type.Object({ ...webhook, secret: Type.Optional(Type.String()) })

export const ListedWebhook = Type.Object({
  ...webhook,
  last_delivery_status: Nullable<'success' | 'failed'>('string'),
  last_http_status: Nullable<number>('integer'),
  last_attempt_at: Nullable<Date>('string', undefined, { format: 'date-time' }),
})
export type ListedWebhook = Static<typeof ListedWebhook>

export const Attempt = Type.Object({
  id: Type.Integer(),
  delivery_id: Type.String({ description: 'The webhook-id that the receiver saw' }),
  event_type: Type.String(),
  event_key: Type.String(),
  destination_url: Type.String(),
  triggered_by: Type.String({ description: 'event, test or replay' }),
  attempt_number: Type.Integer(),
  http_status: Nullable<number>('integer'),
  duration_ms: Type.Integer(),
  success: Type.Boolean(),
  error_message: Nullable<string>('string'),
  request_headers: Type.Unsafe<Record<string, string>>({ type: 'object' }),
  request_payload: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  response_body: Nullable<string>('string'),
  next_attempt_at: Nullable<Date>('string', undefined, { format: 'date-time' }),
  created_at: Instant(),
})
export type Attempt = Static<typeof Attempt>
