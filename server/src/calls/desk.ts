import { coalesce } from '../core/coalesce.ts'
import type { Engine } from '../engine/job.ts'
import type { CallRef, CallStatusEvent, Conversation, VoiceEvents } from '../providers/voice.ts'
import { analyseReport, type CallOutcome } from '../voice-agents/analysis.ts'
import { converse } from '../voice-agents/conversation.ts'
import { selectBriefs } from './briefs.ts'
import { notReached } from './not-reached.ts'
import { placedMarker } from './place.ts'
import { type CallEnd, letGo, settler } from './settle.ts'
import { noteTransfer } from './transfer.ts'

/** Where everything that is heard of calls comes together, in one process. */
export interface CallDesk {
  placed(call: CallRef & { provider_call_id: string }): Promise<void>
  ended(end: CallEnd): Promise<void>
  events: VoiceEvents
}

const desks = new WeakMap<Engine, CallDesk>()

export function deskOf(engine: Engine): CallDesk {
  const desk = desks.get(engine) ?? openDesk(engine)
  desks.set(engine, desk)
  return desk
}

/** A conversation is over some moments before the carrier says that the call is. */
interface Talk {
  outcome: Promise<CallOutcome>
  answered_at: Date
}

function openDesk(engine: Engine): CallDesk {
  const { clock, log } = engine
  const placed = placedMarker(engine)
  const settle = settler(engine)
  const brief = coalesce((calls: CallRef[]) => selectBriefs(engine.pool, calls), { max: 200 })
  const talks = new Map<number, Talk>()

  async function ended(end: CallEnd): Promise<void> {
    talks.delete(end.call_id)
    await settle(end).catch(async (error: unknown) => {
      log.error({ err: error, call_id: end.call_id }, 'a call could not be settled; it is taken over')
      await letGo(engine.pool, end)
    })
  }

  async function conversation(line: Conversation): Promise<void> {
    const outcome = brief(line).then((known) => converse(line, known))
    talks.set(line.call_id, { outcome, answered_at: line.answered_at })
    // Heard where the end of the call is awaited, too: a failure here is logged there.
    await outcome
  }

  async function completed(event: CallStatusEvent & { status: 'completed' }): Promise<void> {
    const talk = talks.get(event.call_id)
    if (!talk) return ended(notReached(event, 'failed', 'error_unknown', event.at))
    try {
      const outcome = await talk.outcome
      const { answered_at } = talk
      await ended({ ...event, ...outcome, answered_at, duration_seconds: event.duration_seconds, ended_at: event.at })
    } catch (error) {
      log.error({ err: error, call_id: event.call_id }, 'a conversation failed')
      await ended(notReached(event, 'failed', 'error_unknown', event.at))
    }
  }

  async function status(event: CallStatusEvent): Promise<void> {
    switch (event.status) {
      case 'ringing':
      case 'answered':
        return
      case 'completed':
        return completed(event)
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
    events: {
      status: (event) => engine.inHand(status(event)),
      conversation: (line) => engine.inHand(conversation(line)),
      brief,
      // The call's result follows from its end.
      transfer: (event) => engine.inHand(noteTransfer(engine, event)),
      async report(report) {
        const outcome = analyseReport(report, await brief(report))
        const { answered_at } = report
        await ended({ ...report, ...outcome, answered_at, ended_at: clock.now() })
      },
    },
  }
}
