import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, broken, Refusal } from '../core/errors.ts'
import type { Actor, Operation } from '../core/operation.ts'
import { unstorable } from '../core/validate.ts'
import type { Admission, Admit, Allowance } from './authenticate.ts'
import { asRefusal, errorBody, STATUS } from './errors.ts'
import { etagOf, namesTag } from './etag.ts'
import { once } from './idempotency.ts'
import { type Caller, inTransaction, type Service } from './run.ts'
import { type Run, runner } from './together.ts'

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission
    /** The JSON text may hold a character or a number that can't be stored. */
    suspectText: boolean
  }
}

/** Routes for every operation, in the order of checks: path, method, key, rate limit, input, record. */
export function addRest(app: FastifyInstance, operations: Operation[], service: Service, admit: Admit): void {
  const run = runner(service)
  for (const op of operations) {
    app.route({
      method: op.method,
      url: op.path,
      onRequest: async (request, reply) => authenticate(request, reply, admit),
      handler: (request, reply) => answer(request, reply, op, service, run),
    })
  }
}

async function authenticate(request: FastifyRequest, reply: FastifyReply, admit: Admit): Promise<void> {
  const key = request.headers['x-api-key'] ?? request.headers['x-public-api-key']
  if (typeof key !== 'string' || key === '')
    throw new Refusal('unauthorized', 'Send an API key in the header X-API-KEY')
  const admission = await admit(key, 'rest')
  if (!admission) throw new Refusal('unauthorized', 'The API key is unknown or disabled')
  request.admission = admission
  if (admission.allowance) limitHeaders(reply, admission.allowance)
}

/** Sets the rate-limit headers and refuses when the allowance is spent. */
export function limitHeaders(reply: FastifyReply, { allowed, limit, remaining, resetAt }: Allowance): void {
  reply
    .header('X-RateLimit-Limit', limit)
    .header('X-RateLimit-Remaining', remaining)
    .header('X-RateLimit-Reset', resetAt)
  if (allowed) return
  reply.header('Retry-After', Math.max(1, resetAt - Math.floor(Date.now() / 1000)))
  throw new Refusal(
    'too many requests',
    `The allowance of ${limit} requests per hour is spent; it is renewed at ${new Date(resetAt * 1000).toISOString()}`,
  )
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  op: Operation,
  service: Service,
  run: Run,
): Promise<unknown> {
  const input = readInput(request, op)
  const caller = callerOf(request)
  const key = op.method === 'POST' ? request.headers['idempotency-key'] : undefined
  if (key !== undefined) {
    if (typeof key !== 'string' || key === '' || key.length > 255) {
      badRequest('Idempotency-Key: must have 1 to 255 characters', [
        { field: 'Idempotency-Key', message: 'must have 1 to 255 characters' },
      ])
    }
    const path = request.url.split('?', 1)[0]!
    const kept = await inTransaction(service, caller, (ctx) =>
      once(ctx, op, path, key, input, () => op.run(ctx, input as never)),
    )
    if (kept.replayed) reply.header('Idempotent-Replayed', 'true')
    return reply.code(kept.status).type(JSON_TYPE).send(kept.body)
  }
  const result = await run(caller, op, input)
  reply.code(op.status)
  if (!op.output) return reply.send()
  const body = JSON.stringify(result)
  if (op.etag) {
    const tag = etagOf(body)
    reply.header('ETag', tag).header('Cache-Control', 'private, no-cache')
    if (namesTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  }
  return reply.type(JSON_TYPE).send(body)
}

const JSON_TYPE = 'application/json; charset=utf-8'

function callerOf({ admission, id }: FastifyRequest): Caller {
  const { companyId, keyId, keyName, hasWebhooks } = admission
  const actor: Actor = { type: 'key', id: keyId, name: keyName }
  return { companyId, actor, channel: 'public_api', requestId: id, hasWebhooks }
}

function readInput(request: FastifyRequest, op: Operation): unknown {
  const params = readText(request.params as Record<string, string>, op)
  const query = readText(request.query as Record<string, string>, op)
  const body = request.body === undefined ? {} : request.body
  const takesBody = op.method !== 'GET' && op.method !== 'DELETE'
  if (takesBody && (body === null || typeof body !== 'object' || Array.isArray(body)))
    badRequest('body: must be a JSON object', [{ field: 'body', message: 'must be an object' }])
  if (takesBody)
    for (const name of Object.keys(query))
      badRequest(`${name}: unknown parameter`, [{ field: name, message: 'unknown parameter' }])
  const input = takesBody ? { ...body, ...params } : { ...query, ...params }
  const ownText = op.entries ? { ...input, [op.entries]: undefined } : input
  const unkept = takesBody && !request.suspectText ? unstorable(params) : unstorable(ownText)
  const details = [...unkept, ...op.check(input)]
  if (details.length > 0) throw broken(details)
  return input
}

/** Path and query values are text: reads them as the numbers and booleans their schemas want. */
function readText(values: Record<string, string>, op: Operation): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(values)) {
    const schema = op.input.properties[name] as { type?: string | string[] } | undefined
    const types = [schema?.type].flat()
    if (types.includes('integer') && /^-?\d{1,17}$/.test(text)) read[name] = Number(text)
    else if (types.includes('boolean') && (text === 'true' || text === 'false')) read[name] = text === 'true'
    else read[name] = text
  }
  return read
}

/** Refusals in their one shape; everything else is our bug and says nothing of the inside. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = asRefusal(error)
  if (refusal) {
    reply
      .code(STATUS[refusal.kind])
      .type(JSON_TYPE)
      .send(errorBody(refusal.kind, refusal.message, refusal.details, request.id))
    return
  }
  request.log.error({ err: error, request_id: request.id }, 'request failed')
  const message = `Something went wrong on our side; retry later and name the request id ${request.id} when you report it`
  reply
    .code(500)
    .type(JSON_TYPE)
    .send(errorBody('internal server error', message, [], request.id))
}
