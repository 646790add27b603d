import sql from 'sql-template-tag'
import { pause } from '../core/clock.ts'
import type { Engine } from '../engine/job.ts'
import { type CallRef, type CallStatusEvent, type Conversation, ConversationLost } from '../providers/voice.ts'
import type { Held } from '../voice-agents/facts.ts'
import {
  beginTalk,
  endTalk,
  type Halves,
  type Hangup,
  heldWithEnd,
  noteHangup,
  noteMachine,
  selectHalves,
  selectMachines,
} from './halves.ts'
import { notReached } from './not-reached.ts'
import type { CallEnd } from './settle.ts'

/** How long the end of a call waits for a conversation that is only just beginning: real milliseconds. */
const BEGINNING_MS = 2000
/** How often a process asks whether its conversations turned out to be with machines: real milliseconds. */
const MACHINE_POLL_MS = 1000

interface Doing {
  talk(line: Conversation, earlier: Held | null): Promise<Held>
  ended(end: CallEnd): Promise<void>
  endedAfter(call: CallRef, held: Held, at: Date): Promise<void>
}

export type TwoHalves = ReturnType<typeof twoHalves>

/** The calls of a carrier whose events arrive anywhere: see `halves.ts`. */
export function twoHalves(engine: Engine, { talk, ended, endedAfter }: Doing) {
  const { pool, log, nodeId, signal } = engine
  const lines = new Map<number, Conversation>()
  let watching = false

  async function conversation(line: Conversation): Promise<void> {
    const begun = await beginTalk(pool, line, nodeId)
    if (!begun) return line.end()
    lines.set(line.call_id, line)
    void watchForMachines()
    try {
      const held = await talk(line, begun.earlier)
      await join(line, await endTalk(pool, line, held))
    } catch (error) {
      if (!(error instanceof ConversationLost)) throw error
    } finally {
      lines.delete(line.call_id)
    }
  }

  /** Settles a call of which both halves are there. */
  async function join(call: CallRef, halves: Halves | null): Promise<void> {
    const held = halves && heldWithEnd(halves)
    if (held) await endedAfter(call, held, halves.hangup!.at)
  }

  async function completed(event: CallStatusEvent & { status: 'completed' }): Promise<void> {
    const { at, duration_seconds } = event
    let halves = await noteHangup(pool, event, { at, duration_seconds })
    if (halves && !halves.begun) {
      // The carrier's socket may be on its way: callbacks overtake each other.
      await pause(BEGINNING_MS, signal)
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
    const news = await noteMachine(pool, call)
    if (news) tellOfMachine(call)
  }

  function tellOfMachine({ call_id }: CallRef): void {
    const line = lines.get(call_id)
    line?.machine?.()
  }

  /** The verdict may have reached another process. */
  async function watchForMachines(): Promise<void> {
    if (watching) return
    watching = true
    const told = new Set<number>()
    while (lines.size > 0 && !signal.aborted) {
      await pause(MACHINE_POLL_MS, signal)
      const found = await selectMachines(pool, nodeId).catch(() => [])
      for (const call of found.filter(({ call_id }) => !told.has(call_id))) {
        told.add(call.call_id)
        tellOfMachine(call)
      }
    }
    watching = false
  }

  return { conversation, completed, underWay, machine, settleHalves, settleLost }
}
