import sql from 'sql-template-tag'
import { isOver } from '../campaigns/days.ts'
import { type PersonFacts, personReasons } from '../campaigns/gate-reasons.ts'
import { permissionOf } from '../compliance/permissions.ts'
import { badRequest, type Detail, notFound, refuseAll } from '../core/errors.ts'
import type { Context, Scope } from '../core/operation.ts'

export interface CallRequest {
  campaign_id: number
  case_id: number
}

/**
 * Has the first client of the case that may be called (by id) called as soon as hours and limits allow. The case need
 * not be in the campaign's list. Reasons that pass with time don't refuse: a scheduled or paused campaign takes the
 * request and waits.
 *
 * @throws {Refusal} not found: the campaign or the case; bad request: every reason why nobody can be called, or a call
 * to the contact is pending or under way already.
 */
export async function scheduleCall(
  ctx: Context,
  { campaign_id, case_id }: CallRequest,
): Promise<CallRequest & { client_id: number }> {
  const campaign = await selectCampaign(ctx, campaign_id)
  const { purpose } = campaign
  const clients = await selectClientsOfCase(ctx, case_id, purpose)
  const judged = clients.map((client) => ({ id: client.id, reasons: personReasons(client, 'call', purpose) }))
  const callable = judged.find(({ reasons }) => reasons.length === 0)
  refuseAll([...campaignDetails(campaign, ctx.clock.now()), ...(callable ? [] : clientDetails(judged))])
  const client_id = callable!.id
  if (!(await requestCall(ctx, { campaign_id, case_id, client_id })))
    badRequest(`case_id: a call to client ${client_id} is already pending or under way in campaign ${campaign_id}`, [
      { field: 'case_id', message: `a call to client ${client_id} is already pending or under way` },
    ])
  ctx.record({ activity: 'call_requested', record_type: 'campaign', record_id: campaign_id, case_id, client_id })
  return { campaign_id, client_id, case_id }
}

interface Campaign {
  status: string
  purpose: string
  campaigns_enabled: boolean
  has_agent: boolean
  calling_runs: { start_date: string; end_date: string | null }[]
}

/** Held until the end of the transaction, so that it is not completed between the look and the request. */
async function selectCampaign({ db, companyId }: Scope, id: number): Promise<Campaign> {
  const found = await db.maybe<Campaign>(sql`
    select c.status, c.purpose, f.campaigns_enabled,
      exists (
        select from agents a where a.company_id = c.company_id and a.id = c.agent_id and a.deleted_at is null
      ) as has_agent,
      (
        select coalesce(jsonb_agg(jsonb_build_object('start_date', r.start_date, 'end_date', r.end_date)), '[]')
        from campaign_runs r where r.company_id = c.company_id and r.campaign_id = c.id and not r.messaging_only
      ) as calling_runs
    from campaigns c join companies f on f.id = c.company_id
    where c.company_id = ${companyId} and c.id = ${id} and c.deleted_at is null
    for share of c`)
  return found ?? notFound('campaign', id)
}

/** In the order of their ids. */
async function selectClientsOfCase(
  { db, companyId }: Scope,
  id: number,
  purpose: string,
): Promise<(PersonFacts & { id: number })[]> {
  const found = await db.maybe(
    sql`select from cases where company_id = ${companyId} and id = ${id} and deleted_at is null`,
  )
  if (!found) notFound('case', id)
  const permission = permissionOf({ channel: sql`'call'`, address: sql`c.mobile_e164`, purpose: sql`${purpose}::text` })
  return db.many(sql`
    select c.*, ${permission.columns} from case_clients l
    join companies co on co.id = l.company_id
    join clients c on c.company_id = l.company_id and c.id = l.client_id and c.deleted_at is null
    ${permission.join}
    where l.company_id = ${companyId} and l.case_id = ${id}
    order by c.id`)
}

/** What stands against any call of the campaign and doesn't pass by itself. */
function campaignDetails({ status, campaigns_enabled, has_agent, calling_runs }: Campaign, now: Date): Detail[] {
  const reasons: string[] = []
  if (status === 'completed') reasons.push('the campaign is completed')
  else if (status === 'draft') reasons.push('the campaign is a draft')
  else if (calling_runs.length > 0 && isOver(calling_runs, now)) reasons.push("the campaign's last run is over")
  if (calling_runs.length === 0) reasons.push('the campaign makes no calls: every run is messaging-only')
  else if (!has_agent) reasons.push('the campaign has no voice agent')
  if (!campaigns_enabled) reasons.push('campaigns are switched off for the company')
  return reasons.map((message) => ({ field: 'campaign_id', message }))
}

function clientDetails(judged: { id: number; reasons: { message: string }[] }[]): Detail[] {
  if (judged.length === 0) return [{ field: 'case_id', message: 'the case has no clients' }]
  return judged.flatMap(({ id, reasons }) =>
    reasons.map(({ message }) => ({ field: 'case_id', message: `client ${id}: ${message}` })),
  )
}

/**
 * Makes the contact due at once, ahead of the planned ones; answers false when a call to it was asked for before or is
 * under way. A call that a message has announced comes at the announced time. A settled contact gets all its retries
 * anew. `attempts` goes on counting: it numbers the calls, and a contact is counted as called once.
 */
async function requestCall(
  { db, companyId, clock }: Context,
  { campaign_id, client_id, case_id }: CallRequest & { client_id: number },
): Promise<boolean> {
  const now = clock.now()
  const rows = await db.many(sql`
    with contact as (
      insert into campaign_contacts as cc (company_id, campaign_id, client_id, case_id, state, due_at, priority, requested_at)
      values (${companyId}, ${campaign_id}, ${client_id}, ${case_id}, 'due', ${now}, 0, ${now})
      on conflict (company_id, campaign_id, client_id) do update set
        case_id = excluded.case_id, state = 'due', priority = 0, requested_at = excluded.requested_at,
        callback_at = null, settled_reason = null, last_decision = null,
        due_at = case when cc.state = 'due' and cc.announced > cc.attempts then cc.due_at else excluded.due_at end,
        delays_used = case when cc.state = 'settled' then 0 else cc.delays_used end
      where cc.state = 'settled' or (cc.state = 'due' and cc.requested_at is null)
      returning (xmax = 0) as is_new
    ), counted as (
      update campaign_stats s set total_clients = s.total_clients + 1
      from contact where s.company_id = ${companyId} and s.campaign_id = ${campaign_id} and contact.is_new
    )
    select from contact`)
  return rows.length > 0
}
