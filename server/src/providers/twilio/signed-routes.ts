import type { FastifyInstance, FastifyRequest } from 'fastify'
import twilio from 'twilio'
import type { TwilioAccount } from './account.ts'

/**
 * Routes that only Twilio may call: each request is proven by its signature over the address as we gave it out, rebuilt
 * from our settings and never from what the request says of itself. Form fields are text; what else comes is refused.
 */
export function addSignedRoutes(
  app: FastifyInstance,
  { authToken, publicUrl }: TwilioAccount,
  add: (routes: FastifyInstance) => void | Promise<void>,
): void {
  app.register(async (routes) => {
    routes.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
      done(null, formFields(body as string))
    })
    routes.addHook('preValidation', async (request, reply) => {
      if (isSigned(request, authToken, publicUrl)) return
      request.log.warn({ path: request.url.split('?', 1)[0] }, "a request without Twilio's signature")
      return reply.code(403).type('text/plain').send('The signature does not fit')
    })
    await add(routes)
  })
}

function isSigned(request: FastifyRequest, authToken: string, publicUrl: string): boolean {
  const signature = request.headers['x-twilio-signature']
  if (typeof signature !== 'string') return false
  const address = publicUrl + request.url
  const params = (request.body ?? {}) as Record<string, string | string[]>
  // The upgrade of a socket is signed in one spelling or the other.
  const spellings = request.headers.upgrade ? [address, address.replace(/^http/, 'ws')] : [address]
  return spellings.some((url) => twilio.validateRequest(authToken, signature, url, params))
}

/** Names may repeat; Twilio adds fields without notice, and all of them are signed. */
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
