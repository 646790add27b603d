import twilio from 'twilio'
import { MessagePutOff, MessageRefused, type RefusalReason } from '../message.ts'

/** What Twilio's error codes say of the recipient: twilio.com/docs/api/errors. */
const REASONS: Record<number, RefusalReason> = {
  21610: 'opted_out',
  21211: 'invalid_address',
  21214: 'invalid_address',
  21217: 'invalid_address',
  21401: 'invalid_address',
  21421: 'invalid_address',
  21614: 'invalid_address',
  21612: 'unreachable',
  30003: 'unreachable',
  30004: 'unreachable',
  30005: 'unreachable',
  30006: 'unreachable',
}

const WORDS: Record<number, string> = {
  21610: 'the recipient has opted out at the carrier',
  21614: 'the number is no mobile number',
  30003: 'the phone could not be reached',
  30004: 'the recipient blocks messages',
  30005: 'the number is unknown or not in service',
  30006: 'the number is a landline, or its carrier takes no texts',
  30007: 'the carrier has filtered the message out',
  30008: 'the carrier does not say why',
  30034: 'the sending number is not registered for texts (A2P 10DLC)',
}

/** Seconds until a carrier that takes no more messages is asked again. */
const BUSY_SECONDS = 5
/** … and one that does not know us, or can't be reached. */
const LOCKED_OUT_SECONDS = 60

const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** What is certain about a text that could not be sent; anything else is answered as it is, and leaves it open. */
export function sendingFailure(error: unknown): unknown {
  if (error instanceof twilio.RestException) {
    const { status, code = 0, message } = error
    const said = `${WORDS[code] ?? message} (Twilio: ${status}${code ? `, error ${code}` : ''})`
    if (status === 429 || code === 20429) return new MessagePutOff(BUSY_SECONDS * (1 + Math.random()), said)
    if (status === 401 || status === 403) return new MessagePutOff(LOCKED_OUT_SECONDS, said)
    if (status >= 400 && status < 500) return new MessageRefused(REASONS[code] ?? 'not_allowed', said)
    return error
  }
  const { code } = error as { code?: string }
  return code && UNREACHED.has(code) ? new MessagePutOff(LOCKED_OUT_SECONDS, `Twilio can't be reached: ${code}`) : error
}

/** Why a text that was taken did not arrive. */
export function undelivered(
  code: number | null | undefined,
  message?: string | null,
): { reason: RefusalReason; error: string } {
  const words = (code && WORDS[code]) || message || 'not delivered'
  return { reason: (code && REASONS[code]) || 'not_allowed', error: code ? `${words} (Twilio: error ${code})` : words }
}
