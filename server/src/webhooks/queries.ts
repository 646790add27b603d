import sql from 'sql-template-tag'
import { notFound } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import type { ListedWebhook, Webhook } from './schema.ts'
import { OVERLAP_MS } from './signing.ts'

const fields = sql`w.id, w.name, w.url, w.enabled, w.event_types, w.case_type_ids, w.campaign_ids, w.api_key_id`

/** Oldest first. */
export function selectWebhooks({ db, companyId }: Scope): Promise<ListedWebhook[]> {
  return db.many<ListedWebhook>(sql`
    select ${fields}, w.last_delivery_status, w.last_http_status, w.last_attempt_at from webhooks w
    where w.company_id = ${companyId} and w.deleted_at is null order by w.id`)
}

export async function selectWebhook({ db, companyId }: Scope, id: number): Promise<Webhook> {
  const found = await db.maybe<Webhook>(sql`
    select ${fields} from webhooks w where w.company_id = ${companyId} and w.id = ${id} and w.deleted_at is null`)
  return found ?? notFound('webhook', id)
}

/** As `selectWebhook`, and keeps others from changing it until the end of the transaction. */
export async function lockWebhook({ db, companyId }: Scope, id: number): Promise<Webhook> {
  const found = await db.maybe<Webhook>(sql`
    select ${fields} from webhooks w where w.company_id = ${companyId} and w.id = ${id} and w.deleted_at is null
    for no key update`)
  return found ?? notFound('webhook', id)
}

export async function insertWebhook(
  { db, companyId }: Scope,
  webhook: Omit<Webhook, 'id'>,
  secret: Buffer,
): Promise<number> {
  const { name, url, enabled, event_types, case_type_ids, campaign_ids, api_key_id } = webhook
  const { id } = await db.one<{ id: number }>(sql`
    insert into webhooks (company_id, name, url, enabled, event_types, case_type_ids, campaign_ids, api_key_id, secret)
    values (${companyId}, ${name}, ${url}, ${enabled}, ${event_types}, ${case_type_ids}, ${campaign_ids}, ${api_key_id}, ${secret})
    returning id`)
  return id
}

/** One that is switched on again starts with a clean slate. */
export async function updateWebhook({ db, companyId }: Scope, { id, ...webhook }: Webhook): Promise<void> {
  const { name, url, enabled, event_types, case_type_ids, campaign_ids, api_key_id } = webhook
  await db.run(sql`
    update webhooks set name = ${name}, url = ${url}, event_types = ${event_types}, case_type_ids = ${case_type_ids},
      campaign_ids = ${campaign_ids}, api_key_id = ${api_key_id}, updated_at = now(), enabled = ${enabled},
      failing_since = case when ${enabled} and not enabled or url <> ${url} then null else failing_since end,
      hold_until = case when url <> ${url} then null else hold_until end
    where company_id = ${companyId} and id = ${id}`)
}

/** What signs now signs beside whatever comes next for a while. */
export async function retireSecret({ db, companyId }: Scope, id: number): Promise<void> {
  const until = new Date(Date.now() + OVERLAP_MS)
  await db.run(sql`
    update webhooks w set retired_secrets = jsonb_build_array(jsonb_build_object(
      'until', ${until}::timestamptz, 'secret', encode(coalesce(
        (select k.hash from api_keys k where k.company_id = w.company_id and k.id = w.api_key_id), w.secret), 'base64')
    )) || coalesce((
      select jsonb_agg(r) from jsonb_array_elements(w.retired_secrets) r where (r ->> 'until')::timestamptz > now()), '[]')
    where company_id = ${companyId} and id = ${id}`)
}

export async function updateSecret({ db, companyId }: Scope, id: number, secret: Buffer): Promise<void> {
  await db.run(sql`
    update webhooks set secret = ${secret}, updated_at = now() where company_id = ${companyId} and id = ${id}`)
}

/** Out of every list at once; its log goes when its time is over. */
export async function deleteWebhook({ db, companyId }: Scope, id: number): Promise<void> {
  await db.run(sql`
    update webhooks set deleted_at = now(), enabled = false, secret = '', retired_secrets = '[]'
    where company_id = ${companyId} and id = ${id}`)
  await db.run(sql`delete from webhook_deliveries where company_id = ${companyId} and webhook_id = ${id}`)
}
