import sql from 'sql-template-tag'
import type { Clock } from '../../core/clock.ts'
import type { Database } from '../../core/db.ts'
import { carriersId, lookFor } from '../look-up.ts'
import {
  assertInTime,
  type CallStatusEvent,
  type CarrierCall,
  type SoughtCall,
  type VoiceEvents,
  type VoiceProvider,
} from '../voice.ts'
import type { RelayAccount, RelayCall } from './account.ts'
import { failedReason } from './failed-reason.ts'
import { addCallRoutes } from './routes.ts'
import { relayConversations } from './sessions.ts'
import { callAddresses, relayTwiml } from './twiml.ts'

/** Its clock and ours may differ by so much. */
const SKEW_MS = 60_000

/** Calls through a carrier that speaks ConversationRelay. */
export function relayCarrier(db: Database, clock: Clock, account: RelayAccount): VoiceProvider {
  const { calls } = account
  const started = Promise.withResolvers<VoiceEvents>()
  const stopping = new AbortController()
  const relays = relayConversations({
    clock,
    events: started.promise,
    startRecording,
    stopRecording: calls.stopRecording,
  })

  async function startRecording(callSid: string): Promise<void> {
    if (account.records) await calls.record(callSid)
  }

  /** The carrier does not know our ids: a call is found by its own, or by whom it rings, from where, and since when. */
  async function find(call: SoughtCall): Promise<RelayCall | null> {
    const asked = (call.since ?? clock.now()).getTime()
    const sid = await carriersId(db, call)
    const found = sid ? await calls.fetch(sid) : await findByNumber(call, asked)
    if (!found && clock.now().getTime() < asked + calls.lagMs)
      throw new Error('the carrier may not know yet what became of a call')
    return found
  }

  async function findByNumber(call: SoughtCall, asked: number): Promise<RelayCall | null> {
    if (!call.to) return null
    const listed = await calls.list(call.to, call.from ?? account.from)
    const recent = listed.filter(({ created }) => created.getTime() >= asked - SKEW_MS)
    const others = await db.many<{ sid: string }>(sql`
      select provider_call_id as sid from calls where provider_call_id = any(${recent.map((each) => each.sid)}::text[])`)
    return recent.filter(({ sid }) => !others.some((other) => other.sid === sid)).at(-1) ?? null
  }

  async function lookup(call: SoughtCall): Promise<CarrierCall | null> {
    const found = await find(call)
    return found && known(found)
  }

  return {
    name: account.name,
    sandbox: false,
    calls_per_second: account.callsPerSecond,
    events: 'anywhere',
    records: account.records,
    addRoutes: (app) => addCallRoutes(app, { account, clock, db, events: started.promise, relays }),
    async start(listener) {
      started.resolve(listener)
    },
    async place(call) {
      const { to, from, ring_seconds, max_seconds } = call
      const { agent } = await (await started.promise).brief(call)
      const at = callAddresses(account, call)
      assertInTime(call)
      const sid = await calls.create({
        to,
        from: from ?? account.from,
        twiml: relayTwiml(account, at, agent.voice_id, max_seconds),
        ringSeconds: ring_seconds,
        maxSeconds: max_seconds,
        status: at.status,
        machine: at.machine,
        // Who leaves a message must know when the greeting is over.
        leavesMessage: agent.voicemail_action === 'message',
      })
      if (!sid) throw new Error('the carrier took the call, but did not say by which id')
      return { provider_call_id: sid }
    },
    lookup,
    async resume(call) {
      const found = await lookFor(call, find, stopping.signal)
      if (!found) return null
      const event = statusOf(call, found)
      if (event) await (await started.promise).status(event)
      return known(found)
    },
    async hangUp(call) {
      const sid = call.provider_call_id ?? (await find(call))?.sid
      if (sid) await calls.hangUp(sid)
    },
    putDown: relays.putDown,
    async stop() {
      stopping.abort()
      await relays.stop()
    },
  }
}

const STATUS: Record<string, CarrierCall['status']> = {
  queued: 'ringing',
  initiated: 'ringing',
  ringing: 'ringing',
  'in-progress': 'in_progress',
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no_answer',
  canceled: 'canceled',
  failed: 'failed',
}

function known(call: RelayCall): CarrierCall {
  const status = STATUS[call.status] ?? 'ringing'
  return {
    provider_call_id: call.sid,
    status,
    ...(status === 'failed' ? { reason: failedReason() } : {}),
    placed_at: call.created,
    answered_at: call.started,
    ended_at: call.ended,
  }
}

/** What a look-up tells of a call that is over, as the callback would have told it. */
function statusOf({ company_id, call_id }: SoughtCall, call: RelayCall): CallStatusEvent | null {
  const status = STATUS[call.status]
  const stamp = {
    company_id,
    call_id,
    provider_call_id: call.sid,
    sequence: Number.MAX_SAFE_INTEGER,
    at: call.ended ?? call.updated,
  }
  switch (status) {
    case 'completed':
      return { ...stamp, status, duration_seconds: call.duration }
    case 'busy':
    case 'no_answer':
    case 'canceled':
      return { ...stamp, status }
    case 'failed':
      return { ...stamp, status, reason: failedReason() }
    default:
      return null
  }
}
