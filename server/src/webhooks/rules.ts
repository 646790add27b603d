import sql, { type Sql } from 'sql-template-tag'
import { missing } from '../cases/links.ts'
import { pause } from '../core/clock.ts'
import { type Detail, refuseAll } from '../core/errors.ts'
import type { Context } from '../core/operation.ts'
import { Blocked, brokenUrl, hostOf, publicAddresses, resolvePublicName } from './address.ts'
import { isOfCampaign } from './event-types.ts'
import type { Webhook } from './schema.ts'

type Fields = Omit<Webhook, 'id'>

/** Refuses a webhook as it would be saved, with every rule that it breaks. What it named `before` may be gone since. */
export async function refuseBadWebhook(ctx: Context, webhook: Fields, before?: Fields): Promise<void> {
  const [url, unknown] = await Promise.all([
    brokenReceiver(webhook.url, ctx.allowPrivateWebhooks),
    unknownIds(ctx, webhook, before),
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

function brokenFilter({ event_types, campaign_ids }: Fields): Detail[] {
  if (campaign_ids.length === 0) return []
  const other = event_types.find((type) => !isOfCampaign(type))
  if (event_types.length > 0 && other === undefined) return []
  const found = other === undefined ? 'name at least one in event_types' : `${other} is none`
  return [{ field: 'campaign_ids', message: `is only for call, transfer and campaign events: ${found}` }]
}

async function unknownIds({ db, companyId }: Context, webhook: Fields, before?: Fields): Promise<Detail[]> {
  const added = (ids: number[], known: number[] = []) => ids.filter((id) => !known.includes(id))
  const keys = ({ api_key_id }: Fields) => (api_key_id === null ? [] : [api_key_id])
  const wanted = {
    case_type_ids: added(webhook.case_type_ids, before?.case_type_ids),
    campaign_ids: added(webhook.campaign_ids, before?.campaign_ids),
    api_key_id: added(keys(webhook), before && keys(before)),
  }
  const ids = (table: Sql, ids: number[], condition: Sql) =>
    db.many<{ id: number }>(
      sql`select id from ${table} where company_id = ${companyId} and id = any(${ids}::bigint[]) and ${condition}`,
    )
  const [types, campaigns, found] = await Promise.all([
    ids(sql`case_types`, wanted.case_type_ids, sql`true`),
    ids(sql`campaigns`, wanted.campaign_ids, sql`deleted_at is null`),
    ids(sql`api_keys`, wanted.api_key_id, sql`enabled`),
  ])
  const refuse = (field: string, what: string, ids: number[]) =>
    ids.length === 0 ? [] : [{ field, message: `no such ${what}: ${ids.join(', ')}` }]
  return [
    ...refuse('case_type_ids', 'case type', missing(wanted.case_type_ids, types)),
    ...refuse('campaign_ids', 'campaign', missing(wanted.campaign_ids, campaigns)),
    ...refuse('api_key_id', 'enabled API key', missing(wanted.api_key_id, found)),
  ]
}
