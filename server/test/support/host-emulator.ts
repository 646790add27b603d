import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../src/core/clock.ts'
import { calleeOf } from '../../src/providers/sandbox/callee.ts'
import { personaNamed } from '../../src/providers/sandbox/personas.ts'

/** What becomes of a number's call: who picks up, and what goes wrong at the host. */
export interface HostBehaviour {
  pickup: 'answers' | 'machine' | 'busy' | 'no-answer' | 'failed'
  /** Of `answers`: a persona of the sandbox. */
  persona?: string
  /** The answer to the request for the call: an HTTP status; the calls are placed with `… then 500` and `… never answered`. */
  create?: 400 | 401 | 429 | 500 | 'no concurrency' | 'placed, then 500' | 'placed, never answered'
  /** How often the request fails like that before it succeeds. */
  times?: number
  /** Callbacks: all lost, or only those of the end; each told twice; in the wrong order. */
  callbacks?: 'lost' | 'last lost' | 'doubled' | 'reversed'
  /** The agent talks on, whatever the contact says. */
  deaf?: boolean
  /** The vendor's own word for how it ended, whatever happened. */
  reason?: string
  /** What the vendor's own analysis finds. */
  finds?: Record<string, unknown>
}

export type How = 'user' | 'agent' | 'stopped' | 'transfer' | 'voicemail' | 'silence' | 'too long'

export interface HostedCall {
  id: string
  to: string
  from: string
  /** The request, as it came. */
  request: any
  state: 'ringing' | 'talking' | 'ended'
  created: Date
  answered: Date | null
  ended: Date | null
  /** How it ended: of the call, or of the attempt to ring. */
  how: How | 'busy' | 'no-answer' | 'failed' | null
  turns: { agent: boolean; text: string; at: number }[]
  transferredTo: string | null
  /** The vendor has read the conversation. */
  read: boolean
  behaviour: HostBehaviour
}

export type Moment = 'queued' | 'ringing' | 'answered' | 'turn' | 'transferring' | 'bridged' | 'ended' | 'read'

export interface Callback {
  url: string
  headers: Record<string, string>
  body: string
}

/** What the request for a call says, in whichever vendor's words. */
export interface Wanted {
  to: string
  from: string
  opening: string
  voicemail: string | null
  transferNumber: string | null
  maxSeconds: number
  ringSeconds: number
}

export interface Vendor {
  key: string
  prefix: string
  isCreate(method: string, path: string): boolean
  wanted(body: any): Wanted
  resource(call: HostedCall): object
  /** The body of a refusal. */
  refusal(status: number, why: string): object
  /** Everything else that is asked; `undefined` is a 404. */
  answer(ask: Ask): { status: number; body?: object } | undefined
  /** What is called back at a moment; nothing where the vendor says nothing then. */
  callback(call: HostedCall, moment: Moment): Promise<Callback | null> | Callback | null
}

export interface Ask {
  method: string
  path: string
  query: URLSearchParams
  body: any
  /** As the client addressed us. */
  base: string
  calls: HostedCall[]
  hangUp(call: HostedCall): void
}

export interface HostEmulator {
  url: string
  calls: HostedCall[]
  /** Requests for calls by number, refused ones included. */
  asked: Map<string, number>
  /** Callbacks that were answered with a failure. */
  refused: string[]
  mostLive(): number
  close(): Promise<void>
}

const WORD_MS = 364
/** Real milliseconds after which our client gives up waiting, and more. */
const NEVER_MS = 11_000

/** The vendor's model, which talks as models do. */
const OFFER =
  'Thank you. I am calling about your matter with the firm. Would you like someone at the firm to follow up with you on this?'
const GOODBYE = 'Thank you for your time. Goodbye.'
const DEAF = Array.from(
  { length: 60 },
  () => 'I hear you, but let me tell you more about what the firm can do for you.',
)
const FAREWELL = "I'm taking you off our calling list now, and the firm will not call you again. Goodbye."

export async function startHost(
  clock: Clock,
  behaviour: (to: string) => HostBehaviour,
  vendor: Vendor,
): Promise<HostEmulator> {
  const calls: HostedCall[] = []
  const asked = new Map<string, number>()
  const refused: string[] = []
  const lives = new Map<HostedCall, AbortController>()
  let live = 0
  let mostLive = 0
  let closing = false
  let made = 0

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => send(response, 500, vendor.refusal(500, String(error))))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const url = new URL(request.url!, base)
    const method = request.method!
    const body = text === '' ? undefined : JSON.parse(text)
    if (!url.pathname.endsWith('/control') && request.headers.authorization !== `Bearer ${vendor.key}`)
      return send(response, 401, vendor.refusal(401, 'Invalid key'))
    if (vendor.isCreate(method, url.pathname)) return create(body, response)
    const hangUp = (call: HostedCall) => lives.get(call)?.abort()
    const answer = vendor.answer({ method, path: url.pathname, query: url.searchParams, body, base, calls, hangUp })
    send(response, answer?.status ?? 404, answer ? answer.body : vendor.refusal(404, 'Not found'))
  }

  function create(request: unknown, response: ServerResponse): void {
    const wanted = vendor.wanted(request)
    const how = behaviour(wanted.to)
    const tries = (asked.get(wanted.to) ?? 0) + 1
    asked.set(wanted.to, tries)
    const fails = how.create !== undefined && tries <= (how.times ?? 1)
    if (fails && (typeof how.create === 'number' || how.create === 'no concurrency')) {
      const [status, why] = how.create === 'no concurrency' ? [400, 'Over the concurrency limit'] : [how.create, 'No']
      send(response, status, vendor.refusal(status, why))
      return
    }
    const call: HostedCall = {
      id: `${vendor.prefix}${String(++made).padStart(6, '0')}`,
      to: wanted.to,
      from: wanted.from,
      request,
      state: 'ringing',
      created: clock.now(),
      answered: null,
      ended: null,
      how: null,
      turns: [],
      transferredTo: null,
      read: false,
      behaviour: how,
    }
    calls.push(call)
    mostLive = Math.max(mostLive, ++live)
    void liveThrough(call, wanted)
    if (!fails) send(response, 201, vendor.resource(call))
    else if (how.create === 'placed, then 500') send(response, 500, vendor.refusal(500, 'Oops'))
    else setTimeout(() => response.destroy(), NEVER_MS).unref()
  }

  async function liveThrough(call: HostedCall, wanted: Wanted): Promise<void> {
    const gone = new AbortController()
    lives.set(call, gone)
    const { pickup, callbacks } = call.behaviour
    const kept: Callback[] = []

    async function tell(moment: Moment): Promise<void> {
      const callback = await vendor.callback(call, moment)
      const last = moment === 'ended' || moment === 'read'
      if (!callback || closing || callbacks === 'lost' || (callbacks === 'last lost' && last)) return
      if (callbacks === 'reversed') {
        kept.push(callback)
        if (moment === 'read') for (const each of kept.reverse()) await post(each)
        return
      }
      await post(callback)
      if (callbacks === 'doubled') void post(callback)
    }

    async function end(how: NonNullable<HostedCall['how']>): Promise<void> {
      call.state = 'ended'
      call.ended = clock.now()
      call.how = how
      live--
      await tell('ended')
      await clock.sleep(3000)
      call.read = true
      await tell('read')
    }

    await tell('queued')
    await clock.sleep(1500, gone.signal)
    await tell('ringing')
    if (pickup === 'busy' || pickup === 'failed') return end(pickup)
    await clock.sleep(pickup === 'no-answer' ? wanted.ringSeconds * 1000 : 5000, gone.signal)
    if (gone.signal.aborted) return end('stopped')
    if (pickup === 'no-answer') return end('no-answer')
    call.state = 'talking'
    call.answered = clock.now()
    await tell('answered')
    await end(await converse(call, wanted, gone.signal, tell))
  }

  async function converse(
    call: HostedCall,
    wanted: Wanted,
    gone: AbortSignal,
    tell: (moment: Moment) => Promise<void>,
  ): Promise<How> {
    const { pickup, persona = 'converted', deaf } = call.behaviour
    const machine = pickup === 'machine'
    const callee = calleeOf(personaNamed(machine ? 'voicemail' : persona), call.to)
    const at = () => (clock.now().getTime() - call.answered!.getTime()) / 1000

    async function speak(agent: boolean, text: string): Promise<void> {
      call.turns.push({ agent, text, at: at() })
      await clock.sleep(text.split(' ').length * WORD_MS, gone)
      if (!gone.aborted) await tell('turn')
    }

    const lines = [wanted.opening, OFFER, ...(deaf ? DEAF : []), GOODBYE]
    for (let next = lines.shift(); next; next = lines.shift()) {
      await speak(true, next)
      if (gone.aborted) return 'stopped'
      if (at() > wanted.maxSeconds) return 'too long'
      if (next === FAREWELL || lines.length === 0) return 'agent'
      for (const event of callee.hear(next)) {
        if (event.type === 'ended') return 'user'
        if (event.type === 'silence') return 'silence'
        if (event.type === 'machine' || (machine && event.type === 'said')) {
          if (wanted.voicemail) await speak(true, wanted.voicemail)
          return 'voicemail'
        }
        if (event.type !== 'said') continue
        await speak(false, event.text)
        if (gone.aborted) return 'stopped'
        if (deaf) continue
        if (/\blist\b|\bstop\b|don't (?:call|want)|\bremove\b/i.test(event.text)) lines.unshift(FAREWELL)
        else if (/real person|somebody at the office|put me through/i.test(event.text) && wanted.transferNumber) {
          call.transferredTo = wanted.transferNumber
          await tell('transferring')
          await clock.sleep(4000, gone)
          await tell('bridged')
          return 'transfer'
        }
      }
    }
    return 'agent'
  }

  async function post({ url, headers, body }: Callback): Promise<void> {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    const answer = await fetch(url, sent).catch(() => undefined)
    if (answer && !answer.ok) refused.push(`${answer.status} ${body.slice(0, 120)}`)
  }

  return {
    url: base,
    calls,
    asked,
    refused,
    mostLive: () => mostLive,
    async close() {
      closing = true
      server.closeAllConnections()
      server.close()
    },
  }
}

function send(response: ServerResponse, status: number, body?: object): void {
  if (response.headersSent) return
  if (status === 204 || !body) response.writeHead(status).end()
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
