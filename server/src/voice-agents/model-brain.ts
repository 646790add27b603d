import type { Logger } from 'pino'
import type { CallBrief } from '../providers/call-brief.ts'
import type { LanguageModel } from '../providers/language-model.ts'
import { type AgentAction, type Brain, type BrainFor, type CallSoFar, type Happened, wantsPerson } from './brain.ts'
import type { Forbidden } from './forbidden-speech.ts'
import { soundsLikeScreening } from './hearing.ts'
import { prompter } from './model-prompt.ts'
import { carryOut, toolsOf } from './model-tools.ts'
import { modelTurn } from './model-turn.ts'
import { scriptedBrain } from './script.ts'
import { speechGuard } from './speech-guard.ts'

/** After so many failures in a row the call goes on by the script: nobody is kept waiting for a model that is away. */
const PATIENCE = 3

/** So often may one turn be said in a call. */
const REPEATS = 3

/**
 * An agent that thinks with a language model. What it says goes out as it comes, through `speech-guard.ts`; what it does
 * it does by tools, whose results are held to our rules (`model-tools.ts`). A model that is slow, fails or talks nonsense
 * is stood in for by the scripted policy, which has heard the whole conversation.
 */
export const modelBrain =
  (model: LanguageModel, log: Pick<Logger, 'warn'>): BrainFor =>
  (brief) => {
    const prompts = prompter(brief)
    let failures = 0

    async function* respond(happened: Happened, call: CallSoFar): AsyncGenerator<AgentAction> {
      if (failures >= PATIENCE) return yield* standIn(brief, happened, call)
      const guard = speechGuard({
        company_name: brief.company_name,
        books: brief.agent.is_appointment_booking_enabled,
        told: () => prompts.told(call),
        firmsWords: prompts.firmsWords,
      })
      const { words, turn } = modelTurn(model, prompts.of(happened, call), toolsOf(brief), guard)
      yield { do: 'say', words }
      const { said, calls, failure, cut } = turn
      if (guard.replaced) yield* keepPromise(guard.replaced, call)
      if (cut) return
      if (failure || (said.trim() === '' && calls.length === 0)) {
        failures++
        log.warn({ err: failure ?? new Error('nothing that could be said') }, 'the language model failed in a call')
        if (said.trim() !== '') yield { do: 'say', words: "I'm sorry, I lost my thread. Could you say that again?" }
        else yield* standIn(brief, happened, call)
        return
      }
      // One that says the same again and again has lost the thread: from here on by the script.
      failures = timesSaid(said, call) >= REPEATS ? PATIENCE : 0
      yield* carryOut(calls, said.trim(), brief, call)
    }

    return { respond }
  }

/** What our sentence, in the place of the model's, has promised. */
function* keepPromise(replaced: Forbidden, call: CallSoFar): Iterable<AgentAction> {
  const quote = call.transcript.findLast(({ speaker }) => speaker === 'contact')?.text ?? ''
  if (replaced === 'advice' || replaced === 'sum') yield { do: 'note', note: { type: 'question', quote } }
  if (replaced === 'language') yield wantsPerson(call)
}

const timesSaid = (said: string, { transcript }: CallSoFar): number =>
  transcript.filter(({ speaker, text }) => speaker === 'agent' && text.trim() === said.trim()).length

/** What the script would say now, had it led the conversation so far. */
function* standIn(brief: CallBrief, happened: Happened, call: CallSoFar): Iterable<AgentAction> {
  const script: Brain = scriptedBrain(brief)
  const heard = call.transcript.filter(({ speaker, text }) => speaker === 'contact' && !soundsLikeScreening(text))
  const earlier = happened.type === 'said' ? heard.slice(0, -1) : heard
  for (const { text } of earlier) script.respond({ type: 'said', text }, call)
  yield* script.respond(happened, call) as Iterable<AgentAction>
}
