import { DialPutOff, DialRefused } from '../voice.ts'

/** Seconds until a host that takes no more calls is asked again. */
const BUSY_SECONDS = 5
/** … and one that does not know us, wants to be paid, or can't be reached. */
const LOCKED_OUT_SECONDS = 60

const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** The client gave up, or somebody else was faster: whether there is a call now is not said. */
const LEAVES_IT_OPEN = new Set([408, 409])

/** What is certain about a call that could not be placed; anything else is answered as it is, and leaves it open. */
export function placingFailure(host: string, error: unknown): unknown {
  const status = statusOf(error)
  const message = error instanceof Error ? error.message : String(error)
  if (status !== undefined) {
    const said = `${host} answered ${status}: ${message}`
    if (status === 429 || (status < 500 && /concurren/i.test(message)))
      return new DialPutOff(BUSY_SECONDS * (1 + Math.random()), said)
    if ([401, 402, 403].includes(status)) return new DialPutOff(LOCKED_OUT_SECONDS, said)
    if (status >= 400 && status < 500 && !LEAVES_IT_OPEN.has(status))
      return new DialRefused(/to_number|customer\.number/.test(message) ? 'invalid_destination' : 'dial_failed', said)
    return error
  }
  const code = codeOf(error)
  if (code && UNREACHED.has(code)) return new DialPutOff(LOCKED_OUT_SECONDS, `${host} can't be reached: ${code}`)
  return error
}

/** Nobody was rung yet. */
export function putOff(host: string, error: unknown): DialPutOff | DialRefused {
  if (error instanceof DialPutOff || error instanceof DialRefused) return error
  return new DialPutOff(LOCKED_OUT_SECONDS, `${host}: ${error instanceof Error ? error.message : String(error)}`)
}

/** The HTTP status of an answer, as the vendors' SDKs throw it. */
export function statusOf(error: unknown): number | undefined {
  const { status, statusCode } = error as { status?: unknown; statusCode?: unknown }
  return [status, statusCode].find((each) => typeof each === 'number') as number | undefined
}

/** The SDKs wrap what Node says of a connection. */
function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string') return code
  }
  return undefined
}
