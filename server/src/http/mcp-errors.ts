import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../core/errors.ts'
import { STATUS } from './errors.ts'

/** A refusal in the words of JSON-RPC, before any tool is at work. */
export class RpcError extends Error {
  readonly status: number
  readonly code: number
  readonly data: unknown

  constructor(status: number, code: number, message: string, data?: unknown) {
    super(message)
    this.status = status
    this.code = code
    this.data = data
  }
}

export function sendRpcError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, code, message, data } = asRpcError(error, request)
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer')
  reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', id: idOf(request), error: { code, message, ...(data ? { data } : {}) } }))
}

function asRpcError(error: unknown, request: FastifyRequest): RpcError {
  if (error instanceof RpcError) return error
  const request_id = request.id
  if (error instanceof Refusal) {
    const status = STATUS[error.kind]
    return new RpcError(status, -32000, error.message, { error: error.kind, request_id })
  }
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new RpcError(400, -32600, 'Invalid request: the body is larger than 32 MB')
  if (statusCode && statusCode >= 400 && statusCode < 500) return new RpcError(400, -32600, 'Invalid request')
  request.log.error({ err: error, request_id }, 'request failed')
  return new RpcError(500, -32603, 'Internal error', { error: 'internal server error', request_id })
}

/** The id of the message that is refused, where it can be read. */
function idOf({ body }: FastifyRequest): string | number | null {
  try {
    const { id } = JSON.parse(body as string) as { id?: unknown }
    return typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null
  } catch {
    return null
  }
}
