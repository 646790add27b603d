import type { Method, NamedOperation } from '../core/operation.ts'
import { exampleOf, type Shape } from './example.ts'
import { answers, ErrorSchema, HEADERS, REFUSALS, refusalsOf } from './openapi-answers.ts'
import { Components } from './openapi-components.ts'
import { TOOL_INTERFACE } from './openapi-mcp.ts'

const INTRODUCTION = `Outreach for law firms: contacts, cases and lists, and campaigns in which a voice agent calls people or writes to them.

**Setup in five steps**, each with the id from the one before: create a client, create a case with its \`client_ids\`, create a case list, attach the case, create a campaign on the list.

- Every request carries an API key in the header \`X-API-KEY\`.
- Unknown fields are refused by name, types are strict, \`null\` clears an optional field. Fields marked read-only may be sent back and are ignored.
- Every error has the same shape; \`details\` lists every broken rule.
- Any POST may carry an \`Idempotency-Key\`: the first outcome is kept for 24 hours and replayed.
- Times of day are the local time of the contact, instants are ISO 8601 in UTC.`

const TAGS: Record<string, string> = {
  Clients: 'The people a firm is in touch with',
  Cases: 'The matters, linked to clients; messages to one client about one case',
  'Case lists': 'Filters over cases plus cases chosen by hand: whom a campaign reaches',
  Campaigns: 'Runs of calls and messages over a case list',
  'Voice agents': 'Who speaks in the calls, and what they are to find out',
  Calls: 'Single calls asked for from outside',
  'CRM field mappings': 'Which field here is which field in the CRM',
  'Tool interface': 'The same service for AI assistants',
  Metadata: 'The public objects and their fields, for programs',
}

const METHODS: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The OpenAPI 3.1 description of the operations, but for `servers`. */
export function openApi(operations: NamedOperation[], version: string) {
  const components = new Components()
  components.of(ErrorSchema as Shape)
  const paths: Record<string, Record<string, unknown>> = {}
  const ordered = operations.toSorted(
    (a, b) => a.path.localeCompare(b.path, 'en') || METHODS.indexOf(a.method) - METHODS.indexOf(b.method),
  )
  for (const op of ordered) {
    const path = op.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][op.method.toLowerCase()] = describe(op, components)
  }
  paths['/v1/mcp'] = { post: TOOL_INTERFACE }
  const tags = [...new Set(operations.map(({ tag }) => tag)), ...TOOL_INTERFACE.tags]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Docketcall',
      version,
      summary: 'Outreach for law firms by voice, SMS and e-mail',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: tags.map((name) => ({ name, description: TAGS[name] })),
    security: [{ ApiKey: [] }, { OlderApiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'An API key of the company' },
        OlderApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Public-Api-Key',
          description: 'Older name of the header X-API-KEY',
        },
        Bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The same API keys, for the tool interface for assistants at `POST /v1/mcp` (MCP, JSON-RPC)',
        },
      },
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      headers: HEADERS,
      responses: REFUSALS,
      schemas: components.schemas,
    },
  }
}

/** Without an example: the reference page would send it, and a second try would be answered with the first outcome. */
const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Makes a repeat of the same request safe: it is answered with the outcome of the first one',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

function describe(op: NamedOperation, components: Components) {
  const input = op.input as Shape
  const fields = Object.entries(input.properties ?? {})
  const inPath = fields.filter(([name]) => op.pathParameters.includes(name))
  const others = fields.filter(([name]) => !op.pathParameters.includes(name))
  const takesBody = op.method !== 'GET' && op.method !== 'DELETE' && others.length > 0
  const parameters = [
    ...inPath.map(([name, schema]) => parameter(name, schema, 'path', true)),
    ...(takesBody ? [] : others).map(([name, schema]) =>
      parameter(name, schema, 'query', input.required?.includes(name) ?? false),
    ),
    ...(op.method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  return {
    operationId: op.name,
    tags: [op.tag],
    summary: op.summary,
    ...(op.description && { description: op.description }),
    ...(parameters.length > 0 && { parameters }),
    ...(takesBody && { requestBody: requestBody(op, components) }),
    responses: { ...answers(op, components), ...refusalsOf(op) },
  }
}

function parameter(name: string, { description, ...schema }: Shape, place: 'path' | 'query', required: boolean) {
  const { examples, ...plain } = schema
  return { name, in: place, required, description, schema: plain, ...(examples && { example: examples[0] }) }
}

function requestBody(op: NamedOperation, components: Components) {
  const { properties, required, ...rest } = op.input as Shape
  const own = (name: string) => !op.pathParameters.includes(name)
  const body: Shape = {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => own(name))),
    required: required?.filter(own),
  }
  if (!body.required?.length) delete body.required
  return {
    required: Boolean(body.required),
    content: {
      'application/json': { schema: components.of(body), example: op.example ?? exampleOf(body, 'request') },
    },
  }
}
