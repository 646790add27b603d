import type { VapiClient } from '@vapi-ai/server-sdk'
import type { Config } from '../../core/config.ts'

export type VapiSettings = Pick<
  Config,
  | 'VAPI_API_KEY'
  | 'VAPI_PHONE_NUMBER_ID'
  | 'VAPI_ASSISTANT_ID'
  | 'VAPI_API_BASE'
  | 'VAPI_CALLS_PER_SECOND'
  | 'PUBLIC_URL'
  | 'RECORD_CALLS'
>

/** What the settings say of the account; only where they say all of it. */
export interface VapiAccount {
  apiKey: string
  /** Calls come from it where the agent names no number. */
  phoneNumberId: string
  /** Lends its voice, ears and model. */
  assistantId?: string
  apiBase: string
  publicUrl: string
  callsPerSecond: number
  records: boolean
}

export function vapiAccount(settings: Partial<VapiSettings>): VapiAccount | undefined {
  const { VAPI_API_KEY, VAPI_PHONE_NUMBER_ID, VAPI_API_BASE, VAPI_CALLS_PER_SECOND, PUBLIC_URL } = settings
  if (!VAPI_API_KEY || !VAPI_PHONE_NUMBER_ID || !VAPI_API_BASE || !VAPI_CALLS_PER_SECOND || !PUBLIC_URL)
    return undefined
  return {
    apiKey: VAPI_API_KEY,
    phoneNumberId: VAPI_PHONE_NUMBER_ID,
    assistantId: settings.VAPI_ASSISTANT_ID,
    apiBase: VAPI_API_BASE,
    publicUrl: PUBLIC_URL,
    callsPerSecond: VAPI_CALLS_PER_SECOND,
    records: settings.RECORD_CALLS === true,
  }
}

/** Seconds after which an answer is given up. */
export const TIMEOUT_SECONDS = 10

/**
 * By itself the SDK would send a request again that was not answered, and ring twice. It is large (0.3 s and 50 MB when
 * loaded), so that only who calls with it waits for it.
 */
export async function vapiClient({ apiKey, apiBase }: VapiAccount): Promise<VapiClient> {
  const { VapiClient } = await import('@vapi-ai/server-sdk')
  return new VapiClient({ token: apiKey, baseUrl: apiBase, maxRetries: 0, timeoutInSeconds: TIMEOUT_SECONDS })
}
