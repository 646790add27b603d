import type { LanguageModel as AiModel } from 'ai'
import type { Config } from '../core/config.ts'

/** What the agents think with; of any vendor. */
export type LanguageModel = Extract<AiModel, { specificationVersion: 'v4' }>

type Request = Parameters<LanguageModel['doStream']>[0]
export type Prompt = Request['prompt']
export type Tool = Extract<NonNullable<Request['tools']>[number], { type: 'function' }>

export type LanguageModelSettings = Pick<
  Config,
  'LANGUAGE_MODEL' | 'LANGUAGE_MODEL_NAME' | 'LANGUAGE_MODEL_BASE_URL' | 'LANGUAGE_MODEL_API_KEY'
>

/** The model that the settings name; null where they name none, and agents follow their script. */
export async function languageModel(settings: LanguageModelSettings): Promise<LanguageModel | null> {
  const { LANGUAGE_MODEL, LANGUAGE_MODEL_NAME, LANGUAGE_MODEL_BASE_URL, LANGUAGE_MODEL_API_KEY } = settings
  switch (LANGUAGE_MODEL) {
    case 'none':
      return null
    case 'openai-compatible': {
      // Loaded where it is used: an installation without a model need not hold its client in memory.
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const vendor = createOpenAICompatible({
        name: 'language-model',
        baseURL: LANGUAGE_MODEL_BASE_URL!,
        apiKey: LANGUAGE_MODEL_API_KEY,
      })
      return vendor(LANGUAGE_MODEL_NAME!)
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey: LANGUAGE_MODEL_API_KEY, baseURL: LANGUAGE_MODEL_BASE_URL })(LANGUAGE_MODEL_NAME!)
    }
  }
}
