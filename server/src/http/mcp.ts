import {
  classifyInboundRequest,
  createMcpHandler,
  isJsonContentType,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type MessageClassification,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../core/errors.ts'
import { isTooDeep, MOST_LEVELS } from '../core/nesting.ts'
import type { Tool } from '../core/tool.ts'
import type { Admission, Admit } from './authenticate.ts'
import { RpcError, sendRpcError } from './mcp-errors.ts'
import { isForeign } from './mcp-origin.ts'
import { MODERN, toolServer } from './mcp-server.ts'
import { exchange } from './mcp-transport.ts'
import { limitHeaders } from './rest.ts'
import type { Caller, Service } from './run.ts'
import { utf8 } from './unreadable.ts'

const PATH = '/v1/mcp'

export interface McpOptions {
  tools: Tool[]
  service: Service
  admit: Admit
  /** Where the service is reached from outside, if it says so. */
  publicUrl?: string
}

/**
 * The tool interface: JSON-RPC over POST, stateless, answered with JSON, in both eras of the protocol. The SDK carries
 * the protocol; here stands what comes before it: origin, key, allowance, and what our contract takes that the SDK's own
 * HTTP entry would not (any `Accept`, no handshake).
 */
export function addMcp(app: FastifyInstance, { tools, service, admit, publicUrl }: McpOptions): void {
  const serverFor = toolServer(tools, service)
  const modern = createMcpHandler(({ authInfo }) => serverFor(authInfo!.extra!.caller as Caller), {
    legacy: 'reject',
    onerror: (error) => service.log.debug({ err: error }, 'mcp request refused'),
  })

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const body = parse(request)
    const { method, id } = (body ?? {}) as Partial<JSONRPCRequest>
    const isCall = method === 'tools/call' && id !== undefined
    const caller = callerOf(await admitted(request, reply, isCall), request)
    if (body === UNREADABLE) throw new RpcError(400, -32700, 'Parse error: the body is not valid JSON')
    if (isTooDeep(body)) throw new RpcError(400, -32600, `Invalid request: nested more than ${MOST_LEVELS} levels deep`)
    if (Array.isArray(body)) throw new RpcError(400, -32600, 'Invalid request: send one message per POST, not a batch')

    if (isCall) checkCall(body as JSONRPCRequest)

    const header = (name: string) => request.headers[name] as string | undefined
    const version = header('mcp-protocol-version')
    const found = classifyInboundRequest({
      httpMethod: 'POST',
      protocolVersionHeader: version,
      mcpMethodHeader: header('mcp-method'),
      mcpNameHeader: header('mcp-name'),
      body,
    })
    if (found.kind === 'modern' && isPlainCall(found.message, found.classification, header)) {
      const said = await exchange(serverFor(caller), found.message, found.classification)
      return reply.code(statusOf(said)).type(JSON_TYPE).send(JSON.stringify(said))
    }
    if (found.kind !== 'legacy') {
      // A stream would have nothing to tell: the catalogue changes only with the service itself.
      if (found.kind === 'modern' && method === 'subscriptions/listen')
        throw new RpcError(404, -32601, 'Method not found')
      const asked = new Request(`http://localhost${PATH}`, { method: 'POST', headers: kept(request) })
      const authInfo = { token: '', clientId: caller.actor.name, scopes: [], extra: { caller } }
      const response = await modern.fetch(asked, { authInfo, parsedBody: body })
      reply.code(response.status).type(JSON_TYPE)
      return reply.send(await response.text())
    }
    if (found.reason === 'notification' || found.reason === 'response') return reply.code(202).send()
    if (version !== undefined && found.reason !== 'initialize' && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
      const supported = SUPPORTED_PROTOCOL_VERSIONS
      throw new RpcError(400, -32022, `Unsupported protocol version: ${version}`, { supported, requested: version })
    }
    return reply.type(JSON_TYPE).send(JSON.stringify(await exchange(serverFor(caller), body as JSONRPCRequest)))
  }

  /** Only a call of a tool counts against the allowance. */
  async function admitted(request: FastifyRequest, reply: FastifyReply, isCall: boolean): Promise<Admission> {
    const admission = await admit(bearer(request)!, isCall ? 'mcp' : null)
    if (!admission) throw new Refusal('unauthorized', 'The API key is unknown or disabled')
    if (admission.allowance) limitHeaders(reply, admission.allowance)
    return admission
  }

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, utf8(body as Buffer)))
    scope.setErrorHandler(sendRpcError)
    scope.addHook('onClose', () => modern.close())
    scope.route({
      method: 'POST',
      url: PATH,
      onRequest: async (request) => {
        if (isForeign(request, publicUrl))
          throw new RpcError(403, -32000, 'Forbidden: requests from this Origin are not taken')
        if (!bearer(request))
          throw new Refusal('unauthorized', 'Send an API key in the header Authorization: Bearer <API_KEY>')
        // A large body is read for known keys only.
        const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
        if (length > 64 * 1024 && !(await admit(bearer(request)!, null)))
          throw new Refusal('unauthorized', 'The API key is unknown or disabled')
      },
      handler: answer,
    })
    scope.route({
      method: ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'],
      url: PATH,
      handler: (_request, reply) => {
        reply.header('Allow', 'POST')
        throw new Refusal('method not allowed', 'Send JSON-RPC messages by POST')
      },
    })
  })
}

const JSON_TYPE = 'application/json; charset=utf-8'

function bearer({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
}

const UNREADABLE = Symbol('unreadable')

function parse({ body, headers }: FastifyRequest): unknown {
  if (!isJsonContentType(headers['content-type']))
    throw new RpcError(400, -32600, 'Invalid request: send the message as Content-Type: application/json')
  try {
    return JSON.parse(body as string)
  } catch {
    return UNREADABLE
  }
}

/**
 * A call of the modern era whose headers say exactly what the message says: what the SDK's entry would check of it holds,
 * so it goes straight to a server. Everything else takes the way through that entry, which knows every rule.
 */
function isPlainCall(
  message: JSONRPCRequest | JSONRPCNotification,
  { revision }: MessageClassification,
  header: (name: string) => string | undefined,
): message is JSONRPCRequest {
  return (
    'id' in message &&
    message.method === 'tools/call' &&
    revision === MODERN &&
    header('mcp-protocol-version') === MODERN &&
    header('mcp-method') === 'tools/call' &&
    header('mcp-name') === message.params?.name
  )
}

/** The one error of a call that the protocol wants to see in the status as well. */
const statusOf = (said: JSONRPCMessage): number =>
  'error' in said && said.error.code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200

/** As the SDK would refuse it, in one sentence. */
function checkCall(request: JSONRPCRequest): void {
  const { name, arguments: args } = (request.params ?? {}) as { name?: unknown; arguments?: unknown }
  if (typeof name !== 'string') throw new RpcError(200, -32602, 'Invalid params: name must be the name of a tool')
  // Some assistants say so that there are none.
  if (args === null) delete request.params!.arguments
  else if (args !== undefined && (typeof args !== 'object' || Array.isArray(args)))
    throw new RpcError(200, -32602, 'Invalid params: arguments must be an object')
}

function callerOf({ companyId, keyId, keyName, hasWebhooks }: Admission, { id }: FastifyRequest): Caller {
  return { companyId, actor: { type: 'key', id: keyId, name: keyName }, channel: 'mcp', requestId: id, hasWebhooks }
}

/** The headers that the modern era compares with the message. */
function kept({ headers }: FastifyRequest): Record<string, string> {
  const named = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  return { 'content-type': 'application/json', ...(Object.fromEntries(named) as Record<string, string>) }
}
