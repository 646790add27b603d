import type { Dialect } from './stub-model.ts'

const STAMP = { id: 'stub', created: 0, model: 'stub' }

const frame = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ ...STAMP, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const textOf = (input: object | string) => (typeof input === 'string' ? input : JSON.stringify(input))

/** Chat completions, as every local server and many a vendor offers them. */
export const openAiCompatible: Dialect = {
  path: '/v1/chat/completions',
  refuses: (_headers, { messages }) => (Array.isArray(messages) ? null : 'messages must be an array'),
  read: ({ messages, stream, tools = [] }) => ({
    messages,
    stream: stream === true,
    tools: tools.map(({ function: { name } }: any) => name),
  }),
  error: (status, message) => ({ error: { message, type: 'stub', code: status } }),
  whole: (says) => ({
    ...STAMP,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: says }, finish_reason: 'stop' }],
    usage: {},
  }),
  stream: (words, calls) => ({
    before: [],
    words: words.map((content) => frame({ content })),
    after: [
      ...calls.map(({ name, input }, index) =>
        frame({
          tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: textOf(input) } }],
        }),
      ),
      frame({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      'data: [DONE]\n\n',
    ],
    error: `data: ${JSON.stringify({ error: { message: 'the stub is overloaded', type: 'server_error', code: 503 } })}\n\n`,
  }),
}
