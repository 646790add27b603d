import sql from 'sql-template-tag'
import { missing } from '../cases/links.ts'
import { pause } from '../core/clock.ts'
import { type Detail, refuseAll } from '../core/errors.ts'
import type { Context } from '../core/operation.ts'
import { Blocked, brokenUrl, hostOf, publicAddresses, resolvePublicName } from './address.ts'
import { isOfCampaign } from './event-types.ts'
import type { Webhook } from './schema.ts'

/** Refuses a webhook as it would be saved, with every rule that it breaks. */
export async function refuseBadWebhook(ctx: Context, webhook: Omit<Webhook, 'id'>): Promise<void> {
  const [url, unknown] = await Promise.all([
    brokenReceiver(webhook.url, ctx.allowPrivateWebhooks),
    unknownIds(ctx, webhook),
  ])
  refuseAll([...url, ...brokenFilter(webhook), ...unknown])
}

/** A name that can't be resolved now is taken: every attempt asks again. */
async function brokenReceiver(text: string, allowPrivate: boolean): Promise<Detail[]> {
  const broken = brokenUrl(text, allowPrivate) ?? (allowPrivate ? undefined : await blockedName(hostOf(new URL(text))))
  return broken === undefined ? [] : [{ field: 'url', message: broken }]
}

/** A transaction is open meanwhile. */
const PATIENCE_MS = 2000

async function blockedName(host: string): Promise<string | undefined> {
  const patience = new AbortController()
  const looked = publicAddresses(host, resolvePublicName).then(
    () => undefined,
    (error: Error) => (error instanceof Blocked ? `must be a public address: ${error.message}` : undefined),
  )
  const answer = await Promise.race([looked, pause(PATIENCE_MS, patience.signal).then(() => undefined)])
  patience.abort()
  return answer
}

function brokenFilter({ event_types, campaign_ids }: Omit<Webhook, 'id'>): Detail[] {
  if (campaign_ids.length === 0) return []
  const other = event_types.find((type) => !isOfCampaign(type))
  if (event_types.length > 0 && other === undefined) return []
  const found = other === undefined ? 'name at least one in event_types' : `${other} is none`
  return [{ field: 'campaign_ids', message: `is only for call, transfer and campaign events: ${found}` }]
}

async function unknownIds({ db, companyId }: Context, webhook: Omit<Webhook, 'id'>): Promise<Detail[]> {
  const { case_type_ids, campaign_ids, api_key_id } = webhook
  const keys = api_key_id === null ? [] : [api_key_id]
  const [types, campaigns, foundKeys] = await Promise.all([
    db.many<{ id: number }>(
      sql`select id from case_types where company_id = ${companyId} and id = any(${case_type_ids}::bigint[])`,
    ),
    db.many<{ id: number }>(sql`
      select id from campaigns where company_id = ${companyId} and id = any(${campaign_ids}::bigint[]) and deleted_at is null`),
    db.many<{ id: number }>(sql`
      select id from api_keys where company_id = ${companyId} and id = any(${keys}::bigint[]) and enabled`),
  ])
  const refuse = (field: string, what: string, ids: number[]) =>
    ids.length === 0 ? [] : [{ field, message: `no such ${what}: ${ids.join(', ')}` }]
  return [
    ...refuse('case_type_ids', 'case type', missing(case_type_ids, types)),
    ...refuse('campaign_ids', 'campaign', missing(campaign_ids, campaigns)),
    ...refuse('api_key_id', 'enabled API key', missing(keys, foundKeys)),
  ]
}
