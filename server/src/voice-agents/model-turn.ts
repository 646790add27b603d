import type { LanguageModel, Prompt, Tool } from '../providers/language-model.ts'
import type { SpeechGuard } from './speech-guard.ts'

/** A person on the phone takes silence for a broken line: real milliseconds. */
const FIRST_WORD_MS = 4000
const NEXT_WORD_MS = 3000
/** Unhurried speech, 165 words a minute: for so long what was said is no silence. */
const WORD_MS = 364
/** When enough is said, the model's tools are still waited for: real milliseconds. */
const TOOLS_MS = 1500

const MOST_TOKENS = 300

export interface ToolCall {
  name: string
  /** Empty where the model wrote no JSON object. */
  input: Record<string, unknown>
}

/** What came of a model's turn, once its words have been said. */
export interface ModelTurn {
  said: string
  calls: ToolCall[]
  failure: unknown
  /** The contact spoke meanwhile. */
  cut: boolean
}

/** As a constant, because making an error costs more than a turn's words. */
const LEFT = new Error('the turn is over')

/**
 * Asks a model for a turn. Its words come through `guard` as they are written; when they have been iterated to their
 * end, `turn` tells the rest. A model that leaves the contact in silence has failed, whatever else it sends.
 *
 * The SDK's model is asked directly: `streamText` on top of it took half of the CPU of a turn, for steps, telemetry and
 * copies of the stream that a turn of one step does not need.
 */
export function modelTurn(model: LanguageModel, prompt: Prompt, tools: Tool[], guard: SpeechGuard) {
  const left = new AbortController()
  const turn: ModelTurn = { said: '', calls: [], failure: null, cut: false }
  const asked = model
    .doStream({ prompt, tools, maxOutputTokens: MOST_TOKENS, abortSignal: left.signal })
    .then(({ stream }) => stream.getReader())
  asked.then(undefined, () => {}) // heard where it is read
  const read = async () => await (await asked).read()
  const patience = deadline(FIRST_WORD_MS)
  let over = false

  function give(text: string): IteratorResult<string> {
    turn.said += text
    patience.extend((text.match(/\S+/g)?.length ?? 0) * WORD_MS, NEXT_WORD_MS)
    return { done: false, value: text }
  }

  function finish(how: 'done' | 'early'): IteratorResult<string> {
    over = true
    patience.clear()
    if (how === 'early') left.abort(LEFT)
    return { done: true, value: undefined }
  }

  async function next(): Promise<IteratorResult<string>> {
    while (!over) {
      const step = await Promise.race([read(), patience.late]).catch((error: unknown) => {
        if (!guard.full) turn.failure = error
      })
      if (over || !step) break
      const part = step.value
      if (step.done || part?.type === 'finish') {
        const rest = guard.end()
        if (part?.type === 'finish' && part.finishReason.unified === 'error' && !/[.!?]\W*$/.test(turn.said + rest))
          turn.failure = new Error('the answer broke off')
        finish('done')
        return rest === '' ? { done: true, value: undefined } : give(rest)
      }
      if (part?.type === 'error') {
        turn.failure = part.error
        break
      }
      if (part?.type === 'tool-call') turn.calls.push({ name: part.toolName, input: readInput(part.input) })
      if (part?.type !== 'text-delta' || guard.full) continue
      const text = guard.push(part.delta)
      if (guard.full) patience.endIn(TOOLS_MS)
      if (text !== '') return give(text)
    }
    return finish('early')
  }

  const words: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => words,
    next,
    async return() {
      turn.cut = !over
      return over ? { done: true, value: undefined } : finish('early')
    },
  }
  return { words, turn }
}

function readInput(text: string): Record<string, unknown> {
  try {
    const input: unknown = JSON.parse(text)
    return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** One timer for a whole turn: what moves the deadline only moves a number. */
function deadline(ms: number) {
  const { promise: late, reject } = Promise.withResolvers<never>()
  late.catch(() => {})
  let at = performance.now() + ms
  let spokenUntil = performance.now()
  let closing = false
  let timer = setTimeout(look, ms)
  function look() {
    const left = at - performance.now()
    if (left <= 1) reject(new Error('the model keeps the contact waiting'))
    else timer = setTimeout(look, left)
  }
  return {
    late,
    /** So much has been given to be spoken; after it there may be `silence`. */
    extend(speech: number, silence: number) {
      if (closing) return
      spokenUntil = Math.max(spokenUntil, performance.now()) + speech
      at = Math.max(spokenUntil + silence, performance.now() + silence)
    },
    endIn(ms: number) {
      closing = true
      at = performance.now() + ms
      clearTimeout(timer)
      timer = setTimeout(look, ms)
    },
    clear: () => clearTimeout(timer),
  }
}
