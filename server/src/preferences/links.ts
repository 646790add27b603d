import { createHmac, timingSafeEqual } from 'node:crypto'
import { installationSecret } from '../core/installation-secret.ts'
import type { Engine } from '../engine/job.ts'
import type { WaysOut } from '../providers/email.ts'

/** Whom a link is for. */
export interface Holder {
  company_id: number
  client_id: number
  /** The message that the link stood in: it knows the address. 0 for none. */
  message_id: number
}

/** 144 bits */
const MAC_LETTERS = 24

const mac = (secret: Buffer, payload: string) =>
  createHmac('sha256', secret).update(`preferences ${payload}`).digest('base64url').slice(0, MAC_LETTERS)

/** Letters, digits, - and _: nothing that a mail program would break off or encode. */
export function tokenOf(secret: Buffer, { company_id, client_id, message_id }: Holder): string {
  const payload = [company_id, client_id, message_id].map((id) => id.toString(36)).join('-')
  return `${payload}-${mac(secret, payload)}`
}

/** Null for a token that is not one of ours. */
export function holderOf(secret: Buffer, token: string): Holder | null {
  const match = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})-([0-9a-z]{1,11})-([\w-]{24})$/.exec(token)
  if (!match) return null
  const [, company, client, message, given] = match as unknown as [string, string, string, string, string]
  const payload = `${company}-${client}-${message}`
  if (!timingSafeEqual(Buffer.from(given), Buffer.from(mac(secret, payload)))) return null
  const [company_id, client_id, message_id] = [company, client, message].map((id) => Number.parseInt(id, 36))
  return { company_id: company_id!, client_id: client_id!, message_id: message_id! }
}

/** How the holder of a message stops e-mail, and chooses other ways. */
export async function waysOut(
  { pool, publicUrl }: Pick<Engine, 'pool' | 'publicUrl'>,
  holder: Holder,
): Promise<WaysOut> {
  const token = tokenOf(await installationSecret(pool), holder)
  return { unsubscribe_url: `${publicUrl}/u/${token}`, preferences_url: `${publicUrl}/preferences/${token}` }
}
