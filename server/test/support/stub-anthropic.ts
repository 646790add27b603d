import type { Dialect } from './stub-model.ts'

const MESSAGE = { id: 'msg_stub', type: 'message', role: 'assistant', model: 'stub' }
const USAGE = { input_tokens: 1, output_tokens: 1 }

const frame = (event: { type: string } & Record<string, unknown>) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}
const error = (status: number, message: string) => ({
  type: 'error',
  error: { type: ERROR_TYPES[status] ?? 'api_error', message },
})

const textOf = (content: string | { text: string }[]) =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('\n')

/** Anthropic's Messages, which are stricter than most about what a conversation looks like. */
export const anthropic: Dialect = {
  path: '/v1/messages',
  refuses(headers, { model, max_tokens, messages, tools = [] }) {
    if (!headers['x-api-key']) return 'x-api-key header is required'
    if (!headers['anthropic-version']) return 'anthropic-version: header is required'
    if (!model || !Number.isInteger(max_tokens) || max_tokens < 1) return 'max_tokens: Field required'
    if (!messages?.length || messages[0].role !== 'user') return 'messages: first message must use the "user" role'
    for (const [index, { role, content }] of messages.entries()) {
      if (role === messages[index - 1]?.role) return `messages.${index}: roles must alternate`
      if (textOf(content).trim() === '') return 'messages: text content blocks must contain non-whitespace text'
    }
    if (messages.at(-1).role !== 'user') return 'This model does not support assistant message prefill.'
    for (const { name, input_schema } of tools)
      if (!/^[\w-]{1,128}$/.test(name) || input_schema?.type !== 'object') return 'tools: Input should be an object'
    return null
  },
  read: ({ system = [], messages, stream, tools = [] }) => ({
    messages: [
      ...(system.length > 0 ? [{ role: 'system', content: textOf(system) }] : []),
      ...messages.map(({ role, content }: any) => ({ role, content: textOf(content) })),
    ],
    stream: stream === true,
    tools: tools.map(({ name }: any) => name),
  }),
  error,
  whole: (says) => ({
    ...MESSAGE,
    content: [{ type: 'text', text: says }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: USAGE,
  }),
  stream(words, calls) {
    const from = words.length > 0 ? 1 : 0
    return {
      before: [
        frame({
          type: 'message_start',
          message: { ...MESSAGE, content: [], stop_reason: null, stop_sequence: null, usage: USAGE },
        }),
        frame({ type: 'ping' }),
        ...(from ? [frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })] : []),
      ],
      words: words.map((text) => frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      after: [
        ...(from ? [frame({ type: 'content_block_stop', index: 0 })] : []),
        ...calls.flatMap(({ name, input }, n) => toolUse(from + n, name, input)),
        frame({
          type: 'message_delta',
          delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
          usage: { output_tokens: 1 },
        }),
        frame({ type: 'message_stop' }),
      ],
      error: frame(error(529, 'Overloaded')),
    }
  },
}

/** A tool's input comes in pieces of JSON, of which only the whole can be read. */
function toolUse(index: number, name: string, input: object | string): string[] {
  const json = typeof input === 'string' ? input : JSON.stringify(input)
  const half = Math.ceil(json.length / 2)
  return [
    frame({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `toolu_${index}`, name, input: {} },
    }),
    ...['', json.slice(0, half), json.slice(half)].map((partial_json) =>
      frame({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }),
    ),
    frame({ type: 'content_block_stop', index }),
  ]
}
