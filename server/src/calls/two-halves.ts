import sql from 'sql-template-tag'
import { pause } from '../core/clock.ts'
import type { Engine } from '../engine/job.ts'
import {
  type CallRef,
  type CallStatusEvent,
  type Conversation,
  ConversationLost,
  type LineEnd,
} from '../providers/voice.ts'
import type { Held } from '../voice-agents/facts.ts'
import {
  beginTalk,
  endTalk,
  type Halves,
  type Hangup,
  heldWithEnd,
  looksBroken,
  noteHangup,
  noteLineEnd,
  noteMachine,
  selectHalves,
  selectNews,
} from './halves.ts'
import { notReached } from './not-reached.ts'
import type { CallEnd } from './settle.ts'

/** How long the end of a call waits for a conversation that is only just beginning: real milliseconds. */
const BEGINNING_MS = 2000
/** How long the carrier may take to say who ended a conversation whose socket broke: real milliseconds. */
const TELLING_MS = 2000
/** How often a process asks what was told elsewhere of its conversations: real milliseconds. */
const NEWS_POLL_MS = 1000
/** A process that still has not told of a conversation so long after its call has lost it: by the engine's clock. */
const HOLDER_MS = 10 * 60_000

interface Doing {
  talk(line: Conversation, earlier: Held | null): Promise<Held>
  ended(end: CallEnd): Promise<void>
  endedAfter(call: CallRef, held: Held, at: Date): Promise<void>
}

export type TwoHalves = ReturnType<typeof twoHalves>

/** The calls of a carrier whose events arrive anywhere: see `halves.ts`. */
export function twoHalves(engine: Engine, { talk, ended, endedAfter }: Doing) {
  const { pool, clock, log, nodeId, signal } = engine
  const lines = new Map<number, Conversation>()
  let watching = false

  async function conversation(line: Conversation): Promise<void> {
    const begun = await beginTalk(pool, line, nodeId)
    if (!begun) return line.end()
    lines.set(line.call_id, line)
    void watchForNews()
    try {
      const held = await talk(line, begun.earlier)
      if (signal.aborted && held.disconnection_reason === 'error_unknown') held.put_down = true
      await join(line, await endTalk(pool, line, held))
    } catch (error) {
      if (!(error instanceof ConversationLost)) throw error
    } finally {
      lines.delete(line.call_id)
    }
  }

  /** Settles a call of which both halves are there. */
  async function join(call: CallRef, halves: Halves | null): Promise<void> {
    if (!halves?.talk || !halves.hangup) return
    let found = halves
    if (looksBroken(halves.talk) && !halves.line_end) {
      await pause(TELLING_MS, signal)
      // Both halves are written: whoever follows late calls joins them.
      if (signal.aborted) return
      found = (await selectHalves(pool, call)) ?? found
    }
    const held = heldWithEnd(found)
    if (held) await endedAfter(call, held, halves.hangup.at)
  }

  async function completed(event: CallStatusEvent & { status: 'completed' }): Promise<void> {
    const { at, duration_seconds } = event
    let halves = await noteHangup(pool, event, { at, duration_seconds })
    if (halves && !halves.begun) {
      // The carrier's socket may be on its way: callbacks overtake each other.
      await pause(BEGINNING_MS, signal)
      if (signal.aborted) return
      halves = await selectHalves(pool, event)
    }
    if (halves && !halves.begun) await ended(notReached(event, 'failed', 'error_unknown', at))
    else await join(event, halves)
  }

  /** The carrier has the call. One that was struck off, because nobody knew of it any more, must not go on. */
  async function underWay(
    event: CallStatusEvent,
    placed: (call: CallRef & { provider_call_id: string }) => Promise<void>,
  ): Promise<void> {
    const { company_id, call_id, provider_call_id } = event
    await placed(event)
    const ours = await pool.maybe<{ provider_call_id: string }>(sql`
      select provider_call_id from calls where company_id = ${company_id} and id = ${call_id}`)
    if (ours?.provider_call_id === provider_call_id) return
    log.warn({ call_id, provider_call_id }, 'a call that is nobody knows is hung up')
    await engine.providers.voice.hangUp({ company_id, call_id, provider_call_id })
  }

  async function settleHalves(call: CallRef): Promise<void> {
    const halves = await selectHalves(pool, call)
    if (!halves?.hangup) return
    const held = heldWithEnd(halves)
    if (held) return endedAfter(call, held, halves.hangup.at)
    const elsewhere = halves.holder !== null && halves.holder !== nodeId
    if (elsewhere && clock.now().getTime() - halves.hangup.at.getTime() < HOLDER_MS) return
    // Whoever held the conversation is gone, and with it what was said.
    if (!lines.has(call.call_id)) await ended(notReached(call, 'failed', 'error_unknown', halves.hangup.at))
  }

  async function settleLost(call: CallRef, at: Date): Promise<void> {
    const halves = await selectHalves(pool, call)
    if (!halves) return
    const hangup: Hangup = halves.hangup ?? { at, duration_seconds: halves.talk?.duration_seconds ?? 0 }
    const held = heldWithEnd({ ...halves, hangup })
    if (held) await endedAfter(call, held, at)
    else await ended(notReached(call, 'failed', 'error_unknown', at))
  }

  async function machine(call: CallRef): Promise<void> {
    await noteMachine(pool, call)
    lines.get(call.call_id)?.machine?.()
  }

  const lineEnded = (call: CallRef, end: LineEnd): Promise<void> => noteLineEnd(pool, call, end)

  /** Callbacks may reach any process; a line whose socket hangs hears of its own end in no other way. */
  async function watchForNews(): Promise<void> {
    if (watching) return
    watching = true
    let over = new Set<number>()
    while (lines.size > 0 && !signal.aborted) {
      await pause(NEWS_POLL_MS, signal)
      const news = await selectNews(pool, nodeId).catch(() => [])
      for (const { call_id, machine } of news) if (machine) lines.get(call_id)?.machine?.()
      // At the second look: the socket may be closing just now.
      for (const each of news) if (each.over && over.has(each.call_id)) lines.get(each.call_id)?.gone?.()
      over = new Set(news.filter((each) => each.over).map(({ call_id }) => call_id))
    }
    watching = false
  }

  return { conversation, completed, underWay, machine, lineEnded, settleHalves, settleLost }
}
