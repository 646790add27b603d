import type { Config } from '../../core/config.ts'

/** What the settings say of the mail server; only where they say all of it. */
export interface SmtpAccount {
  /** `smtp://user:password@host:587` or `smtps://…` */
  url: string
  /** Our address, and where people answer. */
  from: string
}

export type SmtpSettings = Partial<Pick<Config, 'SMTP_URL' | 'SMTP_FROM'>>

export function smtpAccount({ SMTP_URL, SMTP_FROM }: SmtpSettings): SmtpAccount | undefined {
  return SMTP_URL && SMTP_FROM ? { url: SMTP_URL, from: SMTP_FROM } : undefined
}
