import type { JSONRPCMessage, JSONRPCRequest, Server, Transport } from '@modelcontextprotocol/server'

/** Carries one request to a server of the SDK and its answer back: no streams, nothing outlives the exchange. */
class OneExchange implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: Transport['onclose']
  readonly answer: Promise<JSONRPCMessage>
  #resolve!: (answer: JSONRPCMessage) => void

  constructor() {
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  async start() {}

  /** A server that only answers sends nothing but its answer. */
  async send(message: JSONRPCMessage) {
    this.#resolve(message)
  }

  async close() {
    this.onclose?.()
  }
}

/** Asks a fresh server one request and answers what it says. */
export async function exchange(server: Server, request: JSONRPCRequest): Promise<JSONRPCMessage> {
  const transport = new OneExchange()
  await server.connect(transport)
  transport.onmessage?.(request)
  return transport.answer
}
