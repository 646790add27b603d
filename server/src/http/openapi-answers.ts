import Type from 'typebox'
import type { Operation } from '../core/operation.ts'
import { type ErrorBody, errorBody, STATUS } from './errors.ts'
import { exampleOf, type Shape } from './example.ts'
import type { Components } from './openapi-components.ts'

const integerHeader = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example })

const REQUEST_ID = '0b9f7c1e-6a57-4b8e-9a6c-2f4f2d6c1a77'

export const HEADERS = {
  RequestId: {
    description: 'Names the request in our log; taken over from the request when well-formed',
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  RateLimitLimit: integerHeader('Requests that the key has per hour; absent while the limit is switched off', 500),
  RateLimitRemaining: integerHeader('Requests that are left in this hour', 499),
  RateLimitReset: integerHeader('When the hour is over, in seconds since 1970 (UTC)', 1772465400),
  RetryAfter: integerHeader('Seconds until the next request makes sense', 1800),
  IdempotentReplayed: {
    description: 'The answer is the kept one of the first request with this Idempotency-Key',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  ETag: {
    description: 'Changes with the answer; send it back in If-None-Match',
    schema: { type: 'string' },
    example: '"ZPs1U0Ylp0bGJ0wTz4vUvJ4kXoM"',
  },
}

const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })
const ALWAYS = { 'X-Request-Id': header('RequestId') }
/** The headers of every answer to a known key. */
export const LIMITED = {
  ...ALWAYS,
  'X-RateLimit-Limit': header('RateLimitLimit'),
  'X-RateLimit-Remaining': header('RateLimitRemaining'),
  'X-RateLimit-Reset': header('RateLimitReset'),
}

export const ErrorSchema = Type.Object(
  {
    error: Type.String({
      enum: [...Object.keys(STATUS), 'internal server error'] satisfies string[],
      description: 'The kind of error, one per status code',
    }),
    message: Type.String({ description: 'A sentence that names the field and the rule' }),
    details: Type.Array(
      Type.Object({
        field: Type.String({ description: 'Path into the request', examples: ['runs[0].start_time'] }),
        message: Type.String({ description: 'The rule that it breaks', examples: ['is required'] }),
      }),
      { description: 'Every broken rule' },
    ),
    request_id: Type.String({ description: 'The same as in the header X-Request-Id' }),
  },
  { title: 'Error' },
)

const refusal = (
  description: string,
  headers: object,
  ...body: [ErrorBody['error'], string, ErrorBody['details']?]
) => ({
  description,
  headers,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      example: errorBody(body[0], body[1], body[2] ?? [], REQUEST_ID),
    },
  },
})

/** The refusals that an operation can answer with, by the name they have among the components. */
export const REFUSALS = {
  BadRequest: refusal(
    'The request breaks a rule; nothing was changed',
    LIMITED,
    'bad request',
    'first_name: is required (and 1 more)',
    [
      { field: 'first_name', message: 'is required' },
      { field: 'mobil', message: "unknown field; did you mean 'mobile'?" },
    ],
  ),
  Unauthorized: refusal(
    'The API key is missing, unknown or disabled',
    ALWAYS,
    'unauthorized',
    'The API key is unknown or disabled',
  ),
  NotFound: refusal('The company has no such record', LIMITED, 'not found', 'client 42 not found'),
  TooManyRequests: refusal(
    'The allowance of the key is spent',
    { ...LIMITED, 'Retry-After': header('RetryAfter') },
    'too many requests',
    'The allowance of 500 requests per hour is spent; it is renewed at 2026-03-02T15:30:00.000Z',
  ),
  InternalServerError: refusal(
    'A fault on our side',
    ALWAYS,
    'internal server error',
    `Something went wrong on our side; retry later and name the request id ${REQUEST_ID} when you report it`,
  ),
  ServiceUnavailable: refusal(
    'Maintenance, or the database is out of reach',
    ALWAYS,
    'service unavailable',
    'The database is out of reach; retry later',
  ),
}

/** By status code; 404 only where the path or the body names a record. */
export function refusalsOf(op: Operation) {
  const ref = (name: keyof typeof REFUSALS) => ({ $ref: `#/components/responses/${name}` })
  return {
    400: ref('BadRequest'),
    401: ref('Unauthorized'),
    ...((op.pathParameters.length > 0 || op.namesRecord) && { 404: ref('NotFound') }),
    429: ref('TooManyRequests'),
    500: ref('InternalServerError'),
    503: ref('ServiceUnavailable'),
  }
}

/** The answers of success. */
export function answers(op: Operation, components: Components) {
  const headers = {
    ...LIMITED,
    ...(op.method === 'POST' && { 'Idempotent-Replayed': header('IdempotentReplayed') }),
    ...(op.etag && { ETag: header('ETag') }),
  }
  const output = op.output as Shape | undefined
  const content = output && {
    'application/json': { schema: components.of(output), example: exampleOf(output, 'answer') },
  }
  return {
    [op.status]: {
      description: output ? DONE[op.status]! : 'Done; without a body',
      headers,
      ...(content && { content }),
    },
    ...(op.etag && { 304: { description: 'Nothing has changed since the given ETag', headers: LIMITED } }),
  }
}

const DONE: Record<number, string> = { 200: 'Done', 201: 'Created' }
