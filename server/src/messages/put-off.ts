const FIRST_SECONDS = 60
const LONGEST_SECONDS = 3600
/** With doubled waits up to an hour, a day. */
const MOST = 28

/**
 * Seconds until a message that was put off for the n-th time (from 0) is tried again, at least as many as the provider
 * asks for; null when it is given up.
 */
export function retryDelay(n: number, asked: number): number | null {
  if (n >= MOST) return null
  return Math.max(asked, Math.min(FIRST_SECONDS * 2 ** n, LONGEST_SECONDS))
}
