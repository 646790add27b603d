import type { Clock } from '../../core/clock.ts'
import { type CallerEvent, type CallRef, type Conversation, ConversationLost } from '../voice.ts'
import type { Callee } from './callee.ts'

/** Unhurried speech, 165 words a minute. */
const WORD_MS = 364
const REACTION_MS = 700
/** Ringing at the other end of a transfer. */
const TRANSFER_MS = 12_000
/** Real milliseconds below which waiting is put off: a timer takes a whole one. */
const WORTH_WAITING = 2

export interface Line extends Conversation {
  /** Resolves with the seconds talked when the conversation is over; null where this process let go of it. */
  readonly over: Promise<number | null>
  /** Ends it from outside. */
  cut(how: 'ended' | 'lost'): void
}

interface LineOptions {
  ref: CallRef
  answeredAt: Date
  maxSeconds: number
  callee: Callee
  clock: Clock
  /** The agent asks to be connected with somebody: for how many seconds do they talk? null: nobody picks up there. */
  onTransfer(number: string): Promise<number | null>
}

/**
 * One conversation. Its time is counted in words, and the clock is waited for only where the wait is worth a timer, so
 * that a fast clock does not cost a timer per turn; it is never over before the clock says so.
 */
export function openLine({ ref, answeredAt, maxSeconds, callee, clock, onTransfer }: LineOptions): Line {
  let elapsedMs = 0
  let said = ''
  let state: 'open' | 'bridged' | 'ended' | 'lost' = 'open'
  const queue: CallerEvent[] = []
  const cutting = new AbortController()
  let settle: (seconds: number | null) => void
  const over = new Promise<number | null>((resolve) => {
    settle = resolve
  })

  const ahead = () => answeredAt.getTime() + elapsedMs - clock.now().getTime()

  async function end() {
    if (state === 'open') await endFrom('open')
  }

  async function endFrom(phase: 'open' | 'bridged') {
    const wait = ahead()
    if (wait > 0) await clock.sleep(wait, cutting.signal)
    if (state !== phase) return
    state = 'ended'
    settle(Math.round(elapsedMs / 1000))
  }

  async function next(): Promise<IteratorResult<CallerEvent>> {
    if (state === 'open' && queue.length === 0) {
      queue.push(...callee.hear(said))
      const [first] = queue
      if (first?.type === 'interrupted') elapsedMs -= (countWords(said) - countWords(first.heard)) * WORD_MS
      said = ''
    }
    const event = queue.shift()
    if (state !== 'open' || !event) return finished()
    elapsedMs +=
      event.type === 'silence'
        ? event.seconds * 1000
        : event.type === 'said'
          ? REACTION_MS + countWords(event.text) * WORD_MS
          : 0
    const cutOff = elapsedMs > maxSeconds * 1000
    if (cutOff) elapsedMs = maxSeconds * 1000
    const wait = ahead()
    if (wait > WORTH_WAITING * clock.speed) await clock.sleep(wait, cutting.signal)
    if (state !== 'open') return finished()
    if (!cutOff && event.type !== 'ended') return { done: false, value: event }
    await end()
    return { done: false, value: cutOff ? { type: 'ended', reason: 'max_duration_reached' } : event }
  }

  function finished(): IteratorResult<CallerEvent> {
    if (state === 'lost') throw new ConversationLost()
    return { done: true, value: undefined }
  }

  return {
    ...ref,
    answered_at: answeredAt,
    elapsed: () => elapsedMs / 1000,
    turns: { [Symbol.asyncIterator]: () => ({ next }) },
    over,
    async say(words) {
      let whole = ''
      if (typeof words === 'string') whole = words
      else for await (const token of words) whole += token
      if (state === 'lost') throw new ConversationLost()
      if (state !== 'open') return
      said = said ? `${said} ${whole}` : whole
      elapsedMs += countWords(whole) * WORD_MS
    },
    async transfer(number) {
      elapsedMs += TRANSFER_MS
      const talk = await onTransfer(number)
      if (state === 'lost') throw new ConversationLost()
      if (talk === null || state !== 'open') return 'failed'
      state = 'bridged'
      elapsedMs = Math.min(elapsedMs + talk * 1000, maxSeconds * 1000)
      void endFrom('bridged')
      return 'bridged'
    },
    end,
    cut(how) {
      if (state === 'ended' || state === 'lost') return
      state = how
      cutting.abort()
      settle(how === 'lost' ? null : Math.round(elapsedMs / 1000))
    },
  }
}

function countWords(text: string): number {
  let count = text === '' ? 0 : 1
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === 32) count++
  return count
}
