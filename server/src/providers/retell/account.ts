import Retell from 'retell-sdk'
import type { Config } from '../../core/config.ts'

export type RetellSettings = Pick<
  Config,
  'RETELL_API_KEY' | 'RETELL_FROM' | 'RETELL_AGENT_ID' | 'RETELL_API_BASE' | 'RETELL_CALLS_PER_SECOND' | 'PUBLIC_URL'
>

/** What the settings say of the account; only where they say all of it. */
export interface RetellAccount {
  /** Signs callbacks, too. */
  apiKey: string
  from: string
  agentId: string
  apiBase: string
  publicUrl: string
  callsPerSecond: number
}

export function retellAccount(settings: Partial<RetellSettings>): RetellAccount | undefined {
  const { RETELL_API_KEY, RETELL_FROM, RETELL_AGENT_ID, RETELL_API_BASE, RETELL_CALLS_PER_SECOND, PUBLIC_URL } =
    settings
  if (!RETELL_API_KEY || !RETELL_FROM || !RETELL_AGENT_ID) return undefined
  if (!RETELL_API_BASE || !RETELL_CALLS_PER_SECOND || !PUBLIC_URL) return undefined
  return {
    apiKey: RETELL_API_KEY,
    from: RETELL_FROM,
    agentId: RETELL_AGENT_ID,
    apiBase: RETELL_API_BASE,
    publicUrl: PUBLIC_URL,
    callsPerSecond: RETELL_CALLS_PER_SECOND,
  }
}

/** Milliseconds after which an answer is given up. */
const TIMEOUT_MS = 10_000

/** By itself the SDK would send a request again that was not answered, and ring twice. */
export const retellClient = ({ apiKey, apiBase }: RetellAccount): Retell =>
  new Retell({ apiKey, baseURL: apiBase, maxRetries: 0, timeout: TIMEOUT_MS, logLevel: 'off' })
