import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A long conversation with the time of every word in it. */
const LARGEST_BODY = 10 * 1024 * 1024

interface Callbacks {
  path: string
  /** Where the proof is. */
  header: string
  isOurs(proof: string, request: FastifyRequest, body: string): Promise<boolean>
  /** A rejection is answered with 500, and the host calls again. */
  hear(body: unknown, request: FastifyRequest): Promise<void>
}

/** A route that only a host may call: a request is read once it is proven, and never before. */
export function addCallbacks(app: FastifyInstance, { path, header, isOurs, hear }: Callbacks): void {
  app.register(async (routes) => {
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    routes.post(path, {
      bodyLimit: LARGEST_BODY,
      // Nobody without a proof may send us ten megabytes.
      async onRequest(request, reply) {
        if (typeof request.headers[header] !== 'string') return reply.code(401).send()
      },
      async handler(request, reply) {
        const body = typeof request.body === 'string' ? request.body : ''
        if (!(await isOurs(String(request.headers[header]), request, body))) {
          request.log.warn({ path }, 'a callback without its proof')
          return reply.code(401).send()
        }
        let told: unknown
        try {
          told = JSON.parse(body)
        } catch {
          return reply.code(400).send()
        }
        if (typeof told !== 'object' || told === null) return reply.code(400).send()
        await hear(told, request)
        return reply.code(204).send()
      },
    })
  })
}
