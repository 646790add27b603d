import type { FastifyInstance } from 'fastify'
import type { NamedOperation } from '../core/operation.ts'
import { VERSION } from '../core/version.ts'
import { openApi } from './openapi.ts'

/** `/openapi.json` and, made of it, the reference page `/docs`. */
export function addReference(app: FastifyInstance, operations: NamedOperation[], publicUrl?: string): void {
  const document = openApi(operations, VERSION)
  app.get('/openapi.json', async (request, reply) => {
    const url = publicUrl ?? `${request.protocol}://${request.host}`
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ ...document, servers: [{ url }] }))
  })
}
