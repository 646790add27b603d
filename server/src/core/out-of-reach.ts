/** How PostgreSQL and the network say that there is no connection just now, or none left. */
const CODES = new Set([
  '08000',
  '08001',
  '08003',
  '08006',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/** What the driver says of a connection that is gone, without a code. */
const WORDS = /^Connection terminated|connection error and is not queryable|exceeded when trying to connect/

/** The database could not be asked, or nobody heard its answer: worth another try. */
export function isOutOfReach(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return CODES.has(code)
  return typeof message === 'string' && WORDS.test(message)
}
