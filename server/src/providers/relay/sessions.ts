import type { FastifyBaseLogger } from 'fastify'
import type { WebSocket } from 'ws'
import type { Clock } from '../../core/clock.ts'
import { pause } from '../../core/clock.ts'
import type { CallRef, VoiceEvents } from '../voice.ts'
import { openRelayLine, type RelayLine } from './line.ts'

/** Real milliseconds for conversations to be put down when the process stops, and for the carrier to ask what now. */
const PUT_DOWN_MS = 2500
/** A socket that the carrier leaves open after a conversation is closed by us: real milliseconds. */
const LINGERS_MS = 10_000
/** A session that says nothing of itself for so long is none: real milliseconds. */
const SETUP_MS = 10_000
/** The carrier's own limit, where the session doesn't name one. */
const LONGEST_CALL = 4 * 3600

const BROKEN = "I'm sorry, something has gone wrong on our side. We'll get back to you. Goodbye."

interface RelayOptions {
  clock: Clock
  events: Promise<VoiceEvents>
  startRecording(callSid: string): Promise<void>
  stopRecording(callSid: string): Promise<void>
}

/** `round` counts the conversations of a call. */
interface Session extends CallRef {
  round: number
}

type Log = Pick<FastifyBaseLogger, 'warn'>

export type RelayConversations = ReturnType<typeof relayConversations>

/** The sockets of this process over which conversations are held. */
export function relayConversations({ clock, events, startRecording, stopRecording }: RelayOptions) {
  const open = new Map<WebSocket, { line: RelayLine; over: Promise<void> }>()
  /** Calls whose conversation was put down and of which the carrier has not yet asked how they go on. */
  const unasked = new Map<number, PromiseWithResolvers<void>>()
  let stopping = false

  function connect(socket: WebSocket, call: Session, log: Log): void {
    const warn = (what: object, message: string) => log.warn({ ...what, call_id: call.call_id }, message)
    let line: RelayLine | undefined
    const patience = setTimeout(() => socket.close(1008), SETUP_MS)
    socket.on('message', (data) => {
      const frame = readFrame(String(data))
      if (!frame) return warn({}, 'a frame that is no JSON object')
      if (frame.type === 'error') warn({ description: frame.description }, 'the relay reports an error')
      if (line) return line.hear(frame)
      if (frame.type !== 'setup') return
      clearTimeout(patience)
      line = begin(socket, call, frame, warn)
      if (stopping) putDownNow(line)
    })
    socket.on('error', (error) => warn({ err: error }, 'a relay socket broke'))
    socket.on('close', (code) => {
      clearTimeout(patience)
      // A guess, until the carrier tells who ended the conversation. 1005: closed without a reason given.
      line?.closed(code === 1000 || code === 1001 || code === 1005)
      open.delete(socket)
    })
  }

  function begin(
    socket: WebSocket,
    { round, ...ref }: Session,
    setup: Record<string, unknown>,
    warn: (what: object, message: string) => void,
  ): RelayLine {
    const { callSid, customParameters } = setup as { callSid?: string; customParameters?: Record<string, string> }
    let starting: Promise<void> = Promise.resolve()
    const line = openRelayLine({
      ref,
      clock,
      answeredAt: clock.now(),
      maxSeconds: Number(customParameters?.max_seconds) || LONGEST_CALL,
      socket: {
        send: (frame) => {
          if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
        },
      },
      startRecording: () => {
        // A recording goes on through a transfer that failed.
        if (callSid && round === 0)
          starting = startRecording(callSid).catch((error: unknown) => warn({ err: error }, 'not recorded'))
      },
      stopRecording: async () => {
        await starting
        try {
          if (callSid) await stopRecording(callSid)
          return callSid !== undefined
        } catch (error) {
          warn({ err: error }, 'the recording could not be stopped')
          return false
        }
      },
    })
    const over = events
      .then((listener) => listener.conversation(line))
      .catch(async (error: unknown) => {
        warn({ err: error }, 'a conversation failed')
        await line.say(BROKEN)
      })
      .then(() => line.end())
      .then(() => void setTimeout(() => socket.terminate(), LINGERS_MS).unref())
    open.set(socket, { line, over })
    return line
  }

  function putDownNow(line: RelayLine): Promise<void> {
    const asked = Promise.withResolvers<void>()
    unasked.set(line.call_id, asked)
    line.putDown()
    return asked.promise
  }

  return {
    connect,
    /** The carrier asks how the call goes on, as far as this process is asked. */
    asked: ({ call_id }: CallRef) => unasked.get(call_id)?.resolve(),
    /** What was said so far is all that will be said: the contacts are told so by the carrier. */
    async putDown() {
      stopping = true
      const put = [...open.values()].map(({ line }) => putDownNow(line))
      await Promise.race([Promise.all(put), pause(PUT_DOWN_MS)])
    },
    async stop() {
      const conversations = [...open.values()]
      for (const [socket, { line }] of open) {
        line.closed(false)
        socket.close(1001)
      }
      await Promise.race([Promise.all(conversations.map(({ over }) => over)), pause(PUT_DOWN_MS)])
      for (const socket of open.keys()) socket.terminate()
    },
  }
}

function readFrame(text: string): Record<string, unknown> | null {
  try {
    const frame: unknown = JSON.parse(text)
    return typeof frame === 'object' && frame !== null ? (frame as Record<string, unknown>) : null
  } catch {
    return null
  }
}
