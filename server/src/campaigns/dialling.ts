import sql from 'sql-template-tag'
import { deskOf } from '../calls/desk.ts'
import { insertCalls, type NewCall } from '../calls/intents.ts'
import { beingPlaced, place, strikeOff } from '../calls/place.ts'
import { selectRecentAttempts } from '../compliance/recent-attempts.ts'
import { candidateZones } from '../compliance/time-zones.ts'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'
import type { Engine, Job } from '../engine/job.ts'
import { type Announcement, insertBeforeCallMessages } from '../messages/automatic.ts'
import type { CallRef } from '../providers/voice.ts'
import { callerId } from '../voice-agents/caller-id.ts'
import { lawOf, nextOpening } from './calling-window.ts'
import { type ContactRow, contactFacts } from './contact-facts.ts'
import { type Decision, decide } from './gate.ts'
import { type Claimed, lastLook } from './last-look.ts'
import { insertRefusals } from './refusals.ts'
import { handOutSlots } from './slots.ts'
import { type DialledCampaign, mayAnnounce, selectWaiting, takeRate } from './waiting.ts'

/** Calls that one pass places at the most: about 50 ms of claiming. */
const BATCH = 200

/** Real milliseconds between two looks while somebody waits for a slot. */
const SLOT_POLL_MS = 20

/** How long a contact waits whose refusal doesn't end by itself, or whose line is taken. */
const ASK_AGAIN_MS = 10 * 60_000
const LINE_TAKEN_MS = 2 * 60_000
const NOTICE_PENDING_MS = 60_000
/** … and one that was held back at the last moment, before the gate says why. */
const HELD_BACK_MS = 10_000

export const dialDueCalls: Job = {
  name: 'dial',
  summary: 'Claims due calls up to the free slots, asks the gate about each, and places those that it allows',
  idleMs: 100,
  async pass(engine) {
    if (unsure.has(engine)) await letGoOfUnplaced(engine)
    unsure.add(engine)
    const { looked, saturated, claimed } = await engine.pool.transaction((db) => claim(db, engine))
    const desk = deskOf(engine)
    engine.wake('send messages')
    const { go, held } = await lastLook(engine, claimed)
    unsure.delete(engine)
    for (const call of held)
      engine.inHand(strikeOff(engine, call, HELD_BACK_MS)).catch((error: unknown) => leave(engine, call, error))
    for (const call of go) {
      engine.inHand(place(engine, desk, call)).catch((error: unknown) => leave(engine, call, error))
    }
    if (looked > 0) return 'again'
    // A slot that another process frees is found by looking; this one's own calls wake the job.
    return saturated ? new Date(engine.clock.now().getTime() + SLOT_POLL_MS * engine.clock.speed) : 'idle'
  },
}

/** Processes of whose last pass it is not known how far it came: the commit may have been lost with the connection. */
const unsure = new WeakSet<Engine>()

/** Its row says `placing`: whoever takes it over asks the provider. */
function leave(engine: Engine, { call_id }: CallRef, error: unknown): void {
  engine.log.error({ err: error, call_id }, 'a call could not be attended to')
  unsure.add(engine)
}

/** Calls that a failed pass may have committed: they are asked about, as those of a dead process are. */
async function letGoOfUnplaced(engine: Engine): Promise<void> {
  const { pool, nodeId } = engine
  await pool.run(sql`
    update calls set node_id = null where node_id = ${nodeId} and state = 'placing' and id <> all(${[...beingPlaced(engine)]}::bigint[])`)
}

/**
 * One pass. It locks first and looks second: limits are counted by one pass at a time, in whatever process, so they
 * hold exactly; the lock may be long in coming, so the time is read after it. Nothing outside the database is asked
 * while the lock is held.
 */
async function claim(
  db: Database,
  engine: Engine,
): Promise<{ looked: number; saturated: boolean; claimed: Claimed[] }> {
  const rate = await takeRate(db, engine.providers.voice)
  const now = engine.clock.now()
  const { waiting, liveOfCompany, live } = await selectWaiting(db, engine.maxConcurrentCalls, now)
  if (waiting.size === 0) return { looked: 0, saturated: false, claimed: [] }
  const free = Math.min(BATCH, rate.left, engine.maxConcurrentCalls - live)
  const slots = handOutSlots(free, [...waiting.values()], liveOfCompany)
  if (slots.size === 0) return { looked: 0, saturated: true, claimed: [] }
  const contacts = await claimContacts(
    db,
    [...slots].map(([id, quota]) => ({ campaign: waiting.get(id)!, quota })),
    now,
  )
  const attempts = await selectAttempts(db, contacts, waiting, now)
  const { calls, announced, put } = sort(contacts, waiting, attempts, now)
  const written = await insertCalls(db, calls, engine.nodeId, engine.providers.voice.name, now)
  await insertBeforeCallMessages(db, announced, now)
  await putBack(db, put)
  await rate.use(written.length)
  const contactOf = new Map(contacts.map((contact) => [`${contact.campaign_id} ${contact.client_id}`, contact]))
  const claimed = written.map((call) => {
    const contact = contactOf.get(`${call.campaign_id} ${call.client_id}`)!
    const { schedule } = waiting.get(call.campaign_id)!
    return { ...call, callback_at: contact.callback_at, recent_attempts: attempts.get(contact), schedule }
  })
  return { looked: contacts.length, saturated: false, claimed }
}

function claimContacts(
  db: Database,
  claims: { campaign: DialledCampaign; quota: number }[],
  now: Date,
): Promise<ContactRow[]> {
  return db.many<ContactRow>(
    contactFacts(sql`
    select x.* from unnest(${claims.map(({ campaign }) => campaign.company_id)}::bigint[],
      ${claims.map(({ campaign }) => campaign.campaign_id)}::bigint[], ${claims.map(({ quota }) => quota)}::int[],
      ${claims.map(({ campaign }) => mayAnnounce(campaign))}::boolean[]) as w (company_id, campaign_id, quota, may_announce)
    cross join lateral (
      select y.* from (values (0::smallint), (1::smallint)) as p (priority)
      cross join lateral (
        select cc.* from campaign_contacts cc
        where w.may_announce and cc.company_id = w.company_id and cc.campaign_id = w.campaign_id and cc.state = 'due'
          and cc.priority = p.priority and cc.due_at <= ${now}
        order by cc.due_at limit w.quota for update skip locked
      ) y
      union all
      -- Enough has been announced: only who has been told is called. An index of its own, campaign_contacts_announced.
      select z.* from (
        select cc.* from campaign_contacts cc
        where not w.may_announce and cc.company_id = w.company_id and cc.campaign_id = w.campaign_id and cc.state = 'due'
          and cc.announced > cc.attempts and cc.due_at <= ${now}
        order by cc.due_at limit w.quota for update skip locked
      ) z
      limit w.quota
    ) x`),
  )
}

/** Of those for whom a rule counts them. */
async function selectAttempts(
  db: Database,
  contacts: ContactRow[],
  campaigns: Map<number, DialledCampaign>,
  now: Date,
): Promise<Map<ContactRow, Date[]>> {
  const counted = contacts.filter((contact) => lawFor(contact, campaigns.get(contact.campaign_id)!).counts)
  const attempts = await selectRecentAttempts(
    db,
    'call',
    counted.map(({ company_id, client_id, mobile_e164 }) => ({ company_id, client_id, address: mobile_e164 })),
    now,
  )
  return new Map(counted.map((contact, index) => [contact, attempts[index]!]))
}

const lawFor = (contact: ContactRow, { purpose, rules }: DialledCampaign) =>
  lawOf({ jurisdictions: candidateZones(contact).jurisdictions, channel: 'call', purpose, rules })

interface PutBack {
  company_id: number
  campaign_id: number
  client_id: number
  state: 'due' | 'settled'
  due_at: Date | null
  announced: number
  decision: Decision | null
  settled_reason: string | null
}

/** Who is called now, who is told of a call to come, and who is put back. */
function sort(
  contacts: ContactRow[],
  campaigns: Map<number, DialledCampaign>,
  attempts: Map<ContactRow, Date[]>,
  now: Date,
) {
  const calls: NewCall[] = []
  const announced: Announcement[] = []
  const put: PutBack[] = []
  const numbers = new Set<string>()
  for (const contact of contacts) {
    const campaign = campaigns.get(contact.campaign_id)!
    const { schedule, rules } = campaign
    const recent_attempts = attempts.get(contact)
    const decision = decide({ now, channel: 'call', contact, campaign, schedule, recent_attempts, rules })
    const back = (due_at: Date | null, extra: Partial<PutBack> = {}) => {
      const { company_id, campaign_id, client_id } = contact
      put.push({
        company_id,
        campaign_id,
        client_id,
        state: due_at ? 'due' : 'settled',
        due_at,
        announced: contact.announced,
        decision,
        settled_reason: null,
        ...extra,
      })
    }
    const number = `${contact.company_id} ${contact.mobile_e164}`
    if (!decision.allowed) {
      if (decision.settle) back(null, { settled_reason: decision.reasons.find((reason) => reason.final)!.rule })
      else back(decision.retry_at ?? new Date(now.getTime() + ASK_AGAIN_MS))
      continue
    }
    if (contact.number_in_call || numbers.has(number)) {
      back(new Date(now.getTime() + LINE_TAKEN_MS))
      continue
    }
    const attempt = contact.attempts + 1
    const notice = decision.run_id === null ? undefined : campaign.notice_minutes[decision.run_id]
    if (notice !== undefined && contact.announced < attempt) {
      const callAt = new Date(now.getTime() + notice * 60_000)
      const opensAt = openingAfter(callAt, contact, campaign)
      // Announced only when the call can follow as announced; else it waits for the next opening.
      if (opensAt?.getTime() === callAt.getTime()) {
        announced.push({ ...contact, run_id: decision.run_id, attempt, call_at: callAt })
        back(callAt, { announced: attempt, decision: null })
      } else {
        back(opensAt ? new Date(opensAt.getTime()) : null, opensAt ? {} : { settled_reason: 'run' })
      }
      continue
    }
    const heard = noticeHeard(contact, notice, now)
    if (heard > now) {
      back(heard)
      continue
    }
    numbers.add(number)
    calls.push({
      ...contact,
      run_id: decision.run_id,
      agent_id: campaign.agent_id!,
      attempt,
      decision,
      from: callerId(campaign, contact.case_type_id),
      to: contact.mobile_e164!,
    })
  }
  return { calls, announced, put }
}

/** From when on the call may follow its announcement, however late that went out. */
function noticeHeard({ notice_pending, notice_sent_at }: ContactRow, noticeMinutes = 0, now: Date): Date {
  if (notice_pending) return new Date(now.getTime() + NOTICE_PENDING_MS)
  return notice_sent_at ? new Date(notice_sent_at.getTime() + noticeMinutes * 60_000) : now
}

function openingAfter(from: Date, contact: ContactRow, { purpose, rules, schedule }: DialledCampaign): Date | null {
  const { zones, jurisdictions } = candidateZones(contact)
  return nextOpening({ from, zones, jurisdictions, channel: 'call', purpose, rules, schedule }).opensAt
}

/** A contact that left the list may be a member by another of its cases: the planner looks at them all. */
async function putBack(db: Database, put: PutBack[]): Promise<void> {
  if (put.length === 0) return
  await insertRefusals(
    db,
    put.flatMap(({ decision, ...contact }) => (decision ? [{ ...contact, channel: 'call' as const, decision }] : [])),
  )
  await db.run(sql`
    with put as (
      update campaign_contacts cc set
        state = b.state, due_at = b.due_at, announced = b.announced, settled_reason = b.settled_reason,
        requested_at = case when b.state = 'settled' then null else cc.requested_at end,
        last_decision = coalesce(b.decision, cc.last_decision)
      from ${entryRows(put, {
        company_id: 'bigint',
        campaign_id: 'bigint',
        client_id: 'bigint',
        state: 'text',
        due_at: 'timestamptz',
        announced: 'integer',
        decision: 'jsonb',
        settled_reason: 'text',
      })} as b
      where cc.company_id = b.company_id and cc.campaign_id = b.campaign_id and cc.client_id = b.client_id
      returning cc.company_id, cc.client_id, cc.case_id, cc.settled_reason
    )
    insert into case_changes (company_id, case_id)
    select put.company_id, l.case_id from put
    join case_clients l on l.company_id = put.company_id and l.client_id = put.client_id and l.case_id <> put.case_id
    where put.settled_reason = 'not_member'`)
}
