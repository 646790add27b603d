import type { Config } from '../../core/config.ts'
import type { RelayAccount } from '../relay/account.ts'
import { voiceOf } from '../relay/voices.ts'
import { telnyxCalls } from './calls.ts'
import { telnyxProof } from './signature.ts'

export type TelnyxSettings = Pick<
  Config,
  | 'TELNYX_API_KEY'
  | 'TELNYX_PUBLIC_KEY'
  | 'TELNYX_ACCOUNT_SID'
  | 'TELNYX_APPLICATION_ID'
  | 'TELNYX_FROM'
  | 'TELNYX_API_BASE'
  | 'TELNYX_CALLS_PER_SECOND'
  | 'PUBLIC_URL'
  | 'RECORD_CALLS'
>

/** What the settings say of the account; only where they say all of it. */
export function telnyxAccount(settings: Partial<TelnyxSettings>): RelayAccount | undefined {
  const {
    TELNYX_API_KEY: apiKey,
    TELNYX_PUBLIC_KEY: publicKey,
    TELNYX_ACCOUNT_SID: sid,
    TELNYX_APPLICATION_ID: application,
    TELNYX_FROM: from,
    TELNYX_API_BASE: apiBase,
    PUBLIC_URL: publicUrl,
  } = settings
  if (!apiKey || !publicKey || !sid || !application || !from || !apiBase || !publicUrl) return undefined
  return {
    name: 'telnyx',
    from,
    publicUrl,
    callsPerSecond: settings.TELNYX_CALLS_PER_SECOND!,
    records: settings.RECORD_CALLS ?? false,
    calls: telnyxCalls({ apiKey, apiBase, sid, application }),
    ...telnyxProof({ publicKey, secret: apiKey }),
    relay: (voiceId) => ({
      ...voice(voiceId),
      transcriptionProvider: 'deepgram',
      interruptible: 'any',
      dtmfDetection: true,
    }),
    say: voice,
  }
}

/** Telnyx has Amazon's voices, too, by another name. */
function voice(voiceId: string) {
  const { voice, language } = voiceOf(voiceId)
  return { voice: `aws.Polly.${voice}`, language }
}
