import type { Shape } from './example.ts'
import { LIMITED } from './openapi-answers.ts'

const envelope = {
  jsonrpc: { const: '2.0', description: 'Version of JSON-RPC' },
  id: { type: ['string', 'integer', 'null'], description: 'Chosen by the caller, and answered' },
}

const object = (description: string, properties: Record<string, Shape> = {}) => ({
  type: 'object',
  description,
  additionalProperties: true,
  properties,
})

const request = object('A message of JSON-RPC', {
  ...envelope,
  method: { type: 'string', description: 'Such as `tools/list` or `tools/call`' },
  params: object('For `tools/call`: `name` and `arguments`'),
})

const answer = object('A message of JSON-RPC with one of both', {
  ...envelope,
  result: object('What the method answers'),
  error: object('What is wrong with the message', {
    code: { type: 'integer', description: 'A code of JSON-RPC or MCP' },
    message: { type: 'string', description: 'The same in words' },
  }),
})

const json = (schema: Shape, example: object) => ({
  content: { 'application/json': { schema, example: { jsonrpc: '2.0', id: 1, ...example } } },
})

const refused = (description: string, code: number, message: string) => ({
  description,
  headers: LIMITED,
  ...json(answer, { error: { code, message } }),
})

/** The tool interface is no operation of REST, but an address of the same service with the same keys. */
export const TOOL_INTERFACE = {
  operationId: 'sendToolMessage',
  tags: ['Tool interface'],
  summary: 'Send a message of the tool interface',
  description:
    'The Model Context Protocol for assistants: Streamable HTTP, stateless, answered with JSON. `tools/list` answers the ' +
    'catalogue and `tools/call` runs a tool; a plain script needs no handshake. A rule that refuses a call is a result ' +
    'with `isError`.',
  security: [{ Bearer: [] }],
  requestBody: {
    required: true,
    ...json(request, { method: 'tools/call', params: { name: 'get_case', arguments: { id: 17 } } }),
  },
  responses: {
    200: {
      description: 'Answered',
      headers: LIMITED,
      ...json(answer, { result: { content: [{ type: 'text', text: '{"id":17,"case_number":"2026-CV-00142"}' }] } }),
    },
    202: { description: 'A notification was taken' },
    400: refused('No message of the protocol', -32700, 'Parse error: the body is not valid JSON'),
    401: refused('The API key is missing, unknown or disabled', -32000, 'The API key is unknown or disabled'),
    403: refused('Sent by a foreign web page', -32000, 'Forbidden: requests from this Origin are not taken'),
    429: refused(
      'The allowance of the key for tools is spent',
      -32000,
      'The allowance of 500 requests per hour is spent',
    ),
    500: refused('A fault on our side', -32603, 'Internal error'),
  },
}
