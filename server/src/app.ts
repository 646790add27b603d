import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { Refusal } from './core/errors.ts'
import type { Operation } from './core/operation.ts'
import type { Tool } from './core/tool.ts'
import { admission } from './http/authenticate.ts'
import { addMcp } from './http/mcp.ts'
import { requestId } from './http/request-id.ts'
import { addRest, allowedMethods, sendError } from './http/rest.ts'
import type { Service } from './http/run.ts'

export interface AppOptions {
  service: Service
  operations: Operation[]
  tools: Tool[]
  /** Requests per hour and key; 0 switches the limit off. */
  rateLimit: number
  /** Where the service is reached from outside, if it says so. */
  publicUrl?: string
}

/** 32 MB: 5,000 entries with all their fields. */
const BODY_LIMIT = 32 * 1024 * 1024

/** Escapes that may stand for NUL or half a surrogate pair, which PostgreSQL can't keep. */
const SUSPECT = /\\u(0000|[dD][89a-fA-F])/

export function buildApp({ service, operations, tools, rateLimit, publicUrl }: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: service.log as FastifyBaseLogger,
    // One line per request is what a proxy in front logs; here failures are logged, and the metrics count the rest.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    routerOptions: { maxParamLength: 255 },
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
    const path = request.url.split('?', 1)[0]!
    const allowed = request.routeOptions.config.operation ? allowedMethods(operations, path) : []
    if (allowed.length > 0 && !allowed.includes(request.method === 'HEAD' ? 'GET' : request.method)) {
      reply.header('Allow', allowed.join(', '))
      throw new Refusal(
        'method not allowed',
        `${request.method} is not allowed on ${path}; allowed: ${allowed.join(', ')}`,
      )
    }
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string
    if (text.trim() === '') return done(null, undefined)
    request.suspectText = SUSPECT.test(text)
    try {
      done(null, JSON.parse(text))
    } catch (error) {
      done(new Refusal('bad request', `The body is not valid JSON: ${(error as Error).message}`))
    }
  })
  app.decorateRequest('suspectText', false)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const allowed = allowedMethods(operations, path)
    if (allowed.length === 0) throw new Refusal('not found', `There is nothing at ${path}; the reference is at /docs`)
    reply.header('Allow', allowed.join(', '))
    throw new Refusal(
      'method not allowed',
      `${request.method} is not allowed on ${path}; allowed: ${allowed.join(', ')}`,
    )
  })
  const admit = admission(service.pool, rateLimit)
  addRest(app, operations, service, admit)
  addMcp(app, { tools, service, admit, publicUrl })
  return app
}
