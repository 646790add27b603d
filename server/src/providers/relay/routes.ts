import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import sql from 'sql-template-tag'
import { type Clock, pause } from '../../core/clock.ts'
import type { Database } from '../../core/db.ts'
import type { CallRef, CallStatusEvent, LineEnd, TransferEvent, VoiceEvents } from '../voice.ts'
import type { RelayAccount } from './account.ts'
import { failedReason } from './failed-reason.ts'
import type { HandOff } from './line.ts'
import type { RelayConversations } from './sessions.ts'
import { addSignedRoutes } from './signed-routes.ts'
import { callAddresses, emptyTwiml, hangupTwiml, relayTwiml, sorryTwiml, transferTwiml, whisperTwiml } from './twiml.ts'

interface RouteOptions {
  account: RelayAccount
  clock: Clock
  db: Database
  events: Promise<VoiceEvents>
  relays: RelayConversations
}

type Form = Record<string, string | undefined>

/** Real milliseconds between two looks at what became of a conversation. */
const LOOK_MS = 200

/** A frame is a sentence or two. */
const LARGEST_FRAME = 64 * 1024

/** Everything that the carrier calls while a call goes on. Whichever process it reaches can answer. */
export function addCallRoutes(app: FastifyInstance, { account, clock, db, events, relays }: RouteOptions): void {
  const base = `/providers/${account.name}`
  const addresses = ({ ref }: About, round: number) => callAddresses(account, ref, round)
  addSignedRoutes(app, account.isSigned, async (routes) => {
    // Conversations are put down before the door closes; it does not hang up on them.
    await routes.register(websocket, { options: { maxPayload: LARGEST_FRAME }, preClose: (done) => done() })

    routes.get(`${base}/relay/:company/:call/:round/:seal?`, { websocket: true }, (socket, request) => {
      const { company, call, round } = request.params as Form
      relays.connect(socket, { company_id: Number(company), call_id: Number(call), round: Number(round) }, request.log)
    })

    const add = (route: string, answer: (about: About) => Promise<string | undefined>) =>
      routes.post(`${base}/${route}`, async (request, reply) => {
        const twiml = await answer(aboutOf(request))
        return twiml === undefined ? reply.code(204).send() : reply.type('text/xml').send(twiml)
      })

    add('status', async (about) => {
      const event = statusEvent(about, clock)
      if (event) await (await events).status(event)
      return undefined
    })

    add('machine', async ({ ref, form }) => {
      if (/^(?:machine|fax)/.test(form.AnsweredBy ?? '')) await (await events).machine(ref)
      return undefined
    })

    /** The conversation is over: what comes next? */
    add('relay-ended', async (about) => {
      const { ref, form, round } = about
      relays.asked(ref)
      const end = lineEnd(form)
      if (end) await (await events).lineEnded(ref, end)
      const next = handOff(form.HandoffData) ?? (end ? 'sorry' : await nextOf(ref))
      if (end === 'user_hangup' || end === 'max_duration_reached' || next === 'hangup') return hangupTwiml()
      const brief = await (await events).brief(ref)
      const number = brief.agent.transfer_number
      if (next !== 'transfer' || !number) return sorryTwiml(account, brief)
      await tell(about, 'started', number)
      return transferTwiml(addresses(about, round), brief, number, await callerOf(ref))
    })

    /** Somebody, or something, has picked up at the other end of a transfer. */
    add('leg', async (about) => {
      const { agent } = await (await events).brief(about.ref)
      const connected = about.form.CallStatus === 'in-progress' && agent.transfer_mode === 'cold'
      if (connected) await tell(about, 'bridged', agent.transfer_number!)
      return undefined
    })

    add('whisper', async (about) => {
      const brief = await (await events).brief(about.ref)
      return whisperTwiml(account, addresses(about, about.round), brief)
    })

    add('accepted', async (about) => {
      if (!about.form.Digits) return hangupTwiml()
      const { agent } = await (await events).brief(about.ref)
      await tell(about, 'bridged', agent.transfer_number!)
      return emptyTwiml()
    })

    add('dial-ended', async (about) => {
      const { ref, form, round } = about
      const { agent } = await (await events).brief(ref)
      const number = agent.transfer_number!
      const talked = form.DialCallStatus === 'completed' || form.DialCallStatus === 'answered'
      const bridged = agent.transfer_mode === 'warm' ? await wasBridged(ref) : talked
      if (!bridged) {
        await tell(about, 'cancelled', number)
        // They hung up while it rang.
        if (form.CallStatus === 'completed') return emptyTwiml()
        return relayTwiml(account, addresses(about, round + 1), agent.voice_id, null)
      }
      // The word of the other leg may have been lost.
      await tell(about, 'bridged', number)
      await tell(about, 'ended', number)
      return hangupTwiml()
    })
  })

  /** Each step has its number in the call, so that what is told twice is heard once. */
  async function tell({ ref, round, form }: About, status: TransferEvent['status'], number: string): Promise<void> {
    const sequence = round * 4 + ['started', 'bridged', 'cancelled', 'ended'].indexOf(status)
    const provider_call_id = form.ParentCallSid ?? form.CallSid ?? ''
    await (await events).transfer({ ...ref, provider_call_id, sequence, at: clock.now(), status, number })
  }

  async function wasBridged({ company_id, call_id }: CallRef): Promise<boolean> {
    const row = await db.maybe<{ transfer_bridged: boolean }>(sql`
      select transfer_bridged from calls where company_id = ${company_id} and id = ${call_id}`)
    return row?.transfer_bridged ?? false
  }

  /** A carrier that does not hand our words back: the conversation tells, which may still be on its way to its row. */
  async function nextOf({ company_id, call_id }: CallRef): Promise<HandOff> {
    for (let looks = 0; looks < 10; looks++) {
      const row = await db.maybe<{ reason: string }>(sql`
        select talk ->> 'disconnection_reason' as reason from calls
        where company_id = ${company_id} and id = ${call_id} and talk is not null`)
      if (row) return row.reason === 'call_transfer' ? 'transfer' : row.reason === 'error_unknown' ? 'sorry' : 'hangup'
      await pause(LOOK_MS)
    }
    return 'sorry'
  }

  async function callerOf({ company_id, call_id }: CallRef): Promise<string> {
    const row = await db.maybe<{ from_number: string | null }>(sql`
      select from_number from calls where company_id = ${company_id} and id = ${call_id}`)
    return row?.from_number ?? account.from
  }
}

interface About {
  ref: CallRef
  round: number
  form: Form
}

function aboutOf({ query, body }: FastifyRequest): About {
  const { company, call, round } = query as Form
  return {
    ref: { company_id: Number(company), call_id: Number(call) },
    round: Number(round ?? 0),
    form: (body ?? {}) as Form,
  }
}

/** Null where we ended the conversation. Error 64104: the carrier's own limit was reached. */
function lineEnd({ SessionStatus, ErrorCode }: Form): LineEnd | null {
  if (SessionStatus === 'completed') return 'user_hangup'
  if (SessionStatus !== 'failed') return null
  return ErrorCode === '64104' ? 'max_duration_reached' : 'error_unknown'
}

function handOff(data: string | undefined): unknown {
  try {
    return (JSON.parse(data ?? '{}') as { next?: unknown }).next
  } catch {
    return undefined
  }
}

function statusEvent({ ref, form }: About, clock: Clock): CallStatusEvent | null {
  const { CallSid, CallStatus, CallDuration, SequenceNumber, Timestamp, SipResponseCode, HangupCause } = form
  const told = new Date(Timestamp ?? '')
  const stamp = {
    ...ref,
    provider_call_id: CallSid ?? '',
    sequence: Number(SequenceNumber ?? 0),
    at: Number.isNaN(told.getTime()) ? clock.now() : told,
  }
  switch (CallStatus) {
    case 'queued':
    case 'initiated':
    case 'ringing':
      return { ...stamp, status: 'ringing' }
    case 'in-progress':
      return { ...stamp, status: 'answered', answered_by: 'unknown' }
    case 'completed':
      return { ...stamp, status: 'completed', duration_seconds: Number(CallDuration) || 0 }
    case 'busy':
      return { ...stamp, status: 'busy' }
    case 'no-answer':
      return { ...stamp, status: 'no_answer' }
    case 'canceled':
      return { ...stamp, status: 'canceled' }
    case 'failed':
      return { ...stamp, status: 'failed', reason: failedReason(SipResponseCode, HangupCause) }
    default:
      return null
  }
}
