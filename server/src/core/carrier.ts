/**
 * What each carrier of calls can't do without. The first setting says that the carrier is meant: where it is there, the
 * others must be.
 */
const NEEDS = {
  twilio: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM', 'PUBLIC_URL'],
  telnyx: [
    'TELNYX_API_KEY',
    'TELNYX_PUBLIC_KEY',
    'TELNYX_ACCOUNT_SID',
    'TELNYX_APPLICATION_ID',
    'TELNYX_FROM',
    'PUBLIC_URL',
  ],
  vapi: ['VAPI_API_KEY', 'VAPI_PHONE_NUMBER_ID', 'PUBLIC_URL'],
  retell: ['RETELL_API_KEY', 'RETELL_FROM', 'RETELL_AGENT_ID', 'PUBLIC_URL'],
} as const

/** Where each is asked. */
const BASES = {
  twilio: 'TWILIO_API_BASE',
  telnyx: 'TELNYX_API_BASE',
  vapi: 'VAPI_API_BASE',
  retell: 'RETELL_API_BASE',
} as const

export type Carrier = keyof typeof NEEDS

export const CARRIERS = Object.keys(NEEDS) as Carrier[]

export type CarrierSettings = { VOICE_PROVIDER?: Carrier | 'sandbox' | undefined } & {
  [Name in (typeof NEEDS)[Carrier][number] | (typeof BASES)[Carrier]]?: string | undefined
}

const meant = (settings: CarrierSettings) => CARRIERS.filter((carrier) => settings[NEEDS[carrier][0]] !== undefined)

/** Who calls; checked settings leave no doubt. */
export const carrierOf = (settings: CarrierSettings): Carrier | 'sandbox' =>
  settings.VOICE_PROVIDER ?? meant(settings)[0] ?? 'sandbox'

/** Why these settings don't say who calls, or keep them from it; nothing where all is well. */
export function missingForCalls(settings: CarrierSettings): string[] {
  const { VOICE_PROVIDER } = settings
  const found = meant(settings)
  const problems = found.flatMap((carrier) => [
    ...lacking(settings, carrier, NEEDS[carrier][0]),
    ...unsafe(settings, carrier),
  ])
  if (VOICE_PROVIDER && VOICE_PROVIDER !== 'sandbox' && !found.includes(VOICE_PROVIDER))
    problems.push(...lacking(settings, VOICE_PROVIDER, `VOICE_PROVIDER=${VOICE_PROVIDER}`))
  if (!VOICE_PROVIDER && found.length > 1)
    problems.push(`there are settings of ${found.join(' and ')}: VOICE_PROVIDER must say which of them calls`)
  return problems
}

const lacking = (settings: CarrierSettings, carrier: Carrier, because: string): string[] =>
  NEEDS[carrier].filter((name) => settings[name] === undefined).map((name) => `${because} needs ${name}`)

/** What is said on the phone comes to us by https and wss only; an emulator nearby may do without. */
const unsafe = (settings: CarrierSettings, carrier: Carrier): string[] =>
  settings[BASES[carrier]]?.startsWith('https:') && settings.PUBLIC_URL?.startsWith('http:')
    ? [`${NEEDS[carrier][0]} needs a PUBLIC_URL that begins with https://`]
    : []
