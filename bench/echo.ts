/**
 * The least that the MCP SDK needs to answer a call: one tool that says its argument back, built as the SDK's guide
 * builds it, behind a Fastify route. There is no key, no database and one tool to list.
 */
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import Fastify from 'fastify'
import * as z from 'zod'
import { serve } from './server.ts'

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'echo', version: '1' })
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  return server
})

const app = Fastify({ logger: false })
app.post('/v1/mcp', async (request, reply) => {
  const headers = Object.entries(request.headers) as [string, string][]
  const asked = new Request(`http://localhost${request.url}`, { method: 'POST', headers })
  const answer = await handler.fetch(asked, { parsedBody: request.body })
  reply.code(answer.status).headers(Object.fromEntries(answer.headers))
  return reply.send(await answer.text())
})

await serve(app, { end: () => handler.close() })
