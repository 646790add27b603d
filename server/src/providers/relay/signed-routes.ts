import type { FastifyInstance } from 'fastify'
import type { SignedRequest } from './account.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came, of routes for a carrier. */
    formText: string
  }
}

/**
 * Routes that only a carrier may call: each request is proven by its signature over what it says, and over its address
 * as we gave it out, never as the request says of itself. Form fields are text; what else comes is refused.
 */
export function addSignedRoutes(
  app: FastifyInstance,
  isSigned: (request: SignedRequest) => boolean,
  add: (routes: FastifyInstance) => void | Promise<void>,
): void {
  app.register(async (routes) => {
    routes.decorateRequest('formText', '')
    routes.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
      request.formText = body as string
      done(null, formFields(body as string))
    })
    routes.addHook('preValidation', async (request, reply) => {
      const { url, headers, formText: text } = request
      const fields = (request.body ?? {}) as SignedRequest['fields']
      if (isSigned({ url, headers, text, fields })) return
      request.log.warn({ path: url.split('?', 1)[0] }, "a request without the carrier's signature")
      return reply.code(403).type('text/plain').send('The signature does not fit')
    })
    await add(routes)
  })
}

/** Names may repeat; carriers add fields without notice, and all of them are signed. */
function formFields(body: string): Record<string, string | string[]> {
  const search = new URLSearchParams(body)
  const names = [...new Set(search.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const values = search.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    }),
  )
}
