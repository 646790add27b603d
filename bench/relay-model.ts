import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A model that takes the given milliseconds for its first word, and then says all of them. */
const wait = Number(process.argv[2])
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'bench', object: 'chat.completion.chunk', created: 0, model: 'bench', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
/** Never the same twice: an agent does not let a model repeat itself. */
let asked = 0
function body(): string {
  const words = `Thank you for telling me, that was answer ${++asked}. When did that happen, and where were you?`.match(
    /\S+\s*/g,
  )!
  return `${words.map((content) => chunk({ content })).join('')}${chunk({}, 'stop')}data: [DONE]\n\n`
}

const server = createServer((request, response) => {
  // The time of the model begins when it is asked.
  setTimeout(() => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body()), wait)
  request.resume()
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
