import { type CarrierSettings, carrierOf } from '../core/carrier.ts'
import type { Clock } from '../core/clock.ts'
import type { Database } from '../core/db.ts'
import { installationSecret } from '../core/installation-secret.ts'
import type { EmailProvider } from './email.ts'
import { hostedCarrier } from './hosts/carrier.ts'
import { references } from './hosts/references.ts'
import type { LanguageModel } from './language-model.ts'
import { relayCarrier } from './relay/carrier.ts'
import { type RetellSettings, retellAccount } from './retell/account.ts'
import { retellHost } from './retell/host.ts'
import { sandboxCarrier } from './sandbox/carrier.ts'
import { sandboxEmail, sandboxSms } from './sandbox/messages.ts'
import type { SmsProvider } from './sms.ts'
import { type SmtpSettings, smtpAccount } from './smtp/account.ts'
import { smtpEmail } from './smtp/email.ts'
import { type TelnyxSettings, telnyxAccount } from './telnyx/account.ts'
import { relayAccount, type TwilioSettings, twilioAccount } from './twilio/account.ts'
import { twilioSms } from './twilio/sms.ts'
import { type VapiSettings, vapiAccount } from './vapi/account.ts'
import { vapiHost } from './vapi/host.ts'
import type { VoiceProvider } from './voice.ts'

export interface Providers {
  voice: VoiceProvider
  sms: SmsProvider
  email: EmailProvider
  /** null: agents follow their script. */
  language_model: LanguageModel | null
}

type ProviderSettings = CarrierSettings &
  TwilioSettings &
  SmtpSettings &
  Partial<VapiSettings> &
  Partial<RetellSettings> &
  Partial<TelnyxSettings>

/** The outside world. Without settings for a real one, all of it is the sandbox. */
export function createProviders(
  db: Database,
  clock: Clock,
  settings?: ProviderSettings,
  language_model: LanguageModel | null = null,
): Providers {
  const twilio = settings && twilioAccount(settings)
  const smtp = settings && smtpAccount(settings)
  return {
    voice: voiceProvider(),
    sms: twilio ? twilioSms(twilio) : sandboxSms(db, clock),
    email: smtp ? smtpEmail(smtp, () => installationSecret(db)) : sandboxEmail(db, clock),
    language_model,
  }

  function voiceProvider(): VoiceProvider {
    const carrier = settings ? carrierOf(settings) : 'sandbox'
    const known = references(db)
    switch (carrier) {
      case 'twilio':
        return relayCarrier(db, clock, relayAccount(twilio!))
      case 'telnyx':
        return relayCarrier(db, clock, telnyxAccount(settings!)!)
      case 'vapi':
        return hostedCarrier(db, clock, known, vapiHost(vapiAccount(settings!)!, known))
      case 'retell':
        return hostedCarrier(db, clock, known, retellHost(retellAccount(settings!)!, known))
      case 'sandbox':
        return sandboxCarrier(db, clock)
    }
  }
}
