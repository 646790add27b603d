import twilio from 'twilio'
import { DialPutOff, DialRefused } from '../voice.ts'

/** The number can't be called, whoever calls it: twilio.com/docs/api/errors. */
const BAD_NUMBERS = new Set([13223, 13224, 21211, 21214, 21217, 21401, 21421])

/** Errors of one call, such as a country that the account may not call; others are the account's. */
const isAboutCall = (code: number | undefined) => code !== undefined && [13, 21].includes(Math.floor(code / 1000))

/** Seconds until a carrier that takes no more calls is asked again. */
const BUSY_SECONDS = 5
/** … and one that does not know us, or can't be reached. */
const LOCKED_OUT_SECONDS = 60

const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** What is certain about a call that could not be placed; anything else is answered as it is, and leaves it open. */
export function placingFailure(error: unknown): unknown {
  if (error instanceof twilio.RestException) {
    const { status, code, message } = error
    const said = `Twilio answered ${status}${code ? `, error ${code}` : ''}: ${message}`
    if (status === 429 || code === 20429) return new DialPutOff(BUSY_SECONDS * (1 + Math.random()), said)
    if (status === 401 || (status === 403 && !isAboutCall(code))) return new DialPutOff(LOCKED_OUT_SECONDS, said)
    if (status >= 400 && status < 500)
      return new DialRefused(code && BAD_NUMBERS.has(code) ? 'invalid_destination' : 'dial_failed', said)
    return error
  }
  const { code } = error as { code?: string }
  if (code && UNREACHED.has(code)) return new DialPutOff(LOCKED_OUT_SECONDS, `Twilio can't be reached: ${code}`)
  return error
}
