import type { Logger } from 'pino'
import type { CallBrief } from '../providers/call-brief.ts'
import type { LanguageModel } from '../providers/language-model.ts'
import { analyse, type CallOutcome } from './analysis.ts'
import type { BrainFor } from './brain.ts'
import type { Held } from './facts.ts'
import { analyseByModel } from './model-analysis.ts'
import { modelBrain } from './model-brain.ts'
import { scriptedBrain } from './script.ts'

/** What an agent thinks with, in a call and after it. */
export interface Mind {
  brainFor: BrainFor
  /** May be run again over a stored call. */
  analyse(held: Held, brief: CallBrief): CallOutcome | Promise<CallOutcome>
}

export function mindOf(model: LanguageModel | null, log: Pick<Logger, 'warn'>): Mind {
  if (!model) return { brainFor: scriptedBrain, analyse }
  return {
    brainFor: modelBrain(model, log),
    analyse: (held, brief) =>
      analyseByModel(model, held, brief).catch((error: unknown) => {
        log.warn({ err: error }, 'the language model could not read a call; our own rules did')
        return analyse(held, brief)
      }),
  }
}
