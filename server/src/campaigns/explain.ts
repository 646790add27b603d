import sql, { type Sql } from 'sql-template-tag'
import { memberPredicate } from '../case-lists/membership.ts'
import { ruleBooks } from '../compliance/company-rules.ts'
import { selectRecentAttempts } from '../compliance/recent-attempts.ts'
import { notFound } from '../core/errors.ts'
import type { Context, Scope } from '../core/operation.ts'
import { type ContactRow, contactFacts } from './contact-facts.ts'
import { type Decision, decide } from './gate.ts'
import type { CampaignFacts } from './gate-reasons.ts'
import { compileSchedule } from './schedule.ts'
import { selectSchedules } from './schedules.ts'

export interface Explained {
  client_id: number
  case_id: number
  standing: 'not_planned' | 'due' | 'live' | 'settled'
  attempts: number
  last_result: string | null
  settled_reason: string | null
  allowed: boolean
  reasons: { rule: string; message: string; until: Date | null; law: string[] }[]
  next_at: Date | null
  /** The legal rules that were looked at, `us-fl-hours@1`. */
  rule_versions: readonly string[]
}

/** A contact that the planner has not come to yet stands as a new one. */
type Contact = ContactRow & {
  planned: boolean
  due_at: Date | null
  last_result: string | null
  settled_reason: string | null
}

/**
 * May each of the people be called at that moment? Answered by the facts and the gate that the engine asks before it
 * dials, with what the engine itself waits for (the time of the next attempt, a line in use).
 */
export async function explainCalls(
  ctx: Context,
  campaignId: number,
  about: { client_id: number } | { case_id: number },
  now = ctx.clock.now(),
): Promise<Explained[]> {
  const campaign = await selectCampaignFacts(ctx, campaignId)
  const schedules = await selectSchedules(ctx.db, [{ company_id: ctx.companyId, id: campaignId }])
  const schedule = compileSchedule(schedules.get(campaignId)!)
  const contacts = await ctx.db.many<Contact>(standing(ctx, campaignId, about))
  const attempts = await selectRecentAttempts(
    ctx.db,
    'call',
    contacts.map(({ company_id, client_id, mobile_e164 }) => ({ company_id, client_id, address: mobile_e164 })),
    now,
  )
  const company = { company_id: ctx.companyId, rules_version: campaign.rules_version }
  const rules = (await ruleBooks(ctx.db, [company]))(company)
  return contacts.map((contact, index) => {
    const recent_attempts = attempts[index]
    const decision = decide({ now, channel: 'call', contact, campaign, schedule, recent_attempts, rules })
    return explain(contact, decision, now)
  })
}

function explain(contact: Contact, decision: Decision, now: Date): Explained {
  const { client_id, case_id, attempts, last_result, settled_reason, due_at } = contact
  const reasons: Explained['reasons'] = decision.reasons.map(({ rule, message, until, law = [] }) => ({
    rule,
    message,
    until,
    law,
  }))
  const wait = (rule: string, message: string, until: Date | null = null) =>
    reasons.push({ rule, message, until, law: [] })
  const open = contact.standing === 'due' && !decision.settle
  if (open && !contact.planned) wait('not_planned', 'the campaign has not come to the contact yet')
  if (open && contact.planned && due_at === null)
    wait('not_asked_for', 'nobody has asked for this call yet (schedule_call)')
  if (open && due_at && due_at > now) wait('not_due', 'the next attempt is planned for a later time', due_at)
  if (open && contact.number_in_call) wait('number_in_call', 'another call to this number is under way')
  const allowed = reasons.length === 0
  const endless = reasons.some(({ until }) => until === null)
  const next = [decision.retry_at, due_at].filter((each): each is Date => each !== null && each > now)
  return {
    client_id,
    case_id,
    standing: contact.planned ? (contact.standing as Explained['standing']) : 'not_planned',
    attempts,
    last_result,
    settled_reason,
    allowed,
    reasons,
    rule_versions: decision.rule_versions,
    next_at: !open || allowed || endless || next.length === 0 ? null : new Date(Math.max(...next.map(Number))),
  }
}

type RuledFacts = CampaignFacts & { rules_version: string | null }

async function selectCampaignFacts({ db, companyId }: Scope, id: number): Promise<RuledFacts> {
  const found = await db.maybe<RuledFacts>(sql`
    select p.status, p.purpose, p.callback_delays, co.campaigns_enabled, co.rules_version, a.id as agent_id
    from campaigns p
    join companies co on co.id = p.company_id
    left join agents a on a.company_id = p.company_id and a.id = p.agent_id and a.deleted_at is null
    where p.company_id = ${companyId} and p.id = ${id} and p.deleted_at is null`)
  return found ?? notFound('campaign', id)
}

/**
 * The rows of campaign_contacts of the people asked about; for those who have none, the row that the planner would
 * write: for the case asked about, else for the lowest of their cases that is in the list, else for the lowest.
 */
function standing({ companyId }: Scope, campaignId: number, about: { client_id: number } | { case_id: number }): Sql {
  const wanted = 'client_id' in about ? sql`client_id = ${about.client_id}` : sql`case_id = ${about.case_id}`
  const people = sql`
    select distinct on (l.client_id) l.client_id, l.case_id
    from (
      select company_id, client_id, case_id from case_clients where company_id = ${companyId} and ${wanted}
      union
      select company_id, client_id, case_id from campaign_contacts
      where company_id = ${companyId} and campaign_id = ${campaignId} and ${wanted}
    ) l
    join cases k on k.company_id = l.company_id and k.id = l.case_id
    join campaigns p on p.company_id = l.company_id and p.id = ${campaignId}
    join case_lists li on li.company_id = p.company_id and li.id = p.case_list_id
    order by l.client_id, ${memberPredicate('li', 'k')} desc, l.case_id`
  const facts = contactFacts(sql`
    select ${companyId}::bigint as company_id, ${campaignId}::bigint as campaign_id, w.client_id,
      coalesce(c.case_id, w.case_id) as case_id, coalesce(c.state, 'due') as state, coalesce(c.attempts, 0) as attempts,
      coalesce(c.announced, 0) as announced, coalesce(c.delays_used, 0) as delays_used, c.requested_at, c.callback_at
    from (${people}) w
    left join campaign_contacts c
      on c.company_id = ${companyId} and c.campaign_id = ${campaignId} and c.client_id = w.client_id`)
  return sql`
    select f.*, c.client_id is not null as planned, c.due_at, c.last_result, c.settled_reason from (${facts}) f
    left join campaign_contacts c
      on c.company_id = f.company_id and c.campaign_id = f.campaign_id and c.client_id = f.client_id
    order by f.client_id`
}
