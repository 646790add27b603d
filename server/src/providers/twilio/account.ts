import twilio from 'twilio'
import type RequestClient from 'twilio/lib/base/RequestClient.js'
import type { Config } from '../../core/config.ts'
import type { RelayAccount, SignedRequest } from '../relay/account.ts'
import { voiceOf } from '../relay/voices.ts'
import { twilioCalls } from './calls.ts'

/** What the settings say of the account; only where they say all of it. */
export interface TwilioAccount {
  sid: string
  authToken: string
  from: string
  /** Texts go out by it where it is set, and it chooses the number. */
  messagingService?: string
  apiBase: string
  /** Base address of our routes, as Twilio calls and signs it. */
  publicUrl: string
  callsPerSecond: number
  records: boolean
}

export type TwilioSettings = Pick<
  Config,
  | 'TWILIO_ACCOUNT_SID'
  | 'TWILIO_AUTH_TOKEN'
  | 'TWILIO_FROM'
  | 'TWILIO_MESSAGING_SERVICE_SID'
  | 'TWILIO_API_BASE'
  | 'TWILIO_CALLS_PER_SECOND'
  | 'PUBLIC_URL'
  | 'RECORD_CALLS'
>

export function twilioAccount(settings: TwilioSettings): TwilioAccount | undefined {
  const { TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_FROM, PUBLIC_URL } = settings
  if (!TWILIO_ACCOUNT_SID || !TWILIO_AUTH_TOKEN || !TWILIO_FROM || !PUBLIC_URL) return undefined
  return {
    sid: TWILIO_ACCOUNT_SID,
    authToken: TWILIO_AUTH_TOKEN,
    from: TWILIO_FROM,
    messagingService: settings.TWILIO_MESSAGING_SERVICE_SID,
    apiBase: settings.TWILIO_API_BASE,
    publicUrl: PUBLIC_URL,
    callsPerSecond: settings.TWILIO_CALLS_PER_SECOND,
    records: settings.RECORD_CALLS,
  }
}

/** Milliseconds after which an answer is given up. */
const TIMEOUT_MS = 10_000

/** The SDK knows Twilio's own address only; where another one is set, requests go there. */
class ClientAt extends twilio.RequestClient {
  readonly #base: string

  constructor(base: string) {
    super({ timeout: TIMEOUT_MS })
    this.#base = base
  }

  override request<T>(options: RequestClient.RequestOptions<T>) {
    return super.request<T>({ ...options, uri: options.uri.replace(/^https:\/\/[^/]+/, this.#base) })
  }
}

export const twilioClient = ({ sid, authToken, apiBase }: TwilioAccount): twilio.Twilio =>
  twilio(sid, authToken, { httpClient: new ClientAt(apiBase) })

export const relayAccount = (account: TwilioAccount): RelayAccount => ({
  name: 'twilio',
  from: account.from,
  publicUrl: account.publicUrl,
  callsPerSecond: account.callsPerSecond,
  records: account.records,
  calls: twilioCalls(twilioClient(account)),
  isSigned: (request) => isSigned(request, account),
  relay: (voiceId) => ({
    ...voiceOf(voiceId),
    ttsProvider: 'Amazon',
    transcriptionProvider: 'Deepgram',
    speechModel: 'nova-3-general',
    interruptible: 'any',
    interruptSensitivity: 'high',
    welcomeGreetingInterruptible: 'any',
    partialPrompts: false,
    preemptible: false,
    dtmfDetection: true,
    profanityFilter: false,
    events: 'speaker-events',
    reportInputDuringAgentSpeech: 'none',
    ignoreBackchannel: true,
    speechTimeout: 'auto',
    deepgramSmartFormat: true,
  }),
  say(voiceId) {
    const { voice, language } = voiceOf(voiceId)
    return { voice: `Polly.${voice}`, language }
  },
})

export function isSigned({ url, headers, fields }: SignedRequest, { authToken, publicUrl }: TwilioAccount): boolean {
  const signature = headers['x-twilio-signature']
  if (typeof signature !== 'string') return false
  const address = publicUrl + url
  // The upgrade of a socket is signed in one spelling or the other.
  const spellings = headers.upgrade ? [address, address.replace(/^http/, 'ws')] : [address]
  return spellings.some((each) => twilio.validateRequest(authToken, signature, each, fields))
}
