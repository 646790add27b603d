const [MINUTE, HOUR] = [60, 3600]

/** Seconds between the attempts: ten attempts over three and a half days. */
const DELAYS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

const LONGEST_MS = 24 * HOUR * 1000

/**
 * When to try again after so many attempts, a tenth earlier or later so that a crowd of failures does not come back as
 * one; not before the receiver asked to be asked. Undefined when no attempt is left. `random` is from 0 to 1.
 */
export function nextAttempt(
  attempts: number,
  now: Date,
  holdUntil: Date | null,
  random = Math.random(),
): Date | undefined {
  const delay = DELAYS[attempts - 1]
  if (delay === undefined) return undefined
  const at = now.getTime() + delay * 1000 * (0.9 + 0.2 * random)
  return new Date(Math.max(at, holdUntil?.getTime() ?? 0))
}

/** The instant that a `Retry-After` header means, a day ahead at the most; null without a readable one. */
export function readRetryAfter(header: string | undefined, now: Date): Date | null {
  if (header === undefined) return null
  const at = /^\d{1,9}$/.test(header.trim()) ? now.getTime() + Number(header) * 1000 : Date.parse(header)
  if (Number.isNaN(at) || at <= now.getTime()) return null
  return new Date(Math.min(at, now.getTime() + LONGEST_MS))
}
