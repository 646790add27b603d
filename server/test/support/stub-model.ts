import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LanguageModel, languageModel } from '../../src/providers/language-model.ts'
import { anthropic } from './stub-anthropic.ts'
import { openAiCompatible } from './stub-openai.ts'

export interface Asked {
  messages: { role: string; content: string }[]
  stream: boolean
  tools: string[]
}

/** What the stub does when it is asked. */
export type Reply = Speech | { status: number } | { hangs: true }

interface Speech {
  says: string
  /** Real milliseconds before the first token, and between two. */
  after?: number
  between?: number
  calls?: ToolCall[]
  /** After the words: the connection is cut, or an error is told in the stream. */
  breaks?: boolean | 'by an error'
}

export interface ToolCall {
  name: string
  /** A text is sent as it is, valid JSON or not. */
  input: object | string
}

/** The wire format of a vendor's interface. */
export interface Dialect {
  path: string
  /** What is wrong with a request, in the vendor's eyes. */
  refuses(headers: NodeJS.Dict<string | string[]>, body: any): string | null
  read(body: any): Asked
  error(status: number, message: string): object
  /** An answer that is not streamed. */
  whole(says: string): object
  /** The frames of a stream, in their order: before, of and after the words; and the one of an error. */
  stream(words: string[], calls: ToolCall[]): { before: string[]; words: string[]; after: string[]; error: string }
}

const DIALECTS = { 'openai-compatible': openAiCompatible, anthropic }
export type Vendor = keyof typeof DIALECTS
export const VENDORS = Object.keys(DIALECTS) as Vendor[]

export interface StubModel {
  model: LanguageModel
  /** As the settings of the service name it. */
  settings: Record<string, string>
  asked: Asked[]
  close(): void
}

/** A language model behind the interface of a vendor: answers what `reply` says, word by word. */
export async function startModel(
  reply: (asked: Asked) => Reply,
  vendor: Vendor = 'openai-compatible',
): Promise<StubModel> {
  const dialect = DIALECTS[vendor]
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    if (request.url !== dialect.path) return answer(response, 404, dialect.error(404, `no ${request.url}`))
    const refused = dialect.refuses(request.headers, body)
    if (refused) return answer(response, 400, dialect.error(400, refused))
    const question = dialect.read(body)
    asked.push(question)
    const how = reply(question)
    if ('hangs' in how) return
    if ('status' in how) return answer(response, how.status, dialect.error(how.status, 'the stub says no'))
    await sleep(how.after ?? 0)
    if (!question.stream) return answer(response, 200, dialect.whole(how.says))
    await stream(response, dialect, how)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const settings = {
    LANGUAGE_MODEL: vendor,
    LANGUAGE_MODEL_NAME: 'stub',
    LANGUAGE_MODEL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    LANGUAGE_MODEL_API_KEY: 'key-of-the-stub',
  }
  const model = await languageModel(settings)
  return {
    model: model!,
    settings,
    asked,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function stream(response: ServerResponse, dialect: Dialect, speech: Speech): Promise<void> {
  const { says, calls = [], between = 0, breaks = false } = speech
  const { before, words, after, error } = dialect.stream(says.match(/\s*\S+\s*/g) ?? [], calls)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const frame of before) response.write(frame)
  for (const frame of words) {
    if (response.destroyed) return
    response.write(frame)
    if (between > 0) await sleep(between)
  }
  if (breaks === true) return void response.destroy()
  for (const frame of breaks ? [error] : after) response.write(frame)
  response.end()
}
