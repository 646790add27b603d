/** A receiver of webhooks that does nothing but answer; tells its port. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'

const server = http.createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(204).end())
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())
