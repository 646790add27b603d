import { type Detail, Refusal, type RefusalKind } from '../core/errors.ts'
import { isOutOfReach } from '../core/out-of-reach.ts'

/** The one table between the vocabulary of refusals and HTTP. */
export const STATUS: Record<RefusalKind, number> = {
  'bad request': 400,
  unauthorized: 401,
  'not found': 404,
  'method not allowed': 405,
  'too many requests': 429,
  'service unavailable': 503,
}

export interface ErrorBody {
  error: RefusalKind | 'internal server error'
  message: string
  details: Detail[]
  request_id: string
}

export function errorBody(error: ErrorBody['error'], message: string, details: Detail[], requestId: string): ErrorBody {
  return { error, message, details, request_id: requestId }
}

/** Fastify's own complaints about a request are 400s: malformed JSON, a wrong content type, a body over the limit. */
export function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message: string }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal('bad request', 'The body must be sent as Content-Type: application/json')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('bad request', 'The body is larger than 32 MB')
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return new Refusal('bad request', 'The body is empty; send a JSON object')
  if (statusCode && statusCode >= 400 && statusCode < 500) return new Refusal('bad request', message)
  if (isOutOfReach(error)) return new Refusal('service unavailable', 'The database is out of reach; retry later')
  return undefined
}
