import type { FastifyRequest } from 'fastify'

/**
 * A browser names the page a request comes from. Only pages of our own address may use the tools: the address the
 * connection was made to, the loopback names for it, and `PUBLIC_URL`. The Host header is no help, as a page that has
 * rebound its name to us sends that name in both. Programs send no Origin.
 */
export function isForeign({ headers, socket }: FastifyRequest, publicUrl: string | undefined): boolean {
  const { origin } = headers
  if (origin === undefined || origin === '') return false
  if (!URL.canParse(origin)) return true
  const { hostname, port, protocol } = new URL(origin)
  if (publicUrl !== undefined && new URL(publicUrl).origin === new URL(origin).origin) return false
  const own = [
    ...LOOPBACK,
    socket.localAddress,
    `[${socket.localAddress}]`,
    socket.localAddress?.replace('::ffff:', ''),
  ]
  return protocol !== 'http:' || !own.includes(hostname) || Number(port || 80) !== socket.localPort
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
