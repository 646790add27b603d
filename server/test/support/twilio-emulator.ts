import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import twilio from 'twilio'
import { WebSocket } from 'ws'
import type { Clock } from '../../src/core/clock.ts'
import { calleeOf } from '../../src/providers/sandbox/callee.ts'
import { personaNamed } from '../../src/providers/sandbox/personas.ts'
import type { CallerEvent } from '../../src/providers/voice.ts'

export const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`
export const AUTH_TOKEN = 'the-secret-of-the-emulated-account'

/** What becomes of a number's call: who picks up, and what goes wrong at the carrier. */
export interface Behaviour {
  pickup: 'answers' | 'machine' | 'busy' | 'no-answer' | 'failed'
  /** Of `machine`: its greeting is not understood, and machine detection alone tells. */
  wordless?: boolean
  /** Of `answers`: a persona of the sandbox. */
  persona?: string
  /** What they say to an agent's turn (from 0), in place of the persona. */
  says?: Record<number, string>
  /** The answer to the request for the call: a number is an HTTP status; the calls are placed with `500 after` and `never`. */
  create?: 429 | 500 | 400 | 401 | 'placed, then 500' | 'placed, never answered'
  /** How often the request fails like that before it succeeds. */
  times?: number
  /** Status callbacks: all lost, or only the last one; each told twice; in the wrong order. */
  callbacks?: 'lost' | 'last lost' | 'doubled' | 'reversed'
  /** The relay's socket goes while the agent's second turn is spoken: it breaks, or is closed as if nothing were wrong. */
  cut?: 'breaks' | 'closes'
  /** How the relay's socket is closed when the contact hangs up: 1005 names no reason, 1006 is none at all. */
  closes?: 1000 | 1005 | 1006 | 'never'
  /** A socket that our side lets go of ends nothing: the carrier asks nobody, and the call goes on in silence. */
  deaf?: true
  /** They hang up before the relay is connected. */
  gone?: boolean
  /** Who picks up where the contact is put through. */
  colleague?: 'takes it' | 'refuses' | 'no-answer'
}

export interface EmulatedCall {
  sid: string
  to: string
  from: string
  status: string
  duration: number
  created: Date
  ended: Date | null
  form: Record<string, string | undefined>
  heard: string[]
  /** Said by the carrier, as the TwiML had it. */
  told: string[]
  /** Said to whoever picked up at the other end of a transfer. */
  whispers: string[]
  sockets: number
  /** By a request of ours. */
  hungUp: boolean
  recordings: { sid: string; afterWords: number; stopped?: true }[]
  legs: string[]
}

export type Mishap =
  | `answered ${number}`
  | 'placed, then 500'
  | 'placed, never answered'
  | 'callback lost'
  | 'callback doubled'
  | 'callback overtaken'
  | 'socket broke'
  | 'socket closed'

const WORD_MS = 364
/** Real milliseconds after which our client gives up waiting, and more. */
const NEVER_MS = 11_000

export interface Emulator {
  url: string
  calls: EmulatedCall[]
  /** Requests for calls by number, refused ones included. */
  asked: Map<string, number>
  mostLive(): number
  /** When each request for a call came, in real milliseconds. */
  requests: number[]
  /** How often each thing has gone wrong at the carrier. */
  mishaps: Map<Mishap, number>
  close(): Promise<void>
}

/** What one carrier of this kind does in another way than the next. */
export interface Dialect {
  account: string
  newSid(): string
  /** What a request asks for; null where it does not prove who asks, or asks for nothing that there is. */
  read(request: IncomingMessage, body: string): Asked | null
  error(status: number): object
  resource(call: EmulatedCall): object
  /** Headers that prove a callback, or the upgrade of a socket, where the carrier proves that. */
  sign(url: string, body: string): Record<string, string>
  signUpgrade(url: string): Record<string, string>
  /** What is told of the end of a session. */
  session(end: Record<string, string>): Record<string, string>
  /** Milliseconds for which a new call is not found by those who look it up. */
  lagMs: number
  /** Whether frames tell who speaks. */
  tellsSpeakers: boolean
}

export type Asked =
  | { what: 'create'; form: Record<string, string> }
  | { what: 'list'; form: Record<string, string> }
  | { what: 'fetch' | 'update' | 'record' | 'recordings'; sid: string }
  | { what: 'stop recording'; sid: string; recording?: string }

export const twilioDialect: Dialect = {
  account: ACCOUNT,
  newSid: () => `CA${randomBytes(16).toString('hex')}`,
  read({ method, url, headers }, body) {
    const { pathname, searchParams } = new URL(url!, 'http://localhost')
    if (headers.authorization !== `Basic ${Buffer.from(`${ACCOUNT}:${AUTH_TOKEN}`).toString('base64')}`) return null
    const form = Object.fromEntries(method === 'POST' ? new URLSearchParams(body) : searchParams)
    const base = `/2010-04-01/Accounts/${ACCOUNT}/Calls`
    if (pathname === `${base}.json`) return { what: method === 'POST' ? 'create' : 'list', form }
    const [, sid, sub] = new RegExp(`^${base}/(CA\\w+)(/Recordings(?:/Twilio.CURRENT)?)?\\.json$`).exec(pathname) ?? []
    if (!sid) return null
    if (sub) return { what: sub === '/Recordings' ? 'record' : 'stop recording', sid }
    return { what: method === 'POST' && form.Status === 'completed' ? 'update' : 'fetch', sid }
  },
  error: (status) => ({ code: CODES[status], message: 'No', status }),
  resource: (call) => ({
    sid: call.sid,
    account_sid: ACCOUNT,
    to: call.to,
    from: call.from,
    status: call.status,
    duration: call.ended ? String(call.duration) : null,
    date_created: call.created.toUTCString(),
    date_updated: (call.ended ?? call.created).toUTCString(),
    start_time: null,
    end_time: call.ended?.toUTCString() ?? null,
    direction: 'outbound-api',
    answered_by: null,
  }),
  sign: (url, body) => ({
    'x-twilio-signature': twilio.getExpectedTwilioSignature(
      AUTH_TOKEN,
      url,
      Object.fromEntries(new URLSearchParams(body)),
    ),
  }),
  signUpgrade: (url) => ({ 'x-twilio-signature': twilio.getExpectedTwilioSignature(AUTH_TOKEN, url, {}) }),
  session: (end) => end,
  lagMs: 0,
  tellsSpeakers: true,
}

/**
 * A carrier that speaks Twilio's REST interface, its callbacks (signed by Twilio's own code) and the frames of
 * ConversationRelay, as far as calls need them; or another one's, in its dialect. Times are the clock's.
 */
export async function startTwilio(
  clock: Clock,
  behaviour: (to: string) => Behaviour,
  dialect: Dialect = twilioDialect,
): Promise<Emulator> {
  const calls: EmulatedCall[] = []
  const asked = new Map<string, number>()
  const requests: number[] = []
  const mishaps: Emulator['mishaps'] = new Map()
  const happened = (mishap: Mishap) => mishaps.set(mishap, (mishaps.get(mishap) ?? 0) + 1)
  let live = 0
  let mostLive = 0
  let closing = false

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) answer(response, 500, { message: String(error) })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wanted = dialect.read(request, await text(request))
    if (!wanted) return answer(response, 401, dialect.error(401))
    if (wanted.what === 'create') return create(wanted.form, response)
    if (wanted.what === 'list') return list(wanted.form, response)
    const call = calls.find((each) => each.sid === wanted.sid)
    if (!call) return answer(response, 404, dialect.error(404))
    if (wanted.what === 'fetch' && !isSeen(call)) return answer(response, 404, dialect.error(404))
    const current = call.recordings.findLast(({ stopped }) => !stopped)
    switch (wanted.what) {
      case 'record': {
        const sid = `RE${randomBytes(16).toString('hex')}`
        call.recordings.push({ sid, afterWords: call.heard.length })
        return answer(response, 201, { sid, call_sid: call.sid })
      }
      case 'recordings':
        return answer(response, 200, {
          recordings: call.recordings.map(({ sid, stopped }) => ({
            sid,
            status: stopped ? 'completed' : 'in-progress',
          })),
        })
      case 'stop recording':
        if (!current || (wanted.recording && current.sid !== wanted.recording))
          return answer(response, 404, dialect.error(404))
        current.stopped = true
        return answer(response, 200, { call_sid: call.sid, status: 'stopped' })
      case 'update':
        call.hungUp = true
        lives.get(call)?.hangUp()
    }
    answer(response, 200, dialect.resource(call))
  }

  const isSeen = ({ created }: EmulatedCall) => clock.now().getTime() - created.getTime() >= dialect.lagMs
  const lives = new WeakMap<EmulatedCall, { hangUp(): void }>()

  function create(form: Record<string, string>, response: ServerResponse): void {
    const to = form.To!
    const how = behaviour(to)
    requests.push(performance.now())
    const tries = (asked.get(to) ?? 0) + 1
    asked.set(to, tries)
    const fails = how.create !== undefined && tries <= (how.times ?? 1)
    if (fails) happened(typeof how.create === 'number' ? `answered ${how.create}` : how.create!)
    if (fails && typeof how.create === 'number') {
      answer(response, how.create, dialect.error(how.create))
      return
    }
    const call: EmulatedCall = {
      sid: dialect.newSid(),
      to,
      from: form.From!,
      status: 'queued',
      duration: 0,
      created: clock.now(),
      ended: null,
      form,
      heard: [],
      told: [],
      whispers: [],
      sockets: 0,
      hungUp: false,
      recordings: [],
      legs: [],
    }
    calls.push(call)
    mostLive = Math.max(mostLive, ++live)
    void liveThrough(call, how).finally(() => live--)
    if (!fails) answer(response, 201, dialect.resource(call))
    else if (how.create === 'placed, then 500') answer(response, 500, dialect.error(500))
    else setTimeout(() => response.destroy(), NEVER_MS).unref()
  }

  function list({ To, From }: Record<string, string>, response: ServerResponse): void {
    const found = calls
      .filter((call) => isSeen(call) && (!To || call.to === To) && (!From || call.from === From))
      .reverse()
    answer(response, 200, { calls: found.map(dialect.resource), next_page_uri: null, page: 0, page_size: 50 })
  }

  async function liveThrough(call: EmulatedCall, how: Behaviour): Promise<void> {
    const gone = new AbortController()
    lives.set(call, { hangUp: () => gone.abort() })
    const events: Record<string, string>[] = []
    let sequence = 0
    async function tell(status: string, extra: Record<string, string> = {}): Promise<void> {
      call.status = status === 'initiated' ? 'queued' : status
      const at = clock.now().toUTCString()
      const event = {
        CallStatus: status,
        SequenceNumber: String(sequence++),
        Timestamp: at,
        CallbackSource: 'call-progress-events',
        ...extra,
      }
      const last = FINAL.has(status)
      events.push(event)
      if (how.callbacks === 'lost' || (how.callbacks === 'last lost' && last)) return void happened('callback lost')
      if (how.callbacks === 'reversed') {
        // The last comes first, the others after it.
        if (!last) happened('callback overtaken')
        if (last) for (const each of events.reverse()) await post(call, call.form.StatusCallback!, each)
        return
      }
      await post(call, call.form.StatusCallback!, event)
      if (how.callbacks !== 'doubled') return
      happened('callback doubled')
      void post(call, call.form.StatusCallback!, event)
    }
    const end = async (status: string, extra: Record<string, string> = {}) => {
      call.ended = clock.now()
      await tell(status, { CallDuration: String(call.duration), ...extra })
    }

    await tell('initiated')
    await clock.sleep(1500, gone.signal)
    await tell('ringing')
    if (how.pickup === 'busy') return end('busy')
    if (how.pickup === 'failed') return end('failed', { SipResponseCode: '404' })
    const ringing = how.pickup === 'no-answer' ? Number(call.form.Timeout) * 1000 : 5000
    await clock.sleep(ringing, gone.signal)
    if (gone.signal.aborted) return end('canceled')
    if (how.pickup === 'no-answer') return end('no-answer')
    const answered = clock.now().getTime()
    void tell('in-progress')
    if (!how.gone) await follow(call, how, call.form.Twiml!, gone.signal)
    call.duration = Math.max(1, Math.round((clock.now().getTime() - answered) / 1000))
    await end('completed')
  }

  /** What the TwiML says, and then what the answer to its action says. */
  async function follow(call: EmulatedCall, how: Behaviour, twiml: string, gone: AbortSignal): Promise<void> {
    for (let next: string | undefined = twiml; next && !gone.aborted && !closing; ) {
      const [, told] = /<Say[^>]*>([^<]+)</.exec(next) ?? []
      if (told) {
        call.told.push(unescaped(told))
        await clock.sleep(told.split(' ').length * WORD_MS, gone)
      }
      const relay: Record<string, string> | undefined = attributes(next, 'ConversationRelay')
      if (relay) {
        const session: Record<string, string> = await converse(call, how, relay.url!, parameters(next), gone)
        next = await post(call, attributes(next, 'Connect')!.action!, {
          CallStatus: gone.aborted ? 'completed' : 'in-progress',
          ...dialect.session(session),
        })
        if (session.SessionStatus === 'completed') return
        continue
      }
      const number: Record<string, string> | undefined = attributes(next, 'Number')
      if (!number) return
      const status = await dial(call, how, number, /<Number[^>]*>([^<]+)</.exec(next)![1]!)
      next = await post(call, attributes(next, 'Dial')!.action!, { DialCallStatus: status, CallStatus: 'in-progress' })
    }
  }

  async function dial(call: EmulatedCall, how: Behaviour, number: Record<string, string>, to: string): Promise<string> {
    call.legs.push(to)
    await clock.sleep(4000)
    if (how.colleague === 'no-answer') return 'no-answer'
    const leg = {
      CallSid: `CA${randomBytes(16).toString('hex')}`,
      ParentCallSid: call.sid,
      CallStatus: 'in-progress',
      To: to,
    }
    await post(call, number.statusCallback!, leg)
    if (number.url) {
      const whisper = await post(call, number.url, leg)
      call.whispers.push(/<Say[^>]*>([^<]+)</.exec(whisper!)![1]!)
      const accepts = how.colleague !== 'refuses'
      if (!accepts) return 'completed'
      await post(call, attributes(whisper!, 'Gather')!.action!, { ...leg, Digits: '1' })
    }
    await clock.sleep(20_000)
    return 'completed'
  }

  /** One session; answers what its end is told with. */
  async function converse(
    call: EmulatedCall,
    how: Behaviour,
    url: string,
    customParameters: Record<string, string>,
    gone: AbortSignal,
  ): Promise<Record<string, string>> {
    const machine = how.pickup === 'machine'
    const callee = calleeOf(personaNamed(machine ? 'voicemail' : (how.persona ?? 'converted')), call.to)
    const socket = new WebSocket(url, { headers: dialect.signUpgrade(url) })
    const opened = await once(socket, 'open').catch(() => null)
    socket.on('error', () => {})
    if (!opened) return { SessionStatus: 'failed', ErrorCode: '64102' }
    call.sockets++
    const over = Promise.withResolvers<Record<string, string>>()
    const speaking = (name: string, value: string) => dialect.tellsSpeakers && send({ type: 'info', name, value })
    const send = (frame: object) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(frame))
    const say = (voicePrompt: string) => send({ type: 'prompt', voicePrompt, lang: 'en-US', last: true })
    let words = ''
    let turns = 0
    let reactions = 0
    let spoken = Promise.resolve()
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as { type: string; token: string; last: boolean; handoffData: string }
      if (frame.type === 'end') {
        over.resolve({ SessionStatus: 'ended', HandoffData: frame.handoffData })
        return socket.close(1000)
      }
      if (frame.type !== 'text') return
      words += frame.token
      if (!frame.last) return
      const said = words
      words = ''
      call.heard.push(said)
      turns++
      spoken = spoken.then(() => (how.cut && turns === 2 ? cutOff(said, how.cut) : react(said)))
    })

    async function cutOff(said: string, cut: 'breaks' | 'closes'): Promise<void> {
      await clock.sleep((said.split(' ').length / 2) * WORD_MS)
      happened(cut === 'breaks' ? 'socket broke' : 'socket closed')
      over.resolve({ SessionStatus: 'failed', ErrorCode: '64105' })
      if (cut === 'breaks') socket.terminate()
      else socket.close(1000)
    }

    async function react(said: string): Promise<void> {
      await clock.sleep(said.split(' ').length * WORD_MS)
      if (socket.readyState !== socket.OPEN) return
      speaking('agentSpeaking', 'off')
      const instead = how.says?.[reactions++]
      const events: CallerEvent[] = instead ? [{ type: 'said', text: instead }] : callee.hear(said)
      for (const event of events) await does(event)
    }
    async function does(event: CallerEvent): Promise<void> {
      switch (event.type) {
        case 'said':
          if (how.wordless) {
            await does({ type: 'machine' })
            return void clock.sleep(8000).then(() => react(''))
          }
          speaking('clientSpeaking', 'on')
          await clock.sleep(700 + event.text.split(' ').length * WORD_MS)
          speaking('clientSpeaking', 'off')
          return void say(event.text)
        case 'interrupted':
          return void send({
            type: 'interrupt',
            utteranceUntilInterrupt: event.heard,
            durationUntilInterruptMs: '2000',
          })
        case 'machine':
          return void post(call, call.form.AsyncAmdStatusCallback!, {
            AnsweredBy: call.form.MachineDetection === 'Enable' ? 'machine_start' : 'machine_end_beep',
            MachineDetectionDuration: '3200',
          })
        case 'ended':
          return bye()
      }
    }
    function bye(): void {
      over.resolve({ SessionStatus: 'completed' })
      if (how.closes === 'never') return
      if (how.closes === 1006) socket.terminate()
      else if (how.closes === 1005) socket.close()
      else socket.close(1000)
    }

    gone.addEventListener('abort', bye)
    socket.on('close', (code) => how.deaf || over.resolve({ SessionStatus: code === 1000 ? 'ended' : 'failed' }))
    send({
      type: 'setup',
      sessionId: `VX${call.sid.slice(2)}`,
      accountSid: dialect.account,
      callSid: call.sid,
      from: call.from,
      to: call.to,
      direction: 'outbound-api',
      callStatus: 'in-progress',
      customParameters,
    })
    const session = await over.promise
    return { SessionId: `VX${call.sid.slice(2)}`, ...session }
  }

  /** A callback as Twilio sends it. Answers the TwiML, if any. */
  async function post(call: EmulatedCall, url: string, fields: Record<string, string>): Promise<string | undefined> {
    const form = {
      CallSid: call.sid,
      AccountSid: dialect.account,
      From: call.from,
      To: call.to,
      ApiVersion: '2010-04-01',
      Direction: 'outbound-api',
      ...fields,
    }
    const body = new URLSearchParams(form).toString()
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        ...dialect.sign(url, body),
      },
      body,
    }).catch(() => undefined)
    return answer?.ok ? await answer.text() : undefined
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    asked,
    requests,
    mishaps,
    mostLive: () => mostLive,
    async close() {
      closing = true
      server.closeAllConnections()
      server.close()
    },
  }
}

const CODES: Record<number, number> = { 429: 20429, 500: 20500, 400: 21211, 401: 20003, 404: 20404 }
export const FINAL = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled'])

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

function attributes(twiml: string, element: string): Record<string, string> | undefined {
  const [, text] = new RegExp(`<${element}\\b([^>]*?)/?>`).exec(twiml) ?? []
  if (text === undefined) return undefined
  return Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, unescaped(value!)]))
}

const parameters = (twiml: string): Record<string, string> =>
  Object.fromEntries(
    [...twiml.matchAll(/<Parameter name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      unescaped(value!),
    ]),
  )
