import type { Clock } from '../../core/clock.ts'
import { coalesce } from '../../core/coalesce.ts'
import type { Database } from '../../core/db.ts'
import {
  type CallRef,
  type CallStatusEvent,
  type CarrierCall,
  DialRefused,
  type OutgoingCall,
  type TransferEvent,
  type VoiceEvents,
  type VoiceProvider,
} from '../voice.ts'
import { calleeOf } from './callee.ts'
import { type Ending, insertCalls, keyOf, type Outcome, type SandboxCall, selectCall, updateEnded } from './calls.ts'
import { insist } from './insist.ts'
import { type Line, openLine } from './line.ts'
import { deskPersona, hash, type Persona, personaNamed, personaOf } from './personas.ts'

/** Seconds of ringing before anything else happens, by how the persona takes calls; people vary by their number. */
const RINGING = {
  answers: [4, 19],
  voicemail: [20, 24],
  busy: [2, 3],
  out_of_service: [0, 0],
  network_failure: [1, 2],
} as const

const OUTCOME = { no_answer: 'no_answer', busy: 'busy', network_failure: 'failed' } as const

/** Everything the carrier keeps in memory about a call it attends to in this process. */
interface Attended {
  lived: Promise<void>
  readonly hungUp: AbortController
  line: Line | null
  sequence: number
  transferredTo: string | null
}

/**
 * A telephone network without telephones. It remembers calls in its own table before it says that they are placed, so
 * a process that dies leaves behind what a real carrier would know; a call that was cut off is held again from its start
 * by whoever resumes it, with the same persona saying the same things. What follows from a number: `personas.ts`.
 *
 * 500 calls in flight on 2 cores, shared with PostgreSQL and other work: 3,500 calls a second, 90 µs of this process's
 * time for each, the conversation (8.6 turns) and its analysis included.
 */
export function sandboxCarrier(db: Database, clock: Clock): VoiceProvider {
  const attended = new Map<string, Attended>()
  const insert = coalesce((calls: SandboxCall[]) => insertCalls(db, calls), { max: 500 })
  const finish = coalesce(
    async (endings: Ending[]) => {
      await updateEnded(db, endings)
      return endings
    },
    { max: 500 },
  )
  let events: VoiceEvents
  const stopping = new AbortController()

  async function place(call: OutgoingCall) {
    if (stopping.signal.aborted) throw new Error('the sandbox carrier is stopped')
    const { company_id, call_id, to, from, attempt, ring_seconds, max_seconds } = call
    const persona = personaOf(to, attempt)
    const placed_at = clock.now()
    const refused = persona.pickup === 'out_of_service'
    const row: SandboxCall = {
      company_id,
      call_id,
      to_number: to,
      from_number: from,
      attempt,
      persona: persona.name,
      ring_seconds,
      max_seconds,
      placed_at,
      answered_at: null,
      ended_at: refused ? placed_at : null,
      outcome: refused ? 'refused' : null,
    }
    const fresh = await insert(row)
    if (refused) throw new DialRefused('invalid_destination', `${to} is not in service`)
    if (fresh) attend(row)
    return { provider_call_id: providerId(call) }
  }

  /** Lives through a call, or through what is left of it, in the background. */
  function attend(call: SandboxCall): void {
    const key = keyOf(call)
    if (stopping.signal.aborted || attended.has(key)) return
    const here: Attended = {
      lived: Promise.resolve(),
      hungUp: new AbortController(),
      line: null,
      sequence: 0,
      transferredTo: null,
    }
    attended.set(key, here)
    here.lived = live(call, here).finally(() => attended.delete(key))
  }

  async function live(call: SandboxCall, here: Attended): Promise<void> {
    if (call.outcome === 'canceled' || call.outcome === 'refused') return conclude(call, here, null, call.outcome)
    const persona = personaNamed(call.persona)
    await tell(call, here, { status: 'ringing' })
    const answerAt = answeredAt(call, persona)
    const silentUntil = answerAt ?? new Date(call.placed_at.getTime() + ringSeconds(call, persona) * 1000)
    const wait = silentUntil.getTime() - clock.now().getTime()
    if (wait > 0) await clock.sleep(wait, here.hungUp.signal)
    if (stopping.signal.aborted) return
    if (here.hungUp.signal.aborted) return conclude(call, here, null, 'canceled')
    if (!answerAt) return conclude(call, here, null, OUTCOME[persona.pickup as keyof typeof OUTCOME] ?? 'no_answer')

    await tell(call, here, { status: 'answered', answered_by: persona.pickup === 'voicemail' ? 'machine' : 'human' })
    const line = openLine({
      ref: { company_id: call.company_id, call_id: call.call_id },
      answeredAt: answerAt,
      maxSeconds: call.max_seconds,
      callee: calleeOf(persona, `${call.to_number} ${call.attempt}`),
      clock,
      onTransfer: (number) => transfer(call, here, number),
    })
    here.line = line
    // Whoever talks may hang up without a word, or fail: to the carrier that is the same.
    events.conversation(line).then(line.end, () => line.cut('ended'))
    const seconds = await line.over
    if (seconds === null) return
    if (here.transferredTo) await tellOfTransfer(call, here, 'ended', here.transferredTo)
    await conclude(call, here, answerAt, 'completed', seconds)
  }

  async function conclude(call: SandboxCall, here: Attended, answered_at: Date | null, outcome: Outcome, seconds = 0) {
    const { company_id, call_id } = call
    const ended_at = call.ended_at ?? clock.now()
    if (!call.ended_at)
      await insist(() => finish({ company_id, call_id, answered_at, ended_at, outcome }), stopping.signal)
    await tell(call, here, statusOf(outcome, seconds), ended_at)
  }

  /** Somebody is there at every number but the reserved ones whose persona does not answer. */
  async function transfer(call: SandboxCall, here: Attended, number: string): Promise<number | null> {
    await tellOfTransfer(call, here, 'started', number)
    const there = deskPersona(number)
    if (there && there.pickup !== 'answers') {
      await tellOfTransfer(call, here, 'cancelled', number)
      return null
    }
    here.transferredTo = number
    await tellOfTransfer(call, here, 'bridged', number)
    return 60 + (hash(`${call.to_number} talks`) % 180)
  }

  const stamp = (call: CallRef, here: Attended, at: Date) => ({
    company_id: call.company_id,
    call_id: call.call_id,
    provider_call_id: providerId(call),
    sequence: here.sequence++,
    at,
  })

  function tell(call: CallRef, here: Attended, what: Told, at = clock.now()): Promise<void> {
    const event = { ...stamp(call, here, at), ...what } as CallStatusEvent
    return insist(() => events.status(event), stopping.signal)
  }

  function tellOfTransfer(
    call: CallRef,
    here: Attended,
    status: TransferEvent['status'],
    number: string,
  ): Promise<void> {
    const event = { ...stamp(call, here, clock.now()), status, number }
    return insist(() => events.transfer(event), stopping.signal)
  }

  async function lookup(ref: CallRef): Promise<CarrierCall | null> {
    const call = await selectCall(db, ref)
    return call ? carrierCall(call, clock.now()) : null
  }

  return {
    name: 'sandbox',
    sandbox: true,
    calls_per_second: 5000,
    events: 'here',
    async start(listener) {
      events = listener
    },
    place,
    lookup,
    async resume(ref) {
      const call = await selectCall(db, ref)
      if (!call) return null
      attend(call)
      return carrierCall(call, clock.now())
    },
    async hangUp(ref) {
      const here = attended.get(keyOf(ref))
      if (here) {
        here.hungUp.abort()
        here.line?.cut('ended')
        return
      }
      const call = await selectCall(db, ref)
      if (!call || call.ended_at) return
      const answered_at = answeredAt(call, personaNamed(call.persona))
      const talking = answered_at !== null && answered_at <= clock.now()
      await finish({
        ...ref,
        answered_at: talking ? answered_at : null,
        ended_at: clock.now(),
        outcome: talking ? 'completed' : 'canceled',
      })
    },
    async stop() {
      stopping.abort()
      for (const { hungUp, line } of attended.values()) {
        hungUp.abort()
        line?.cut('lost')
      }
      await Promise.all([...attended.values()].map(({ lived }) => lived))
    },
  }
}

type Told =
  | { status: 'ringing' | 'busy' | 'no_answer' | 'canceled' }
  | { status: 'answered'; answered_by: 'human' | 'machine' }
  | { status: 'completed'; duration_seconds: number }
  | { status: 'failed'; reason: DialRefused['reason'] }

function statusOf(outcome: Outcome, seconds: number): Told {
  if (outcome === 'completed') return { status: 'completed', duration_seconds: seconds }
  if (outcome === 'failed' || outcome === 'refused')
    return { status: 'failed', reason: outcome === 'refused' ? 'invalid_destination' : 'dial_failed' }
  return { status: outcome }
}

const providerId = (ref: CallRef) => `sandbox-${keyOf(ref)}`

function ringSeconds(call: SandboxCall, persona: Persona): number {
  if (persona.pickup === 'no_answer') return call.ring_seconds
  const [shortest, longest] = RINGING[persona.pickup]
  return Math.min(shortest + (hash(`${call.to_number} rings`) % (longest - shortest + 1)), call.ring_seconds)
}

/** When somebody or something picks up; null where nobody does before the ringing stops. */
function answeredAt(call: SandboxCall, persona: Persona): Date | null {
  if (persona.pickup !== 'answers' && persona.pickup !== 'voicemail') return null
  const seconds = ringSeconds(call, persona)
  return seconds < call.ring_seconds ? new Date(call.placed_at.getTime() + seconds * 1000) : null
}

function carrierCall(call: SandboxCall, now: Date): CarrierCall {
  const { placed_at, ended_at, outcome } = call
  const known = { provider_call_id: providerId(call), placed_at, ended_at }
  if (outcome === 'refused') return { ...known, status: 'failed', reason: 'invalid_destination', answered_at: null }
  if (outcome === 'failed') return { ...known, status: 'failed', reason: 'dial_failed', answered_at: null }
  if (outcome) return { ...known, status: outcome, answered_at: call.answered_at }
  const answered_at = answeredAt(call, personaNamed(call.persona))
  if (answered_at && answered_at <= now) return { ...known, status: 'in_progress', answered_at }
  return { ...known, status: 'ringing', answered_at: null }
}
