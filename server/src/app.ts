import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { Refusal } from './core/errors.ts'
import { isTooDeep, MOST_LEVELS } from './core/nesting.ts'
import type { NamedOperation } from './core/operation.ts'
import type { Tool } from './core/tool.ts'
import { admission } from './http/authenticate.ts'
import { addHealth } from './http/health.ts'
import { refuseUnknownPaths } from './http/known-paths.ts'
import { addMcp } from './http/mcp.ts'
import { addMetrics } from './http/metrics.ts'
import { addReference } from './http/reference.ts'
import { requestId } from './http/request-id.ts'
import { addRest, sendError } from './http/rest.ts'
import type { Service } from './http/run.ts'
import { answerUnreadable, utf8 } from './http/unreadable.ts'

export interface AppOptions {
  service: Service
  operations: NamedOperation[]
  tools: Tool[]
  /** Requests per hour and key; 0 switches the limit off. */
  rateLimit: number
  /** Where the service is reached from outside, if it says so. */
  publicUrl?: string
  /** Whether the engine of this process is running; absent where it has none. */
  engineReady?: () => boolean
}

/** 32 MB: 5,000 entries with all their fields. */
const BODY_LIMIT = 32 * 1024 * 1024

/**
 * Escapes that may stand for NUL or half a surrogate pair, which PostgreSQL can't keep, and what may be a number beyond
 * all bounds, which would become null.
 */
const SUSPECT = /\\u(0000|[dD][89a-fA-F])|\d[eE]\+?\d{3}|\d{300}/

/** As long as headers may be: an id of any length is judged by its operation. */
const PARAMETER_LIMIT = 16 * 1024

export function buildApp({ service, operations, tools, rateLimit, publicUrl, engineReady }: AppOptions) {
  const app = buildMonitor(service, engineReady)
  const admit = admission(service.pool, rateLimit)
  addRest(app, operations, service, admit)
  addMcp(app, { tools, service, admit, publicUrl })
  addReference(app, operations, publicUrl)
  return app
}

/** What a process that only runs the engine serves: whether it is alive, whether it is ready, and what it counts. */
export function buildMonitor({ pool, clock, log }: Service, engineReady?: () => boolean): FastifyInstance {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    // One line per request is what a proxy in front logs; here failures are logged, and the metrics count the rest.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    routerOptions: { maxParamLength: PARAMETER_LIMIT },
    frameworkErrors: sendError,
    clientErrorHandler: answerUnreadable,
    // Whatever still comes in while the service stops is answered.
    return503OnClosing: false,
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff')
    done()
  })
  refuseUnknownPaths(app)
  readJson(app)
  app.setErrorHandler(sendError)
  addHealth(app, pool, engineReady)
  addMetrics(app, pool, clock)
  return app
}

function readJson(app: FastifyInstance): void {
  app.decorateRequest('suspectText', false)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = utf8(body as Buffer)
    if (text === undefined) return done(new Refusal('bad request', 'The body is not UTF-8'))
    if (text.trim() === '') return done(null, undefined)
    request.suspectText = SUSPECT.test(text)
    let read: unknown
    try {
      read = JSON.parse(text)
    } catch (error) {
      return done(new Refusal('bad request', `The body is not valid JSON: ${(error as Error).message}`))
    }
    if (isTooDeep(read))
      return done(new Refusal('bad request', `The body is nested more than ${MOST_LEVELS} levels deep`))
    done(null, read)
  })
}
