import { takeTime } from '../appointments/book.ts'
import { coalesce } from '../core/coalesce.ts'
import type { Engine } from '../engine/job.ts'
import type { CallBrief } from '../providers/call-brief.ts'
import type { CallRef, CallStatusEvent, Conversation, SoughtCall, VoiceEvents } from '../providers/voice.ts'
import { hold } from '../voice-agents/conversation.ts'
import type { Held } from '../voice-agents/facts.ts'
import { scriptOf } from '../voice-agents/host-script.ts'
import { mindOf } from '../voice-agents/mind.ts'
import { selectBriefs } from './briefs.ts'
import { hostedCalls } from './hosted.ts'
import { notReached } from './not-reached.ts'
import { noteOptOut } from './opt-out.ts'
import { placedMarker } from './place.ts'
import { type CallEnd, letGo, settler } from './settle.ts'
import { noteTransfer } from './transfer.ts'
import { type TwoHalves, twoHalves } from './two-halves.ts'

/** Where everything that is heard of calls comes together, in one process. */
export interface CallDesk extends Pick<TwoHalves, 'settleHalves'> {
  placed(call: CallRef & { provider_call_id: string }): Promise<void>
  ended(end: CallEnd): Promise<void>
  /** Nobody will ever tell how a call ended: what was said in it counts, if anything was. */
  settleLost(call: SoughtCall): Promise<void>
  events: VoiceEvents
}

const desks = new WeakMap<Engine, CallDesk>()

export function deskOf(engine: Engine): CallDesk {
  const desk = desks.get(engine) ?? openDesk(engine)
  desks.set(engine, desk)
  return desk
}

function openDesk(engine: Engine): CallDesk {
  const { clock, log } = engine
  const { voice, language_model } = engine.providers
  const placed = placedMarker(engine)
  const settle = settler(engine)
  const mind = mindOf(language_model, log)
  const brief = coalesce((calls: CallRef[]) => selectBriefs(engine.pool, calls, voice.records ?? false), { max: 200 })
  /** A conversation is over some moments before the carrier says that the call is. */
  const talks = new Map<number, Promise<{ held: Held; known: CallBrief }>>()

  async function ended(end: CallEnd): Promise<void> {
    talks.delete(end.call_id)
    await settle(end).catch(async (error: unknown) => {
      log.error({ err: error, call_id: end.call_id }, 'a call could not be settled; it is taken over')
      await letGo(engine.pool, end)
    })
  }

  async function talk(line: Conversation, known: CallBrief, earlier: Held | null = null): Promise<Held> {
    return await hold(line, known, mind.brainFor, {
      earlier,
      book: (at) =>
        engine.inHand(takeTime(engine, line, at, known.zones[0]!)).catch((error: unknown) => {
          log.error({ err: error, call_id: line.call_id }, 'an appointment could not be written down')
          return { outcome: 'failed' as const }
        }),
      onOptOut: () => {
        engine.inHand(noteOptOut(engine, line)).catch((error: unknown) => {
          log.error({ err: error, call_id: line.call_id }, 'an opt-out waits for the end of its call')
        })
      },
    })
  }

  async function endedAfter(call: CallRef, held: Held, known: CallBrief, ended_at: Date): Promise<void> {
    const outcome = await mind.analyse(held, known)
    const { company_id, call_id } = call
    const { answered_at, put_down } = held
    await ended({ company_id, call_id, ...outcome, answered_at, ended_at, put_down })
  }

  const anywhere = twoHalves(engine, {
    ended,
    talk: async (line, earlier) => talk(line, await brief(line), earlier),
    endedAfter: async (call, held, at) => endedAfter(call, held, await brief(call), at),
  })

  const hosted = hostedCalls(engine, { mind, brief, ended })

  async function conversation(line: Conversation): Promise<void> {
    const held = brief(line).then(async (known) => ({ known, held: await talk(line, known) }))
    talks.set(line.call_id, held)
    // Heard where the end of the call is awaited, too: a failure here is logged there.
    await held
  }

  async function completed(event: CallStatusEvent & { status: 'completed' }): Promise<void> {
    const talked = talks.get(event.call_id)
    if (!talked) return ended(notReached(event, 'failed', 'error_unknown', event.at))
    try {
      const { held, known } = await talked
      await endedAfter(event, { ...held, duration_seconds: event.duration_seconds }, known, event.at)
    } catch (error) {
      log.error({ err: error, call_id: event.call_id }, 'a conversation failed')
      await ended(notReached(event, 'failed', 'error_unknown', event.at))
    }
  }

  async function status(event: CallStatusEvent): Promise<void> {
    switch (event.status) {
      case 'ringing':
      case 'answered':
        return voice.events === 'anywhere' ? anywhere.underWay(event, placed) : undefined
      case 'completed':
        return voice.events === 'anywhere' ? anywhere.completed(event) : completed(event)
      case 'busy':
        return ended(notReached(event, 'busy', 'dial_busy', event.at))
      case 'no_answer':
        return ended(notReached(event, 'no_answer', 'dial_no_answer', event.at))
      case 'canceled':
        return ended(notReached(event, 'failed', 'dial_failed', event.at))
      case 'failed':
        return ended(notReached(event, 'failed', event.reason, event.at))
    }
  }

  return {
    placed,
    ended,
    settleHalves: anywhere.settleHalves,
    async settleLost(call) {
      const at = clock.now()
      if (voice.events === 'here') return ended(notReached(call, 'failed', 'error_unknown', at))
      await anywhere.settleLost(call, at)
    },
    events: {
      status: (event) => engine.inHand(status(event)),
      conversation: (line) =>
        engine.inHand(voice.events === 'anywhere' ? anywhere.conversation(line) : conversation(line)),
      machine: (call) => engine.inHand(anywhere.machine(call)),
      lineEnded: (call, end) => engine.inHand(anywhere.lineEnded(call, end)),
      brief,
      // The call's result follows from its end.
      transfer: (event) => engine.inHand(noteTransfer(engine, event)),
      overheard: (call, transcript) => engine.inHand(hosted.overheard(call, transcript)),
      report: (report) => engine.inHand(hosted.report(report)),
      script: async (call) => scriptOf(await brief(call), clock.now()),
    },
  }
}
