import sql from 'sql-template-tag'
import twilio from 'twilio'
import type { CallInstance } from 'twilio/lib/rest/api/v2010/account/call.js'
import { type Clock, pause } from '../../core/clock.ts'
import type { Database } from '../../core/db.ts'
import {
  assertInTime,
  type CallStatusEvent,
  type CarrierCall,
  type SoughtCall,
  type VoiceEvents,
  type VoiceProvider,
} from '../voice.ts'
import { type TwilioAccount, twilioClient } from './account.ts'
import { failedReason, placingFailure } from './refusals.ts'
import { relayConversations } from './relay.ts'
import { addCallRoutes } from './routes.ts'
import { callAddresses, relayTwiml } from './twiml.ts'

/** When a call whose placing was not answered is looked for: real milliseconds. It may come into being a moment later. */
const LOOK_AFTER_MS = [500, 2000, 5000]

/** Its clock and ours may differ by so much. */
const SKEW_MS = 60_000

/** Calls through Twilio, or whatever speaks its interface at `apiBase`; conversations through ConversationRelay. */
export function twilioCarrier(db: Database, clock: Clock, account: TwilioAccount): VoiceProvider {
  const client = twilioClient(account)
  const started = Promise.withResolvers<VoiceEvents>()
  const stopping = new AbortController()
  const relays = relayConversations({ clock, events: started.promise, startRecording, stopRecording })

  async function startRecording(callSid: string): Promise<void> {
    if (account.records) await client.calls(callSid).recordings.create({ recordingChannels: 'dual' })
  }

  async function stopRecording(callSid: string): Promise<void> {
    // Missing: none was begun.
    await client.calls(callSid).recordings('Twilio.CURRENT').update({ status: 'stopped' }).catch(ifMissing)
  }

  /** Twilio does not know our ids: a call is found by its own, or by whom it rings, from where, and since when. */
  async function find(call: SoughtCall): Promise<CallInstance | null> {
    const sid = call.provider_call_id ?? (await noted(call))
    if (sid) return await client.calls(sid).fetch().catch(ifMissing)
    if (!call.to) return null
    const listed = await client.calls.list({ to: call.to, from: call.from ?? account.from, limit: 50 })
    const since = (call.since ?? clock.now()).getTime() - SKEW_MS
    const recent = listed.filter(({ dateCreated }) => dateCreated && dateCreated.getTime() >= since)
    const others = await db.many<{ sid: string }>(sql`
      select provider_call_id as sid from calls where provider_call_id = any(${recent.map((each) => each.sid)}::text[])`)
    return recent.filter(({ sid }) => !others.some((other) => other.sid === sid)).at(-1) ?? null
  }

  /** A callback may have told since. */
  async function noted({ company_id, call_id }: SoughtCall): Promise<string | null> {
    const row = await db.maybe<{ provider_call_id: string | null }>(sql`
      select provider_call_id from calls where company_id = ${company_id} and id = ${call_id}`)
    return row?.provider_call_id ?? null
  }

  async function lookup(call: SoughtCall): Promise<CarrierCall | null> {
    const found = await find(call)
    return found && known(found)
  }

  return {
    name: 'twilio',
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
      const at = callAddresses(account.publicUrl, call)
      assertInTime(call)
      try {
        const placed = await client.calls.create({
          to,
          from: from ?? account.from,
          twiml: relayTwiml(at, agent.voice_id, max_seconds),
          timeout: ring_seconds,
          timeLimit: max_seconds,
          statusCallback: at.status,
          statusCallbackMethod: 'POST',
          statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
          // Who leaves a message must know when the greeting is over.
          machineDetection: agent.voicemail_action === 'message' ? 'DetectMessageEnd' : 'Enable',
          asyncAmd: 'true',
          asyncAmdStatusCallback: at.machine,
          asyncAmdStatusCallbackMethod: 'POST',
        })
        return { provider_call_id: placed.sid }
      } catch (error) {
        throw placingFailure(error)
      }
    },
    lookup,
    async resume(call) {
      let found = await find(call)
      const waits = call.provider_call_id ? [] : LOOK_AFTER_MS
      for (const wait of waits) {
        if (found || stopping.signal.aborted) break
        await pause(wait, stopping.signal)
        found = await find(call)
      }
      if (!found) return null
      const event = statusOf(call, found)
      if (event) await (await started.promise).status(event)
      return known(found)
    },
    async hangUp(call) {
      const found = await find(call)
      if (found) await client.calls(found.sid).update({ status: 'completed' }).catch(ifMissing)
    },
    putDown: relays.putDown,
    async stop() {
      stopping.abort()
      await relays.stop()
    },
  }
}

function ifMissing(error: unknown): null {
  if (error instanceof twilio.RestException && error.status === 404) return null
  throw error
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

function known(call: CallInstance): CarrierCall {
  const status = STATUS[call.status] ?? 'ringing'
  return {
    provider_call_id: call.sid,
    status,
    ...(status === 'failed' ? { reason: failedReason(undefined) } : {}),
    placed_at: call.dateCreated,
    answered_at: call.startTime ?? null,
    ended_at: call.endTime ?? null,
  }
}

/** What a look-up tells of a call that is over, as the callback would have told it. */
function statusOf({ company_id, call_id }: SoughtCall, call: CallInstance): CallStatusEvent | null {
  const status = STATUS[call.status]
  const stamp = {
    company_id,
    call_id,
    provider_call_id: call.sid,
    sequence: Number.MAX_SAFE_INTEGER,
    at: call.endTime ?? call.dateUpdated,
  }
  switch (status) {
    case 'completed':
      return { ...stamp, status, duration_seconds: Number(call.duration) || 0 }
    case 'busy':
    case 'no_answer':
    case 'canceled':
      return { ...stamp, status }
    case 'failed':
      return { ...stamp, status, reason: failedReason(undefined) }
    default:
      return null
  }
}
