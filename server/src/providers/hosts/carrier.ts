import type { Clock } from '../../core/clock.ts'
import type { Database } from '../../core/db.ts'
import { carriersId, lookFor } from '../look-up.ts'
import {
  assertInTime,
  type CallRef,
  type CallStatusEvent,
  type CarrierCall,
  type SoughtCall,
  type Turn,
  type VoiceEvents,
  type VoiceProvider,
} from '../voice.ts'
import type { Ending, Host, HostCall, TransferStep } from './host.ts'
import type { References } from './references.ts'
import { placingFailure, putOff } from './refusals.ts'

/** So long a call that is over waits for the host's reading of it. */
const READING_MS = 180_000

/** A host may list a call only once it is answered or given up: until then it is not known that there is none. */
const LISTED_MS = 90_000

const STEPS = ['started', 'bridged', 'cancelled', 'ended'] as const

/** Calls that a host makes and talks through by itself: see docs/decisions/0060. */
export function hostedCarrier<Request>(
  db: Database,
  clock: Clock,
  references: References,
  host: Host<Request>,
): VoiceProvider {
  const started = Promise.withResolvers<VoiceEvents>()
  const stopping = new AbortController()

  const stamp = ({ company_id, call_id }: CallRef, { provider_call_id }: HostCall, at: Date | null) => ({
    company_id,
    call_id,
    provider_call_id,
    sequence: Date.now(),
    at: at ?? clock.now(),
  })

  async function find(call: SoughtCall): Promise<HostCall | null> {
    const id = await carriersId(db, call)
    return id ? host.get(id) : host.find(await references.of(call), call)
  }

  /** Whoever tells first that a call is there notes its id; a call that nobody waits for any more is hung up. */
  async function underWay(ref: CallRef, call: HostCall): Promise<void> {
    const { status } = await started.promise
    if (call.state === 'ringing') await status({ ...stamp(ref, call, call.placed_at), status: 'ringing' })
    else await status({ ...stamp(ref, call, call.answered_at), status: 'answered', answered_by: 'unknown' })
  }

  async function heard(ref: CallRef, call: HostCall): Promise<void> {
    if (call.transcript.length === 0) return
    const { company_id, call_id } = ref
    const { provider_call_id, to } = call
    await (await started.promise).overheard({ company_id, call_id, provider_call_id, to }, call.transcript)
  }

  /** @param lasting The host will not tell of it by itself any more, or has waited long enough to. */
  async function changed(ref: CallRef, call: HostCall, lasting = false): Promise<void> {
    await underWay(ref, call)
    await heard(ref, call)
    if (call.state !== 'ended') return
    const whole = call.reading !== null || lasting
    if ('talked' in call.ending && !whole) return
    const { status, report } = await started.promise
    const ending = endingOf(call.ending, call.transcript)
    if ('status' in ending) return await status({ ...stamp(ref, call, call.ended_at), ...ending } as CallStatusEvent)
    const { provider_call_id, to, duration_seconds, transcript, transferred_to, reading } = call
    await report({
      company_id: ref.company_id,
      call_id: ref.call_id,
      provider_call_id,
      to,
      answered_at: call.answered_at ?? new Date((call.ended_at ?? clock.now()).getTime() - duration_seconds * 1000),
      duration_seconds,
      disconnection_reason: ending.talked,
      transcript,
      transferred_to,
      successful: reading?.successful ?? null,
      opted_out: reading?.opted_out ?? null,
      summary: reading?.summary ?? null,
      sentiment_score: reading?.sentiment_score ?? null,
      extracted_fields: reading?.extracted_fields ?? {},
    })
  }

  /** Each step has its number in the call, so that what is told twice is heard once. */
  async function transfer(ref: CallRef, call: HostCall, { status, number }: TransferStep): Promise<void> {
    const { brief, transfer: tell } = await started.promise
    const to = number ?? (await brief(ref)).agent.transfer_number
    if (to) await tell({ ...stamp(ref, call, null), sequence: STEPS.indexOf(status), status, number: to })
  }

  return {
    name: host.name,
    sandbox: false,
    calls_per_second: host.calls_per_second,
    events: 'anywhere',
    records: host.records,
    addRoutes: (app) => host.addRoutes(app, { changed, heard, transfer }),
    async start(listener) {
      started.resolve(listener)
    },
    async place(call) {
      const events = await started.promise
      let request: Request
      try {
        request = await host.prepare(call, await events.script(call), await references.of(call))
      } catch (error) {
        throw putOff(host.name, error)
      }
      assertInTime(call)
      try {
        return { provider_call_id: await host.dial(request) }
      } catch (error) {
        throw placingFailure(host.name, error)
      }
    },
    async lookup(call) {
      const found = await find(call)
      return found && known(found, clock)
    },
    async resume(call) {
      const found = await lookFor(call, find, stopping.signal)
      if (!found && clock.now().getTime() < (call.since?.getTime() ?? 0) + LISTED_MS)
        throw new Error(`${host.name} may not list the call yet`)
      if (!found) return null
      const since = clock.now().getTime() - (found.ended_at?.getTime() ?? 0)
      await changed(call, found, since > READING_MS)
      return known(found, clock)
    },
    async hangUp(call) {
      const id = (await carriersId(db, call)) ?? (await find(call))?.provider_call_id
      if (id) await host.end(id)
    },
    async stop() {
      stopping.abort()
    },
  }
}

/** An error with nobody but us heard in it is a call in which nobody was reached. */
function endingOf(ending: Ending, transcript: readonly Turn[]): Ending {
  if ('status' in ending || ending.talked !== 'error_unknown') return ending
  return transcript.some(({ speaker }) => speaker === 'contact') ? ending : { status: 'failed', reason: 'dial_failed' }
}

function known(call: HostCall, clock: Clock): CarrierCall {
  const { provider_call_id, answered_at, ended_at } = call
  const at = { provider_call_id, placed_at: call.placed_at ?? clock.now(), answered_at, ended_at }
  if (call.state !== 'ended') return { ...at, status: call.state }
  const ending = endingOf(call.ending, call.transcript)
  return 'status' in ending ? { ...at, ...ending } : { ...at, status: 'completed' }
}
