import Type from 'typebox'
import { changedFields } from '../core/change.ts'
import { badRequest, notFound, refuseAll } from '../core/errors.ts'
import { Choice, Fields, Id, Text } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { tool } from '../core/tool.ts'
import { cancelDeliveries } from './disable.ts'
import { EVENT_TYPES } from './event-types.ts'
import { insertTestEvent, replayAttempt, replayFailed, selectAttempts } from './log.ts'
import {
  deleteWebhook,
  insertWebhook,
  lockWebhook,
  retireSecret,
  selectWebhook,
  selectWebhooks,
  updateSecret,
  updateWebhook,
} from './queries.ts'
import { refuseBadWebhook } from './rules.ts'
import { sampleOf } from './samples.ts'
import { Attempt, ListedWebhook, Webhook, type WebhookInput, WebhookWithSecret, webhookFields } from './schema.ts'
import { newSecret, shownSecret } from './signing.ts'

export const listWebhooks = tool({
  name: 'list_webhooks',
  title: 'List webhooks',
  description: 'Every webhook with how its last delivery went. Empty event_types means all events.',
  readOnly: true,
  input: Fields({}),
  output: Type.Object({ items: Type.Array(ListedWebhook) }),
  run: async (ctx) => ({ items: await selectWebhooks(ctx) }),
})

export const getWebhook = tool({
  name: 'get_webhook',
  title: 'Get a webhook',
  description: 'One webhook; list_webhooks shows how its last delivery went.',
  readOnly: true,
  input: Fields({ id: Id('Webhook id') }),
  output: Webhook,
  run: (ctx, { id }) => selectWebhook(ctx, id),
})

/** An input over what is already there: what is left out stays. */
function merged(before: Omit<Webhook, 'id'>, given: WebhookInput): Omit<Webhook, 'id'> {
  const { api_key_id = before.api_key_id, ...rest } = given
  return { ...before, ...rest, api_key_id }
}

const NEW = { enabled: true, event_types: [], case_type_ids: [], campaign_ids: [], api_key_id: null }

export const createWebhookTool = tool({
  name: 'create_webhook',
  title: 'Create a webhook',
  description:
    'Sends events to a URL of the firm, signed by Standard Webhooks. The signing secret is shown only this once: hand it to whoever runs the receiver. With api_key_id the secret is derived from that key and not shown.',
  openWorld: true,
  input: Fields(webhookFields),
  output: WebhookWithSecret,
  async run(ctx, given) {
    const webhook = merged({ name: given.name, url: given.url, ...NEW }, given)
    await refuseBadWebhook(ctx, webhook)
    const secret = newSecret()
    const id = await insertWebhook(ctx, webhook, secret)
    ctx.record({ activity: 'webhook_created', record_type: 'webhook', record_id: id })
    return { id, ...webhook, ...(webhook.api_key_id === null && { secret: shownSecret(secret) }) }
  },
})

export const updateWebhookTool = tool({
  name: 'update_webhook',
  title: 'Update a webhook',
  description:
    'Changes only the given fields. Switching it off cancels what waits to be sent; replay_failed_webhook_deliveries brings it back. Without api_key_id it signs with its own secret: rotate_webhook_secret shows a new one.',
  idempotent: true,
  openWorld: true,
  input: Fields({ id: Id('Webhook id'), ...webhookFields }),
  output: Webhook,
  async run(ctx, { id, ...given }) {
    const { id: _, ...before } = await lockWebhook(ctx, id)
    const after = merged(before, given)
    const changes = changedFields(before, after)
    if (!changes) return { id, ...after }
    await refuseBadWebhook(ctx, after, before)
    if (changes.api_key_id) await retireSecret(ctx, id)
    await updateWebhook(ctx, { id, ...after })
    if (before.enabled && !after.enabled) await cancelDeliveries(ctx, id)
    ctx.record({ activity: 'webhook_updated', record_type: 'webhook', record_id: id, changes })
    return { id, ...after }
  },
})

export const deleteWebhookTool = tool({
  name: 'delete_webhook',
  title: 'Delete a webhook',
  description:
    'Ends a webhook with everything that waits to be sent to it. To pause it, update_webhook with enabled false.',
  destructive: true,
  openWorld: true,
  input: Fields({ id: Id('Webhook id') }),
  output: Type.Object({ status: Type.Literal('deleted') }),
  async run(ctx, { id }) {
    await lockWebhook(ctx, id)
    await deleteWebhook(ctx, id)
    ctx.record({ activity: 'webhook_deleted', record_type: 'webhook', record_id: id })
    return { status: 'deleted' } as const
  },
})

export const rotateWebhookSecret = tool({
  name: 'rotate_webhook_secret',
  title: 'Rotate the secret of a webhook',
  description: 'Makes a new signing secret and shows it this once. The old one signs beside it for 24 hours.',
  openWorld: true,
  input: Fields({ id: Id('Webhook id') }),
  output: Type.Object({ id: Type.Integer(), secret: Type.String() }),
  async run(ctx, { id }) {
    const { api_key_id } = await lockWebhook(ctx, id)
    if (api_key_id !== null)
      badRequest(`webhook ${id} signs with API key ${api_key_id}: set another api_key_id with update_webhook instead`)
    await retireSecret(ctx, id)
    const secret = newSecret()
    await updateSecret(ctx, id, secret)
    ctx.record({ activity: 'webhook_secret_rotated', record_type: 'webhook', record_id: id })
    return { id, secret: shownSecret(secret) }
  },
})

export const testWebhook = tool({
  name: 'test_webhook',
  title: 'Test a webhook',
  description:
    'Sends one event to the receiver within a second, also while the webhook is off: a ping, or a sample of the given type about record 0. list_webhook_logs shows how it went.',
  openWorld: true,
  input: Fields({
    id: Id('Webhook id'),
    event_type: Type.Optional(Choice(EVENT_TYPES, 'Type to send; ping when omitted', { default: 'ping' })),
  }),
  output: Type.Object({ status: Type.Literal('scheduled'), delivery_id: Type.String() }),
  async run(ctx, { id, event_type = 'ping' }) {
    const webhook = await lockWebhook(ctx, id)
    const delivery_id = await insertTestEvent(ctx, id, { type: event_type, ...sampleOf(event_type, webhook) })
    ctx.record({ activity: 'webhook_tested', record_type: 'webhook', record_id: id })
    return { status: 'scheduled', delivery_id } as const
  },
})

const LOGGED = 100

export const listWebhookLogs = tool({
  name: 'list_webhook_logs',
  title: 'List webhook delivery attempts',
  description: `The newest ${LOGGED} attempts to deliver: what was sent, what was answered, why it failed, when it is tried again. Attempts of one delivery share its delivery_id. Kept for 90 days.`,
  readOnly: true,
  untrustedFields: ['items[].response_body', 'items[].request_payload'],
  input: Fields({ id: Id('Webhook id') }),
  output: Type.Object({ items: Type.Array(Attempt) }),
  async run(ctx, { id }) {
    await selectWebhook(ctx, id)
    return { items: await selectAttempts(ctx, id, LOGGED) }
  },
})

export const replayWebhookDelivery = tool({
  name: 'replay_webhook_delivery',
  title: 'Replay a webhook delivery',
  description:
    'Sends the event of one log entry once more under its old delivery_id, whether it had failed or not, also while the webhook is off.',
  openWorld: true,
  input: Fields({ id: Id('Id of an entry of list_webhook_logs') }),
  output: Type.Object({ status: Type.Literal('scheduled'), delivery_id: Type.String() }),
  async run(ctx, { id }) {
    const { webhook_id, delivery_id } = (await replayAttempt(ctx, id)) ?? notFound('webhook log', id)
    ctx.record({ activity: 'webhook_delivery_replayed', record_type: 'webhook', record_id: webhook_id })
    return { status: 'scheduled', delivery_id } as const
  },
})

export const replayFailedWebhookDeliveries = tool({
  name: 'replay_failed_webhook_deliveries',
  title: 'Replay failed webhook deliveries',
  description:
    'Sends once more what the webhook never got since then: given up after ten attempts, or cancelled when it was switched off. What waits for a retry is not touched.',
  openWorld: true,
  input: Fields({ id: Id('Webhook id'), since: Text(64, 'First moment: ISO 8601 date, or date and time') }),
  output: Type.Object({ status: Type.Literal('scheduled'), count: Type.Integer() }),
  async run(ctx, { id, since }) {
    await lockWebhook(ctx, id)
    const count = await replayFailed(ctx, id, readInstant(since))
    if (count > 0) recordReplay(ctx, id, count)
    return { status: 'scheduled', count } as const
  },
})

function recordReplay(ctx: Context, id: number, count: number): void {
  const changes = { replayed: { from: 0, to: count } }
  ctx.record({ activity: 'webhook_deliveries_replayed', record_type: 'webhook', record_id: id, changes })
}

function readInstant(text: string): Date {
  const instant = /^\d{4}-\d\d-\d\d(T.+)?$/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(instant.getTime()))
    refuseAll([{ field: 'since', message: 'must be a date (YYYY-MM-DD) or an ISO 8601 date and time' }])
  return instant
}
