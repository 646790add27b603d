import type { Logger } from 'pino'
import type { LanguageModel } from '../providers/language-model.ts'
import type { CallBrief } from '../providers/voice.ts'
import { analyse, type CallOutcome } from './analysis.ts'
import type { BrainFor } from './brain.ts'
import type { Held } from './facts.ts'
import { scriptedBrain } from './script.ts'

/** What an agent thinks with, in a call and after it. */
export interface Mind {
  brainFor: BrainFor
  /** May be run again over a stored call. */
  analyse(held: Held, brief: CallBrief): CallOutcome | Promise<CallOutcome>
}

export function mindOf(_model: LanguageModel | null, _log: Pick<Logger, 'warn'>): Mind {
  return { brainFor: scriptedBrain, analyse }
}
