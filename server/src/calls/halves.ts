import sql from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import type { CallRef, LineEnd } from '../providers/voice.ts'
import type { Held } from '../voice-agents/facts.ts'

/*
 * A call of a carrier whose events arrive anywhere comes to us in two halves: what was said, from the process that held
 * the conversation, and the carrier's end, from the one that its callback happened to reach. Each is written to the
 * call's row, and whoever writes the second one finds the first there.
 */

/** The carrier's end of a call. */
export interface Hangup {
  at: Date
  duration_seconds: number
}

export interface Halves {
  talk: Held | null
  hangup: Hangup | null
  /** A conversation was begun, here or elsewhere. */
  begun: boolean
  transfer_bridged: boolean
  /** How the carrier says that the conversation ended; null where it has not, or where the agent ended it. */
  line_end: LineEnd | null
  /** The process that holds, or held, the conversation, while it is alive. */
  holder: string | null
}

const halves = sql`talk, hangup, talk_node is not null as begun, transfer_bridged, line_end,
  (select n.id from engine_nodes n where n.id = talk_node) as holder`

const open = ({ company_id, call_id }: CallRef) =>
  sql`company_id = ${company_id} and id = ${call_id} and state <> 'ended'`

/** JSON has no instants. */
function revived(row: Halves | undefined): Halves | null {
  if (!row) return null
  const { talk, hangup } = row
  return {
    ...row,
    talk: talk && { ...talk, answered_at: new Date(talk.answered_at) },
    hangup: hangup && { ...hangup, at: new Date(hangup.at) },
  }
}

/**
 * Takes a call's conversation on for this process; null where the call is over or unknown. Answers what was said before,
 * where a failed transfer has brought the contact back: that talk is not over any more.
 */
export async function beginTalk(db: Database, call: CallRef, nodeId: string): Promise<{ earlier: Held | null } | null> {
  const row = await db.maybe<Halves>(sql`
    with before as (
      select company_id as of_company, id as of_id, talk as earlier from calls where ${open(call)} for update
    )
    update calls set talk_node = ${nodeId}, talk = null, line_end = null from before
    where company_id = of_company and id = of_id
    returning earlier as talk, hangup, true as begun, transfer_bridged, line_end, talk_node as holder`)
  const found = revived(row)
  return found && { earlier: found.talk }
}

/** Null where the call is settled already. */
export const endTalk = async (db: Database, call: CallRef, talk: Held): Promise<Halves | null> =>
  revived(
    await db.maybe(sql`update calls set talk = ${JSON.stringify(talk)}::jsonb where ${open(call)} returning ${halves}`),
  )

/** The first end counts. It may be the first that is heard of the call at all. */
export const noteHangup = async (
  db: Database,
  call: CallRef & { provider_call_id: string },
  hangup: Hangup,
): Promise<Halves | null> =>
  revived(
    await db.maybe(sql`
      update calls set hangup = coalesce(hangup, ${JSON.stringify(hangup)}::jsonb),
        provider_call_id = coalesce(provider_call_id, ${call.provider_call_id})
      where ${open(call)} returning ${halves}`),
  )

export const selectHalves = async (db: Database, call: CallRef): Promise<Halves | null> =>
  revived(await db.maybe(sql`select ${halves} from calls where ${open(call)}`))

export async function noteLineEnd(db: Database, call: CallRef, end: LineEnd): Promise<void> {
  await db.run(sql`update calls set line_end = ${end} where ${open(call)}`)
}

export async function noteMachine(db: Database, call: CallRef): Promise<void> {
  await db.run(sql`update calls set machine = true where ${open(call)} and not machine`)
}

/** What was told elsewhere of the conversations that this process holds: a machine was detected, the call is over. */
export const selectNews = (db: Database, nodeId: string): Promise<(CallRef & { machine: boolean; over: boolean })[]> =>
  db.many(sql`
    select company_id, id as call_id, machine, hangup is not null as over from calls
    where talk_node = ${nodeId} and state <> 'ended' and talk is null and (machine or hangup is not null)`)

/** How the conversation ended, now that the carrier has told the rest. */
export function heldWithEnd({ talk, hangup, transfer_bridged, line_end }: Halves): Held | null {
  if (!talk || !hangup) return null
  const { duration_seconds } = hangup
  const disconnection_reason = reasonOf(talk, line_end)
  if (talk.transferred_to === null || transfer_bridged) return { ...talk, duration_seconds, disconnection_reason }
  // They hung up while it rang at the other number.
  return { ...talk, duration_seconds, transferred_to: null, disconnection_reason: 'user_hangup' }
}

/** A socket closes in one way or the other, whoever ended the call: the carrier knows. */
function reasonOf(talk: Held, told: LineEnd | null): Held['disconnection_reason'] {
  const guessed = talk.disconnection_reason === 'user_hangup' || looksBroken(talk)
  return told && guessed ? told : talk.disconnection_reason
}

/** As far as the socket tells. */
export const looksBroken = ({ disconnection_reason, put_down }: Held) =>
  disconnection_reason === 'error_unknown' && !put_down
