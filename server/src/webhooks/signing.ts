import { createHmac, randomBytes } from 'node:crypto'

/** Standard Webhooks 1.0, symmetric: https://www.standardwebhooks.com */

/** How long a rotated secret goes on signing beside the new one. */
export const OVERLAP_MS = 24 * 3600_000

export const newSecret = (): Buffer => randomBytes(32)

/** A secret as receivers are given it. */
export const shownSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`

/** One webhook-id per event and webhook: what a receiver knows a repetition by. */
export const webhookId = (uid: string, webhookId: number): string => `msg_${uid.replaceAll('-', '')}_${webhookId}`

/** The headers of one attempt; `seconds` is the time of the attempt. Every secret signs. */
export function signedHeaders(id: string, seconds: number, body: string, secrets: Buffer[]): Record<string, string> {
  return headers(id, seconds, secrets.map((secret) => signature(id, seconds, body, secret)).join(' '))
}

/** The headers of an attempt as its log shows them: what was signed can be seen, the signature can't. */
export const maskedHeaders = (id: string, seconds: number): Record<string, string> => headers(id, seconds, 'v1,***')

function headers(id: string, seconds: number, signatures: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Docketcall-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures,
  }
}

function signature(id: string, seconds: number, body: string, secret: Buffer): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`
}
