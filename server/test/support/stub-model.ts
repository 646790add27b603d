import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LanguageModel, languageModel } from '../../src/providers/language-model.ts'

export interface Asked {
  messages: { role: string; content: string }[]
  stream: boolean
  tools: string[]
}

/** What the stub does when it is asked. */
export type Reply =
  /** Real milliseconds before the first token, and between two. */
  | { says: string; after?: number; between?: number; calls?: { name: string; input: object }[]; breaks?: boolean }
  | { status: number }
  | { hangs: true }

export interface StubModel {
  model: LanguageModel
  asked: Asked[]
  close(): void
}

/** A language model behind the interface that everybody copies: answers what `reply` says, word by word. */
export async function startModel(reply: (asked: Asked) => Reply): Promise<StubModel> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const question: Asked = {
      messages: body.messages,
      stream: body.stream === true,
      tools: (body.tools ?? []).map(({ function: { name } }: any) => name),
    }
    asked.push(question)
    const how = reply(question)
    if ('hangs' in how) return
    if ('status' in how) {
      response.writeHead(how.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'the stub says no', type: 'stub', code: how.status } }))
      return
    }
    const { says, after = 0, between = 0, calls = [], breaks = false } = how
    await sleep(after)
    const stamp = { id: 'stub', created: 0, model: 'stub' }
    if (!question.stream) {
      const choices = [{ index: 0, message: { role: 'assistant', content: says }, finish_reason: 'stop' }]
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...stamp, object: 'chat.completion', choices, usage: {} }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (delta: object, finish_reason: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ ...stamp, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
      )
    for (const word of says.match(/\S+\s*/g) ?? []) {
      if (response.destroyed) return
      send({ content: word })
      if (between > 0) await sleep(between)
    }
    if (breaks) {
      response.destroy()
      return
    }
    for (const [index, { name, input }] of calls.entries())
      send({
        tool_calls: [
          { index, id: `call_${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
        ],
      })
    send({}, calls.length > 0 ? 'tool_calls' : 'stop')
    response.end('data: [DONE]\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const model = await languageModel({
    LANGUAGE_MODEL: 'openai-compatible',
    LANGUAGE_MODEL_NAME: 'stub',
    LANGUAGE_MODEL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    LANGUAGE_MODEL_API_KEY: undefined,
  })
  return {
    model: model!,
    asked,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
