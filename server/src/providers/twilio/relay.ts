import type { WebSocket } from 'ws'
import type { Clock } from '../../core/clock.ts'
import { pause } from '../../core/clock.ts'
import type { CallRef, VoiceEvents } from '../voice.ts'
import { openRelayLine, type RelayLine } from './relay-line.ts'

/** Real milliseconds for conversations to be put down when the process stops. */
const PUT_DOWN_MS = 2000
/** A session that says nothing of itself for so long is none: real milliseconds. */
const SETUP_MS = 10_000
/** The carrier's own limit, where the session doesn't name one. */
const LONGEST_CALL = 4 * 3600

interface RelayOptions {
  clock: Clock
  events: Promise<VoiceEvents>
  startRecording(callSid: string): Promise<void>
}

export type RelayConversations = ReturnType<typeof relayConversations>

/** The sockets of this process over which conversations are held. */
export function relayConversations({ clock, events, startRecording }: RelayOptions) {
  const open = new Map<WebSocket, { line: RelayLine; over: Promise<void> }>()

  /** `warn` is the log's. */
  function connect(socket: WebSocket, call: CallRef, warn: (what: object, message: string) => void): void {
    let line: RelayLine | undefined
    const patience = setTimeout(() => socket.close(1008), SETUP_MS)
    socket.on('message', (data) => {
      const frame = readFrame(String(data))
      if (!frame) return warn({ call_id: call.call_id }, 'a frame that is no JSON object')
      if (frame.type === 'error')
        warn({ call_id: call.call_id, description: frame.description }, 'the relay reports an error')
      if (line) return line.hear(frame)
      if (frame.type !== 'setup') return
      clearTimeout(patience)
      line = begin(socket, call, frame, warn)
    })
    socket.on('error', (error) => warn({ err: error, call_id: call.call_id }, 'a relay socket broke'))
    socket.on('close', (code) => {
      clearTimeout(patience)
      // 1005: closed without a reason given.
      line?.closed(code === 1000 || code === 1005)
      open.delete(socket)
    })
  }

  function begin(
    socket: WebSocket,
    ref: CallRef,
    setup: Record<string, unknown>,
    warn: (what: object, message: string) => void,
  ): RelayLine {
    const { callSid, customParameters } = setup as { callSid?: string; customParameters?: Record<string, string> }
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
      onFirstHeard: () => {
        if (callSid)
          startRecording(callSid).catch((error: unknown) => warn({ err: error, call_id: ref.call_id }, 'not recorded'))
      },
    })
    const over = events
      .then((listener) => listener.conversation(line))
      .catch((error: unknown) => warn({ err: error, call_id: ref.call_id }, 'a conversation failed'))
      .then(() => line.end())
    open.set(socket, { line, over })
    return line
  }

  return {
    connect,
    /** What was said so far is all that was said: the carrier ends these calls. */
    async stop() {
      const conversations = [...open.values()]
      for (const [socket, { line }] of open) {
        line.closed(false)
        socket.close(1001)
      }
      await Promise.race([Promise.all(conversations.map(({ over }) => over)), pause(PUT_DOWN_MS)])
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
