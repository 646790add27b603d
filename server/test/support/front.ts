import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'

export interface Front {
  url: string
  /** Where sockets and other requests go: ports, the first that answers. */
  to: { sockets: number[]; requests: number[] }
  /** How many requests each port has answered. */
  answered: Map<number, number>
  close(): Promise<void>
}

/** What stands before several processes: one address, behind which any of them may answer. */
export async function startFront(): Promise<Front> {
  const front: Pick<Front, 'to' | 'answered'> = { to: { sockets: [], requests: [] }, answered: new Map() }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    for (const port of front.to.requests) {
      const answer = await forward(request, body, port).catch(() => null)
      if (!answer) continue
      front.answered.set(port, (front.answered.get(port) ?? 0) + 1)
      return response.writeHead(answer.statusCode!, answer.headers).end(await text(answer))
    }
    response.writeHead(502).end()
  })
  server.on('upgrade', (request, socket, head) => upgrade(request, socket, head, front.to.sockets))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(front, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  })
}

async function forward(
  { method, url, headers }: IncomingMessage,
  body: string,
  port: number,
): Promise<IncomingMessage> {
  const onward = ask({ host: '127.0.0.1', port, path: url!, method: method!, headers, agent: false })
  onward.end(body)
  const [answer] = (await once(onward, 'response')) as [IncomingMessage]
  return answer
}

async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, ports: number[]): Promise<void> {
  socket.on('error', () => {})
  for (const port of ports) {
    const onward = connect(port, '127.0.0.1')
    const connected = await once(onward, 'connect').catch(() => null)
    if (!connected) continue
    const { rawHeaders } = request
    const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []))
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.on('close', () => onward.destroy())
    onward.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    onward.write(head)
    onward.pipe(socket).pipe(onward)
    return
  }
  socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
}
