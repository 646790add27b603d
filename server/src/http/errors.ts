import type { Detail, RefusalKind } from '../core/errors.ts'

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
