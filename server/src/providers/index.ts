import type { Clock } from '../core/clock.ts'
import type { Database } from '../core/db.ts'
import type { EmailProvider } from './email.ts'
import type { LanguageModel } from './language-model.ts'
import { sandboxCarrier } from './sandbox/carrier.ts'
import { sandboxEmail, sandboxSms } from './sandbox/messages.ts'
import type { SmsProvider } from './sms.ts'
import { type TwilioSettings, twilioAccount } from './twilio/account.ts'
import { twilioCarrier } from './twilio/carrier.ts'
import type { VoiceProvider } from './voice.ts'

export interface Providers {
  voice: VoiceProvider
  sms: SmsProvider
  email: EmailProvider
  /** null: agents follow their script. */
  language_model: LanguageModel | null
}

/** The outside world. Without settings for a real one, all of it is the sandbox. */
export function createProviders(
  db: Database,
  clock: Clock,
  settings?: TwilioSettings,
  language_model: LanguageModel | null = null,
): Providers {
  const twilio = settings && twilioAccount(settings)
  return {
    voice: twilio ? twilioCarrier(db, clock, twilio) : sandboxCarrier(db, clock),
    sms: sandboxSms(db, clock),
    email: sandboxEmail(db, clock),
    language_model,
  }
}
