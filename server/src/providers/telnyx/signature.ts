import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import type { RelayAccount, SignedRequest } from '../relay/account.ts'

/** A callback that was signed longer ago, or is from the future, may be somebody's copy: seconds. */
const TOLERANCE = 300

/** What comes before the 32 bytes of an Ed25519 key in its standard form: RFC 8410. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

interface Keys {
  /** Base64, as Telnyx shows it. */
  publicKey: string
  /** What our own seals are made with. */
  secret: string
}

/**
 * Telnyx signs the body and when it was sent, but no address: what a callback is about is proven by a seal of ours in
 * the address. Of the upgrade of a socket no signature is documented: there the seal is all.
 */
export function telnyxProof({ publicKey, secret }: Keys): Pick<RelayAccount, 'isSigned' | 'seal'> {
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, Buffer.from(publicKey, 'base64')]),
    format: 'der',
    type: 'spki',
  })

  const seal = (about: string): string =>
    createHmac('sha256', secret).update(`relay ${about}`).digest('base64url').slice(0, 27)

  function isSealed({ searchParams }: URL, socket: RegExpExecArray | null): boolean {
    const about = socket?.[1] ?? ['company', 'call', 'round'].map((name) => searchParams.get(name)).join('/')
    const given = Buffer.from(socket?.[2] ?? searchParams.get('seal') ?? '')
    const ours = Buffer.from(seal(about))
    return given.length === ours.length && timingSafeEqual(given, ours)
  }

  function isTheirs({ headers, text }: SignedRequest): boolean {
    const { 'telnyx-timestamp': sent, 'telnyx-signature-ed25519': signature } = headers
    if (typeof sent !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(sent)) return false
    if (Math.abs(Date.now() / 1000 - Number(sent)) > TOLERANCE) return false
    return verify(null, Buffer.from(`${sent}|${text}`), key, Buffer.from(signature, 'base64'))
  }

  return {
    seal,
    isSigned(request) {
      const url = new URL(request.url, 'http://localhost')
      const socket = /\/relay\/(\d+\/\d+\/\d+)\/([\w-]+)$/.exec(url.pathname)
      return isSealed(url, socket) && (socket !== null || isTheirs(request))
    },
  }
}
