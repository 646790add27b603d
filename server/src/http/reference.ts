import { gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { NamedOperation } from '../core/operation.ts'
import { VERSION } from '../core/version.ts'
import { etagOf, namesTag } from './etag.ts'
import { openApi } from './openapi.ts'

/** `/openapi.json` and, made of it, the reference page `/docs`, in which operations can be tried. */
export function addReference(app: FastifyInstance, operations: NamedOperation[], publicUrl?: string): void {
  const document = openApi(operations, VERSION)
  app.get('/openapi.json', (request, reply) => {
    const url = publicUrl ?? `${request.protocol}://${request.host}`
    reply.type('application/json; charset=utf-8').send(JSON.stringify({ ...document, servers: [{ url }] }))
  })
  app.get('/docs', (_request, reply) => {
    reply.header('Content-Security-Policy', POLICY).type('text/html; charset=utf-8').send(PAGE)
  })
  app.get('/docs/start.js', (_request, reply) => {
    reply.type('text/javascript; charset=utf-8').send(START)
  })
  let scalar: ReturnType<typeof loadScalar> | undefined
  app.get('/docs/scalar.js', async (request, reply) => {
    scalar ??= loadScalar()
    return sendScript(request, reply, await scalar)
  })
}

/** Nothing comes from elsewhere and nothing goes elsewhere. Scalar sets styles in the page, so these are let in. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Docketcall API reference</title>
</head>
<body>
<div id="reference"></div>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

/** Operations are tried at the address the page came from, whatever PUBLIC_URL says; Scalar's own services are off. */
const START = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  servers: [{ url: location.origin }],
  authentication: { preferredSecurityScheme: 'ApiKey' },
  orderSchemaPropertiesBy: 'preserve',
  modelsSectionLabel: 'Schemas',
  documentDownloadType: 'json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})
`

interface Script {
  text: string
  zipped: Buffer
  tag: string
}

/** The package keeps the page's program, 4 MB, as a text that it only shows as a route of its plugin. */
async function loadScalar(): Promise<Script> {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const carrier = Fastify()
  await carrier.register(plugin, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const { body: text } = await carrier.inject('/docs/js/scalar.js')
  await carrier.close()
  return { text, zipped: gzipSync(text), tag: etagOf(text) }
}

function sendScript(request: FastifyRequest, reply: FastifyReply, { text, zipped, tag }: Script): FastifyReply {
  reply.header('ETag', tag).header('Cache-Control', 'no-cache').header('Vary', 'Accept-Encoding')
  if (namesTag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  reply.type('text/javascript; charset=utf-8')
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding']))
  return takesGzip ? reply.header('Content-Encoding', 'gzip').send(zipped) : reply.send(text)
}
