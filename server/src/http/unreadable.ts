import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import { errorBody } from './errors.ts'
import { requestId } from './request-id.ts'

/** The body as text; undefined where it is none: other letters would be saved than were sent. */
export function utf8(body: Buffer): string | undefined {
  return isUtf8(body) ? body.toString('utf8') : undefined
}

/** Answers what is no HTTP, or no end of headers, in the one error shape. There is no request to answer it by. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const message =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are larger than 16 KB' : 'The request is not valid HTTP'
  const id = requestId(undefined)
  const body = JSON.stringify(errorBody('bad request', message, [], id))
  const head = ['HTTP/1.1 400 Bad Request', `X-Request-Id: ${id}`, 'Content-Type: application/json; charset=utf-8']
  if (socket.writable)
    socket.write([...head, `Content-Length: ${body.length}`, 'Connection: close', '', body].join('\r\n'))
  socket.destroy(error)
}
