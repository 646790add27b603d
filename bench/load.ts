import { connect, type Socket } from 'node:net'

/** A whole HTTP request, as bytes. */
export function request(route: string, headers: Record<string, string>, body?: unknown): Buffer {
  const json = body === undefined ? '' : JSON.stringify(body)
  const about = json && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(json)) }
  const lines = Object.entries({ host: 'localhost', ...headers, ...about }).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from([`${route} HTTP/1.1`, ...lines, '', json].join('\r\n'))
}

export interface Load {
  /** Sends the requests in turns, one at a time on each connection, until `done`; answers how many were sent. */
  run(requests: Buffer[], done: (sent: number) => boolean): Promise<number>
  close(): void
}

/**
 * Keeps the connections open. Prepared bytes on bare sockets: where the load shares the cores with what it measures, a
 * whole HTTP client would take more of them than the server.
 */
export async function openLoad(url: string, connections: number): Promise<Load> {
  const { hostname, port } = new URL(url)
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))))
  return {
    async run(requests, done) {
      let sent = 0
      const next = () => (done(sent) ? undefined : requests[sent++ % requests.length])
      await Promise.all(sockets.map((socket) => converse(socket, next)))
      return sent
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

const NOTHING = Buffer.alloc(0)

/** Sends what `next` hands out, each as soon as the one before is answered; fails at an answer that is no success. */
function converse(socket: Socket, next: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = NOTHING
    const leave = (then: () => void) => {
      socket.off('data', read)
      then()
    }
    const send = () => {
      const bytes = next()
      if (bytes) socket.write(bytes)
      else leave(resolve)
    }
    const read = (chunk: Buffer<ArrayBuffer>) => {
      received = received === NOTHING ? chunk : Buffer.concat([received, chunk])
      if (received.length < lengthOf(received)) return
      if (received.toString('latin1', 9, 10) !== '2') return leave(() => reject(new Error(received.toString())))
      received = NOTHING
      send()
    }
    socket.on('data', read)
    send()
  })
}

/** Bytes of the answer that begins here; infinite while its head is not complete. */
function lengthOf(answer: Buffer): number {
  const head = answer.indexOf('\r\n\r\n')
  if (head < 0) return Number.POSITIVE_INFINITY
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, head)) ?? []
  return head + 4 + Number(length)
}
