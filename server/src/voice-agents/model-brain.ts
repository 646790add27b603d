import { jsonSchema, streamText, type ToolSet, tool } from 'ai'
import type { Logger } from 'pino'
import type { LanguageModel } from '../providers/language-model.ts'
import type { CallBrief } from '../providers/voice.ts'
import { bookAppointment } from './book-appointment.ts'
import {
  type AgentAction,
  type Brain,
  type BrainFor,
  type CallSoFar,
  type Happened,
  say,
  wantsPerson,
} from './brain.ts'
import { callbackTime, spokenTime } from './callback-time.ts'
import { soundsLikeScreening } from './hearing.ts'
import { instructionsOf, messagesOf } from './model-prompt.ts'
import { scriptedBrain } from './script.ts'
import { speechGuard } from './speech-guard.ts'

/** A person on the phone takes silence for a broken line: real milliseconds. */
const FIRST_WORD_MS = 4000
const NEXT_WORD_MS = 3000

/** After so many failures in a row the call goes on by the script: nobody is kept waiting for a model that is away. */
const PATIENCE = 3

/** So often may one turn be said in a call. */
const REPEATS = 3

const MOST_TOKENS = 300

interface ToolCall {
  name: string
  input: Record<string, unknown>
}

/** What came of a model's turn, once its words have been said. */
interface Outcome {
  said: string
  calls: ToolCall[]
  failure: unknown
  /** The contact spoke meanwhile. */
  cut: boolean
}

/**
 * An agent that thinks with a language model. What it says goes out as it comes, through `speech-guard.ts`; what it does
 * it does by tools, whose results are held to our rules here. A model that is slow, fails or talks nonsense is stood in
 * for by the scripted policy, which has heard the whole conversation.
 */
export const modelBrain =
  (model: LanguageModel, log: Pick<Logger, 'warn'>): BrainFor =>
  (brief) => {
    let failures = 0

    async function* respond(happened: Happened, call: CallSoFar): AsyncGenerator<AgentAction> {
      if (failures >= PATIENCE) return yield* standIn(brief, happened, call)
      const { words, outcome } = think(model, brief, happened, call)
      yield { do: 'say', words }
      const { said, calls, failure, cut } = outcome()
      if (cut) return
      if (failure || (said === '' && calls.length === 0)) {
        failures++
        log.warn({ err: failure ?? new Error('nothing that could be said') }, 'the language model failed in a call')
        if (said !== '') yield { do: 'say', words: "I'm sorry, I lost my thread. Could you say that again?" }
        else yield* standIn(brief, happened, call)
        return
      }
      // One that says the same again and again has lost the thread: from here on by the script.
      failures = timesSaid(said, call) >= REPEATS ? PATIENCE : 0
      yield* carryOut(calls, said, brief, call)
    }

    return { respond }
  }

const timesSaid = (said: string, { transcript }: CallSoFar): number =>
  transcript.filter(({ speaker, text }) => speaker === 'agent' && text.trim() === said.trim()).length

function think(model: LanguageModel, brief: CallBrief, happened: Happened, call: CallSoFar) {
  const stopped = new AbortController()
  const outcome: Outcome = { said: '', calls: [], failure: null, cut: false }
  const guard = speechGuard(brief.company_name, brief.agent.is_appointment_booking_enabled)
  const { stream } = streamText({
    model,
    instructions: instructionsOf(brief, call),
    messages: messagesOf(happened, call.transcript),
    tools: toolsOf(brief),
    maxOutputTokens: MOST_TOKENS,
    maxRetries: 0,
    abortSignal: stopped.signal,
    // Failures come as parts of the stream; the SDK would print them, too.
    onError: () => {},
  })
  const parts = stream[Symbol.asyncIterator]()
  let over = false

  function give(text: string): IteratorResult<string> {
    outcome.said += text
    return { done: false, value: text }
  }

  function finish(): IteratorResult<string> {
    over = true
    stopped.abort()
    return { done: true, value: undefined }
  }

  async function next(): Promise<IteratorResult<string>> {
    while (!over) {
      const step = await within(parts.next(), outcome.said === '' ? FIRST_WORD_MS : NEXT_WORD_MS).catch((error) => {
        outcome.failure = error
      })
      if (over || !step) break
      const part = step.value
      if (step.done || part.type === 'finish') {
        over = true
        const last = guard.end()
        return last === '' ? finish() : give(last)
      }
      if (part.type === 'error') {
        outcome.failure = part.error
        break
      }
      if (part.type === 'tool-call')
        outcome.calls.push({ name: part.toolName, input: (part.input ?? {}) as ToolCall['input'] })
      if (part.type !== 'text-delta') continue
      const text = guard.push(part.text)
      if (text !== '') return give(text)
      if (guard.full) break
    }
    return finish()
  }

  const words: AsyncIterableIterator<string> = {
    [Symbol.asyncIterator]: () => words,
    next,
    async return() {
      outcome.cut = !over
      return finish()
    },
  }
  return { words, outcome: () => outcome }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** What the script would say now, had it led the conversation so far. */
function* standIn(brief: CallBrief, happened: Happened, call: CallSoFar): Iterable<AgentAction> {
  const script: Brain = scriptedBrain(brief)
  const heard = call.transcript.filter(({ speaker, text }) => speaker === 'contact' && !soundsLikeScreening(text))
  const earlier = happened.type === 'said' ? heard.slice(0, -1) : heard
  for (const { text } of earlier) script.respond({ type: 'said', text }, call)
  yield* script.respond(happened, call) as Iterable<AgentAction>
}

const NONE = { type: 'object', properties: {}, additionalProperties: false } as const
const text = (description: string) => ({ type: 'string', description }) as const

function toolsOf({ agent }: CallBrief): ToolSet {
  const plain = (description: string) => tool({ description, inputSchema: jsonSchema<object>(NONE) })
  const tools: ToolSet = {
    end_call: plain('Hang up, after you have said goodbye.'),
    record_opt_out: plain('They do not want to be called again. It is confirmed to them and the call ends.'),
    transfer_call: plain('They want to speak with a person: put them through, or have a colleague call them back.'),
    note_callback: tool({
      description: 'They agreed to be called again at a time. The time is confirmed to them and the call ends.',
      inputSchema: jsonSchema<object>({
        type: 'object',
        properties: { when: text('The time in their words, such as "tomorrow at three" or "in two hours"') },
        required: ['when'],
        additionalProperties: false,
      }),
    }),
  }
  if (agent.is_appointment_booking_enabled)
    tools.book_appointment = tool({
      description: 'They agreed to a day and time for an appointment with the firm. It is confirmed to them.',
      inputSchema: jsonSchema<object>({
        type: 'object',
        properties: { date: text('YYYY-MM-DD, where they are'), time: text('HH:mm, 24 hours, where they are') },
        required: ['date', 'time'],
        additionalProperties: false,
      }),
    })
  return tools
}

/** Tools are what binds us: each is carried out by our rules, with our words where the model has none. */
async function* carryOut(
  calls: ToolCall[],
  said: string,
  brief: CallBrief,
  call: CallSoFar,
): AsyncGenerator<AgentAction> {
  const { agent, company_name: firm } = brief
  const zone = brief.zones[0]!
  const asked = new Map(calls.map((call) => [call.name, call.input]))
  if (asked.has('record_opt_out')) return yield { do: 'opt_out' }
  if (asked.has('transfer_call')) {
    if (agent.is_transfer_enabled && agent.transfer_number) {
      if (said === '') yield say("Of course. I'll connect you now. One moment, please.")
      return yield { do: 'transfer' }
    }
    yield wantsPerson(call)
    return yield say(
      `I can't connect you directly, so I'll ask a colleague at ${firm} to call you back. When would be a good time for that?`,
      'person_time',
    )
  }
  const appointment = asked.get('book_appointment')
  if (appointment && agent.is_appointment_booking_enabled) return yield* bookAppointment(appointment, brief, call)
  const callback = asked.get('note_callback')
  if (callback) {
    const time = callbackTime(String(callback.when ?? ''), call.now, zone)
    if (time.kind !== 'at')
      return yield say(
        'I can call between 8 in the morning and 9 in the evening, within the next two days. Which time would suit you?',
        'callback_time',
      )
    yield { do: 'note', note: { type: 'callback', at: time.at.toISOString() } }
    yield say(`I'll call again ${spokenTime(time.at, call.now, zone)}. Thank you. Goodbye.`)
    return yield { do: 'end' }
  }
  if (asked.has('end_call')) {
    if (said === '') yield say('Thank you for your time. Goodbye.')
    yield { do: 'end' }
  } else if (said === '') yield say("I'm sorry, could you say that again?")
}
