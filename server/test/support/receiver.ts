import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import tls from 'node:tls'
import { CERTIFICATE, KEY } from './certificate.ts'

export interface Received {
  headers: Record<string, string>
  body: string
  event: any
  at: number
}

export interface Receiver {
  url: string
  received: Received[]
  /** Connections that were opened so far, and the most at once. */
  connections: { opened: number; open: number; most: number }
  /** How the next requests are answered: 204 unless told. */
  answer: (request: Received, response: http.ServerResponse) => void
  close(): Promise<void>
}

/** A firm's own server, on loopback; closed after the file's tests. With https, the process trusts its certificate. */
export async function startReceiver({ secure = false, port = 0 } = {}): Promise<Receiver> {
  if (secure) tls.setDefaultCACertificates([...tls.getCACertificates('default'), CERTIFICATE])
  const listener: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const got = { headers: request.headers as Record<string, string>, body, event: JSON.parse(body), at: Date.now() }
      receiver.received.push(got)
      receiver.answer(got, response)
    })
  }
  const server = secure ? https.createServer({ cert: CERTIFICATE, key: KEY }, listener) : http.createServer(listener)
  const connections = { opened: 0, open: 0, most: 0 }
  server.on(secure ? 'secureConnection' : 'connection', (socket) => {
    connections.opened++
    connections.most = Math.max(connections.most, ++connections.open)
    socket.once('close', () => connections.open--)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: listening } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `${secure ? 'https' : 'http'}://localhost:${listening}/hook`,
    received: [],
    connections,
    answer: (_request, response) => response.writeHead(204).end(),
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
  after(() => receiver.close())
  return receiver
}
