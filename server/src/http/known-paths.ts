import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../core/errors.ts'

interface Route {
  method: string
  path: string
  pattern: RegExp
}

/** A wrong method on a known path is 405 with `Allow`, an unknown path 404. To be called before routes are added. */
export function refuseUnknownPaths(app: FastifyInstance): void {
  const routes: Route[] = []
  /** By the path of a route with parameters: the literal paths that it would match, too. */
  const shadowed = new Map<string, Set<string>>()

  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`)
    for (const each of [method].flat()) if (each !== 'HEAD') routes.push({ method: each, path: url, pattern })
  })
  app.addHook('onReady', async () => {
    const literal = routes.map(({ path }) => path).filter((path) => !path.includes(':'))
    for (const { path, pattern } of routes)
      if (path.includes(':')) shadowed.set(path, new Set(literal.filter((other) => pattern.test(other))))
  })
  // Before the body is read. A literal path wins over a pattern: GET /v1/clients/bulk is a wrong method, not the client
  // "bulk".
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404 || shadowed.get(request.routeOptions.url!)?.has(pathOf(request))) refuse(request, reply)
  })
  app.setNotFoundHandler(refuse)

  function refuse(request: FastifyRequest, reply: FastifyReply): never {
    const path = pathOf(request)
    const literal = routes.filter((route) => route.path === path)
    const found = literal.length > 0 ? literal : routes.filter(({ pattern }) => pattern.test(path))
    const allowed = [...new Set(found.map(({ method }) => method))].join(', ')
    if (allowed === '') throw new Refusal('not found', `There is nothing at ${path}; the reference is at /docs`)
    reply.header('Allow', allowed)
    throw new Refusal('method not allowed', `${request.method} is not allowed on ${path}; allowed: ${allowed}`)
  }
}

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0]!
