import sql from 'sql-template-tag'
import { lawOf } from '../campaigns/calling-window.ts'
import { contactFacts } from '../campaigns/contact-facts.ts'
import { type Decision, decide, decideByLaw } from '../campaigns/gate.ts'
import type { CampaignFacts, PersonFacts, Reason, StandingFacts, Trigger } from '../campaigns/gate-reasons.ts'
import { insertRefusals } from '../campaigns/refusals.ts'
import { compileSchedule } from '../campaigns/schedule.ts'
import { selectSchedules } from '../campaigns/schedules.ts'
import { ruleBooks } from '../compliance/company-rules.ts'
import type { RuleBook } from '../compliance/law.ts'
import { permissionOf } from '../compliance/permissions.ts'
import { selectRecentAttempts } from '../compliance/recent-attempts.ts'
import { candidateZones } from '../compliance/time-zones.ts'
import { assertClocksAgree } from '../core/clock.ts'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'
import type { Engine, Job } from '../engine/job.ts'
import { deliver, type Outgoing } from './deliver.ts'

const BATCH = 200
const ASK_AGAIN_MS = 10 * 60_000
/** How long the gate's answer holds: real milliseconds. What waits for longer, for its turn or a lock, is asked about again. */
const HOLDS_MS = 10_000

export const sendDueMessages: Job = {
  name: 'send messages',
  summary: 'Asks the gate about each message that is due and sends those that it allows',
  idleMs: 200,
  async pass(engine) {
    if (unsure.has(engine)) await letGo(engine)
    unsure.add(engine)
    const send_by = Date.now() + HOLDS_MS
    const { looked, outgoing } = await engine.pool.transaction((db) => claim(db, engine))
    await engine.inHand(
      deliver(
        engine,
        outgoing.map((message) => ({ ...message, send_by })),
      ),
    )
    unsure.delete(engine)
    return looked > 0 ? 'again' : 'idle'
  },
}

/** Processes whose last pass failed: what it left marked as being sent is taken over, as that of a dead process is. */
const unsure = new WeakSet<Engine>()

async function letGo({ pool, nodeId }: Engine): Promise<void> {
  await pool.run(sql`update messages set node_id = null where status = 'sending' and node_id = ${nodeId}`)
}

interface Row
  extends PersonFacts,
    Partial<StandingFacts>,
    Pick<CampaignFacts, 'status' | 'purpose' | 'callback_delays' | 'campaigns_enabled'> {
  company_id: number
  id: number
  channel: 'sms' | 'email'
  client_id: number
  case_id: number | null
  campaign_id: number | null
  trigger: Trigger | null
  manual: boolean
  put_off: number
  appointment: Outgoing['appointment']
  first_text: boolean
  subject: string | null
  body: string
  /** Why nothing arrives at the address, as far as is known, and until when that is believed. */
  undeliverable: string | null
  undeliverable_until: Date | null
  agent_id: string | null
  agent_name: string | null
  company_name: string
  rules_version: string | null
}

/** Of messages that no campaign sends. */
const PURPOSE = sql`case when m.appointment_id is null then 'case_update' else 'appointment' end`

const permission = permissionOf({
  channel: sql`m.channel`,
  address: sql`case m.channel when 'email' then c.email else c.mobile_e164 end`,
  purpose: sql`coalesce(p.purpose, ${PURPOSE})`,
})

type Claimed = Omit<Outgoing, 'send_by'>

/** Rows are marked as being sent, and committed, before anybody outside is asked. */
async function claim(db: Database, { nodeId, clock }: Engine): Promise<{ looked: number; outgoing: Claimed[] }> {
  const now = clock.now()
  const rows = await db.many<Row>(sql`
    with due as (
      select company_id, id from messages where status = 'scheduled' and due_at <= ${now}
      order by due_at limit ${BATCH} for update skip locked
    ), taken as (
      update messages m set status = 'sending', node_id = ${nodeId}
      from due where m.company_id = due.company_id and m.id = due.id
      returning m.*
    )
    select m.company_id, m.id, m.channel, m.client_id, m.case_id, m.campaign_id, cm.trigger, m.manual, m.put_off, m.subject, m.body, u.error as undeliverable, u.until as undeliverable_until,
      c.mobile, c.mobile_e164, c.email, c.timezone, c.state, c.postal_code, c.voice_calls_opted_out, c.sms_opted_out,
      c.email_opted_out, c.date_of_death, c.deleted_at, ${permission.columns}, co.name as company_name, co.campaigns_enabled, co.rules_version,
      m.channel = 'sms' and not m.manual and not exists (
        select from messages o where o.company_id = m.company_id and o.to_address = c.mobile_e164 and o.channel = 'sms'
          and o.direction = 'outbound' and o.status in ('sending', 'sent', 'delivered') and o.id <> m.id) as first_text,
      case when ap.id is not null then json_build_object('id', ap.id, 'starts_at', ap.starts_at, 'minutes', ap.minutes,
        'created_at', ap.created_at) end as appointment, p.status, coalesce(p.purpose, ${PURPOSE}) as purpose, p.callback_delays, p.agent_id, a.name as agent_name,
      exists (
        select from case_clients l join cases k on k.company_id = l.company_id and k.id = l.case_id and k.deleted_at is null
        where l.company_id = m.company_id and l.case_id = m.case_id and l.client_id = m.client_id
      ) as is_linked, cf.is_member, cf.standing, cf.delays_used, cf.requested_at, cf.callback_at
    from taken m
    join companies co on co.id = m.company_id
    join clients c on c.company_id = m.company_id and c.id = m.client_id
    left join appointments ap on ap.company_id = m.company_id and ap.id = m.appointment_id
    left join campaign_messages cm on cm.company_id = m.company_id and cm.id = m.campaign_message_id
    left join campaigns p on p.company_id = m.company_id and p.id = m.campaign_id
    ${permission.join}
    left join undeliverable u on u.company_id = m.company_id and u.channel = m.channel
      and u.address = case m.channel when 'email' then c.email else c.mobile_e164 end and coalesce(u.until > ${now}, true)
    left join agents a on a.company_id = p.company_id and a.id = p.agent_id
    left join lateral (${contactFacts(sql`
      select cc.* from campaign_contacts cc
      where cc.company_id = m.company_id and cc.campaign_id = m.campaign_id and cc.client_id = m.client_id`)}) cf on true
    order by m.company_id, m.id`)
  if (rows.length === 0) return { looked: 0, outgoing: [] }
  const { clock_now } = await db.one<{ clock_now: number }>(
    sql`select extract(epoch from clock_timestamp()) * 1000 as clock_now`,
  )
  assertClocksAgree(clock_now)
  const campaigns = [
    ...new Map(
      rows.flatMap((row) =>
        row.campaign_id ? [[row.campaign_id, { company_id: row.company_id, id: row.campaign_id }]] : [],
      ),
    ).values(),
  ]
  const schedules = await selectSchedules(db, campaigns)
  const rulesOf = await ruleBooks(db, rows)
  const attempts = await selectAttempts(db, rows, rulesOf, now)
  const tally = tallyOf(attempts)
  const decided = rows.map((row) => {
    const decision = judge(row)
    if (decision.allowed) tally(row, now)
    return { row, decision }
  })

  function judge(row: Row): Decision {
    const facts = {
      now,
      channel: row.channel,
      contact: row,
      recent_attempts: attempts.get(row),
      rules: rulesOf(row),
    }
    const { campaign_id, trigger, manual, purpose } = row
    // The contact asked for it, whatever has become of the campaign since.
    if (row.appointment) return unlessUndeliverable(row, decideByLaw({ ...facts, purpose }))
    const schedule = campaign_id ? compileSchedule(schedules.get(campaign_id)!) : null
    const campaign = campaign_id ? row : null
    return unlessUndeliverable(row, decide({ ...facts, campaign, schedule, trigger: trigger ?? undefined, manual }))
  }

  await putBack(
    db,
    decided.filter(({ decision }) => !decision.allowed),
    now,
  )
  await storeDecisions(
    db,
    decided.filter(({ decision }) => decision.allowed),
  )
  const outgoing = decided.filter(({ decision }) => decision.allowed).map(({ row }) => row)
  return { looked: rows.length, outgoing }
}

/** What a campaign sends by itself is not sent where nothing arrives; a person may know better. */
function unlessUndeliverable({ manual, undeliverable, undeliverable_until }: Row, decision: Decision): Decision {
  if (manual || undeliverable === null) return decision
  const message = `nothing arrives at the address: ${undeliverable}`
  const reason: Reason = { rule: 'undeliverable', message, until: undeliverable_until, final: true }
  return { ...decision, allowed: false, reasons: [...decision.reasons, reason], retry_at: null, settle: true }
}

/** Of those for whom a rule counts them: by the rules that are shipped, nobody. */
async function selectAttempts(
  db: Database,
  rows: Row[],
  rulesOf: (row: Row) => RuleBook,
  now: Date,
): Promise<Map<Row, Date[]>> {
  const attempts = new Map<Row, Date[]>()
  for (const channel of ['sms', 'email'] as const) {
    const counted = rows.filter((row) => row.channel === channel && lawFor(row, rulesOf(row)).counts)
    const found = await selectRecentAttempts(
      db,
      channel,
      counted.map((row) => ({ ...row, address: addressOf(row) })),
      now,
      rows.map(({ id }) => id),
    )
    for (const [index, row] of counted.entries()) attempts.set(row, found[index]!)
  }
  return attempts
}

const addressOf = ({ channel, mobile_e164, email }: Row) => (channel === 'sms' ? mobile_e164 : email)

/** What one pass allows counts for those that it looks at next: the same person, or whoever has the same address. */
function tallyOf(attempts: Map<Row, Date[]>): (allowed: Row, at: Date) => void {
  const keys = (row: Row) => [row.client_id, addressOf(row)].map((who) => `${row.company_id} ${row.channel} ${who}`)
  const sharing = new Map<string, Set<Date[]>>()
  for (const [row, times] of attempts)
    for (const key of keys(row)) sharing.set(key, (sharing.get(key) ?? new Set()).add(times))
  return (allowed, at) => {
    for (const times of new Set(keys(allowed).flatMap((key) => [...(sharing.get(key) ?? [])]))) times.unshift(at)
  }
}

const lawFor = (row: Row, rules: RuleBook) =>
  lawOf({ jurisdictions: candidateZones(row).jurisdictions, channel: row.channel, purpose: row.purpose, rules })

interface Decided {
  row: Row
  decision: Decision
}

const identified = { company_id: 'bigint', id: 'bigint', decision: 'jsonb' }

/** What is refused for good is skipped and says why; the rest waits until it may be asked about again. */
async function putBack(db: Database, refused: Decided[], now: Date): Promise<void> {
  if (refused.length === 0) return
  await insertRefusals(
    db,
    refused.map(({ row, decision }) => ({ ...row, decision })),
  )
  const rows = refused.map(({ row: { company_id, id, manual }, decision }) => {
    // A message of a person is about today: it does not wait for a reason to end by itself.
    const skipped = decision.settle || (manual && decision.retry_at === null)
    return {
      company_id,
      id,
      decision,
      status: skipped ? 'skipped' : 'scheduled',
      due_at: decision.retry_at ?? new Date(now.getTime() + ASK_AGAIN_MS),
      error: decision.reasons.map(({ message }) => message).join('; '),
    }
  })
  await db.run(sql`
    update messages m set status = r.status, due_at = r.due_at, decision = r.decision, error = r.error, node_id = null
    from ${entryRows(rows, { ...identified, status: 'text', due_at: 'timestamptz', error: 'text' })} as r
    where m.company_id = r.company_id and m.id = r.id`)
}

async function storeDecisions(db: Database, allowed: Decided[]): Promise<void> {
  if (allowed.length === 0) return
  const rows = allowed.map(({ row: { company_id, id }, decision }) => ({ company_id, id, decision }))
  await db.run(sql`
    update messages m set decision = r.decision from ${entryRows(rows, identified)} as r
    where m.company_id = r.company_id and m.id = r.id`)
}
