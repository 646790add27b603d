import type { Clock } from '../../core/clock.ts'
import type { CallerEvent, CallRef, Conversation } from '../voice.ts'

/** Frames to the carrier, as JSON text. */
export type Outgoing =
  | { type: 'text'; token: string; last: boolean; interruptible?: boolean }
  | { type: 'end'; handoffData: string }

/** What the line needs of a socket. */
export interface RelaySocket {
  send(frame: Outgoing): void
}

/** Why we let the session end; read again when the carrier asks what comes next. */
export type HandOff = 'transfer' | 'hangup' | 'sorry'

export interface RelayLine extends Conversation {
  /** A frame of the carrier. Those that are not known are passed over. */
  hear(frame: Record<string, unknown>): void
  /** The socket is closed; `clean` where the carrier closed it in the way that sockets are closed. */
  closed(clean: boolean): void
  machine(): void
  gone(): void
  /** The process must stop: the carrier is told to say so. A goodbye that is being said goes on. */
  putDown(): void
}

interface LineOptions {
  ref: CallRef
  socket: RelaySocket
  clock: Clock
  answeredAt: Date
  maxSeconds: number
  startRecording(): void
  stopRecording(): Promise<boolean>
}

/** Unhurried speech, 165 words a minute: how long words are spoken where the carrier doesn't say when it is done. */
const WORD_MS = 364
/** Seconds without a word from the contact, once the agent has finished. */
const SILENCE_SECONDS = 8
/** Longer than this the end of a session does not wait for words to be spoken. */
const LONGEST_WAIT_MS = 20_000

const CUT = Symbol('cut')
/** Given, because making one with every wait takes longer than the wait's own work. */
const ENOUGH = new Error('waited enough')

/** One conversation over the frames of ConversationRelay, which Telnyx speaks, too. */
export function openRelayLine({ ref, socket, clock, answeredAt, maxSeconds, ...recording }: LineOptions): RelayLine {
  const queue: CallerEvent[] = []
  let state: 'open' | 'ending' | 'closed' = 'open'
  /** Null: not asked for yet. */
  let records: boolean | null = null
  let leaving = false
  let toldOfMachine = false
  /** When the words handed over so far will have been spoken, by the clock. */
  let spokenUntil = 0
  let contactSpeaks = false
  let lastSound = clock.now().getTime()
  /** Resolves when something arrives that the conversation must look at. */
  let arrival = Promise.withResolvers<void>()
  /** Resolves when the contact speaks while words are handed over. */
  let bargeIn = Promise.withResolvers<typeof CUT>()

  const elapsed = () => (clock.now().getTime() - answeredAt.getTime()) / 1000

  function push(event: CallerEvent, sound = true): void {
    if (state === 'closed') return
    queue.push(event)
    if (sound) {
      lastSound = clock.now().getTime()
      bargeIn.resolve(CUT)
    }
    arrive()
  }

  function arrive(): void {
    arrival.resolve()
    arrival = Promise.withResolvers()
  }

  function hear(frame: Record<string, unknown>): void {
    switch (frame.type) {
      case 'prompt':
        // Partial prompts are not asked for; one that comes all the same is followed by the whole.
        if (frame.last !== false && typeof frame.voicePrompt === 'string' && frame.voicePrompt.trim() !== '')
          push({ type: 'said', text: frame.voicePrompt.trim() })
        return
      case 'dtmf':
        if (typeof frame.digit === 'string') push({ type: 'dtmf', digit: frame.digit })
        return
      case 'interrupt':
        spokenUntil = clock.now().getTime()
        push({ type: 'interrupted', heard: String(frame.utteranceUntilInterrupt ?? '') })
        return
      case 'info':
        sound(frame)
    }
  }

  function sound({ name, value }: Record<string, unknown>): void {
    const now = clock.now().getTime()
    if (name === 'agentSpeaking' && value === 'off') spokenUntil = Math.min(spokenUntil, now)
    if (name === 'clientSpeaking') contactSpeaks = value === 'on'
    lastSound = now
    arrive()
  }

  /** Waits for what comes next; silence comes by the clock. */
  async function next(): Promise<IteratorResult<CallerEvent>> {
    for (;;) {
      const event = queue.shift()
      if (event) return { done: false, value: event }
      if (state !== 'open') return { done: true, value: undefined }
      const left = Math.max(spokenUntil, lastSound) + SILENCE_SECONDS * 1000 - clock.now().getTime()
      if (left <= 0 && !contactSpeaks) {
        lastSound = clock.now().getTime()
        return { done: false, value: { type: 'silence', seconds: SILENCE_SECONDS } }
      }
      await waitAtMost(left > 0 ? left : SILENCE_SECONDS * 1000)
    }
  }

  async function waitAtMost(ms: number): Promise<void> {
    const patience = new AbortController()
    const arrived = arrival.promise
    await Promise.race([arrived, clock.sleep(ms, patience.signal)])
    patience.abort(ENOUGH)
  }

  function handOver(token: string, last: boolean, whole: boolean): void {
    socket.send({ type: 'text', token, last, ...(whole ? { interruptible: false } : {}) })
    const words = token.match(/\S+/g)?.length ?? 0
    spokenUntil = Math.max(spokenUntil, clock.now().getTime()) + words * WORD_MS
  }

  /** Words that come at once go out in one frame: a frame costs more than the words. The first one doesn't wait. */
  function batch(whole: boolean) {
    let waiting = ''
    let begun = false
    let due: NodeJS.Immediate | undefined
    const flush = (last: boolean) => {
      clearImmediate(due)
      due = undefined
      if (state === 'open' && begun && (last || waiting !== '')) handOver(waiting, last, whole)
      waiting = ''
    }
    return {
      add(token: string) {
        waiting += token
        if (!begun) {
          begun = true
          flush(false)
        } else due ??= setImmediate(flush, false)
      },
      end: () => flush(true),
    }
  }

  /** What is left to be spoken is spoken; a contact who hangs up meanwhile is not waited for. */
  async function spoken(): Promise<void> {
    const end = clock.now().getTime() + LONGEST_WAIT_MS
    for (;;) {
      const left = Math.min(spokenUntil, end) - clock.now().getTime()
      if (left <= 0 || state === 'closed') return
      await waitAtMost(left)
    }
  }

  async function leave(handOff: HandOff): Promise<void> {
    leaving = true
    await spoken()
    end(handOff)
  }

  function end(handOff: HandOff): void {
    if (state !== 'open') return
    state = 'ending'
    socket.send({ type: 'end', handoffData: JSON.stringify({ next: handOff }) })
    arrive()
  }

  function closed(clean: boolean): void {
    if (state === 'closed') return
    if (state === 'open') {
      const reason = !clean ? 'error_unknown' : elapsed() >= maxSeconds - 2 ? 'max_duration_reached' : 'user_hangup'
      queue.push({ type: 'ended', reason })
    }
    state = 'closed'
    bargeIn.resolve(CUT)
    arrive()
  }

  return {
    ...ref,
    answered_at: answeredAt,
    elapsed,
    turns: { [Symbol.asyncIterator]: () => ({ next }) },
    hear,
    async say(words, whole) {
      if (state !== 'open') return
      if (typeof words === 'string') return handOver(words, true, whole === 'whole')
      // What was said before the first word of an answer counts, too: the answer would be to less than was said.
      bargeIn = Promise.withResolvers()
      if (queue.length > 0) bargeIn.resolve(CUT)
      const tokens = words[Symbol.asyncIterator]()
      const out = batch(whole === 'whole')
      for (;;) {
        const step = await Promise.race([bargeIn.promise, tokens.next()])
        if (step === CUT || state !== 'open') {
          void tokens.return?.()
          break
        }
        if (step.done) break
        if (step.value !== '') out.add(step.value)
      }
      out.end()
    },
    async transfer() {
      if (state !== 'open') return 'failed'
      await leave('transfer')
      return 'handed_over'
    },
    end: () => leave('hangup'),
    record() {
      if (records !== null) return
      records = true
      const left = Math.min(spokenUntil - clock.now().getTime(), LONGEST_WAIT_MS)
      void clock.sleep(Math.max(0, left)).then(() => {
        if (records && state === 'open') recording.startRecording()
      })
    },
    async stopRecording() {
      records = false
      return await recording.stopRecording()
    },
    machine() {
      if (toldOfMachine) return
      toldOfMachine = true
      push({ type: 'machine' }, false)
    },
    closed,
    gone: () => closed(true),
    putDown() {
      if (state !== 'open' || leaving) return
      queue.push({ type: 'ended', reason: 'error_unknown' })
      end('sorry')
      bargeIn.resolve(CUT)
    },
  }
}
