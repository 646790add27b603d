import { type CarrierSettings, carrierOf } from '../core/carrier.ts'
import type { Clock } from '../core/clock.ts'
import type { Database } from '../core/db.ts'
import { installationSecret } from '../core/installation-secret.ts'
import type { EmailProvider } from './email.ts'
import type { LanguageModel } from './language-model.ts'
import { sandboxCarrier } from './sandbox/carrier.ts'
import { sandboxEmail, sandboxSms } from './sandbox/messages.ts'
import type { SmsProvider } from './sms.ts'
import { type SmtpSettings, smtpAccount } from './smtp/account.ts'
import { smtpEmail } from './smtp/email.ts'
import { type TwilioSettings, twilioAccount } from './twilio/account.ts'
import { twilioCarrier } from './twilio/carrier.ts'
import { twilioSms } from './twilio/sms.ts'
import type { VoiceProvider } from './voice.ts'

export interface Providers {
  voice: VoiceProvider
  sms: SmsProvider
  email: EmailProvider
  /** null: agents follow their script. */
  language_model: LanguageModel | null
}

type ProviderSettings = CarrierSettings & TwilioSettings & SmtpSettings

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
    switch (carrier) {
      case 'twilio':
        return twilioCarrier(db, clock, twilio!)
      case 'sandbox':
        return sandboxCarrier(db, clock)
    }
  }
}
