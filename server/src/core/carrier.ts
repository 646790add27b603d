/**
 * What each carrier of calls can't do without. The first setting says that the carrier is meant: where it is there, the
 * others must be.
 */
const NEEDS = {
  twilio: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM', 'PUBLIC_URL'],
} as const

export type Carrier = keyof typeof NEEDS

export const CARRIERS = Object.keys(NEEDS) as Carrier[]

export type CarrierSettings = { VOICE_PROVIDER?: Carrier | 'sandbox' | undefined } & {
  [Name in (typeof NEEDS)[Carrier][number]]?: string | undefined
}

const meant = (settings: CarrierSettings) => CARRIERS.filter((carrier) => settings[NEEDS[carrier][0]] !== undefined)

/** Who calls; checked settings leave no doubt. */
export const carrierOf = (settings: CarrierSettings): Carrier | 'sandbox' =>
  settings.VOICE_PROVIDER ?? meant(settings)[0] ?? 'sandbox'

/** Why these settings don't say who calls, or keep them from it; nothing where all is well. */
export function missingForCalls(settings: CarrierSettings): string[] {
  const { VOICE_PROVIDER } = settings
  const found = meant(settings)
  const problems = found.flatMap((carrier) => lacking(settings, carrier, NEEDS[carrier][0]))
  if (VOICE_PROVIDER && VOICE_PROVIDER !== 'sandbox' && !found.includes(VOICE_PROVIDER))
    problems.push(...lacking(settings, VOICE_PROVIDER, `VOICE_PROVIDER=${VOICE_PROVIDER}`))
  if (!VOICE_PROVIDER && found.length > 1)
    problems.push(`there are settings of ${found.join(' and ')}: VOICE_PROVIDER must say which of them calls`)
  return problems
}

const lacking = (settings: CarrierSettings, carrier: Carrier, because: string): string[] =>
  NEEDS[carrier].filter((name) => settings[name] === undefined).map((name) => `${because} needs ${name}`)
