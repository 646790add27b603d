import type { Logger } from 'pino'
import type { Static, TObject, TSchema } from 'typebox'
import type { Change } from './change.ts'
import type { Clock } from './clock.ts'
import type { Database } from './db.ts'
import type { Detail } from './errors.ts'
import { type Checker, checker } from './validate.ts'

/** What every query needs. The handle may be the pool or a transaction. */
export interface Scope {
  db: Database
  companyId: number
  /** Who acts, where somebody does. */
  actor?: Actor
}

/** The way a change came in; kept on records as `origin` and `update_origin` and in the audit log. */
export type Channel = 'public_api' | 'mcp' | 'dashboard' | 'import' | 'system'

/** Who acts: an API key, a user, a contact, the engine or the command line. `name` is what people read in the audit log. */
export interface Actor {
  type: 'key' | 'user' | 'contact' | 'engine' | 'cli'
  id: number | null
  name: string
}

export interface Context extends Scope {
  actor: Actor
  channel: Channel
  requestId: string | null
  clock: Clock
  log: Logger
  /** Development: webhooks may be anywhere, without https too. */
  allowPrivateWebhooks: boolean
  /**
   * Notes a change for the audit log (and, from it, the events). Written in the transaction of the change itself,
   * together with its commit.
   */
  record(...changes: Change[]): void
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface OperationSpec<I extends TObject, O extends TSchema> {
  /** Method and path with `:name` parameters, such as `PUT /v1/clients/:id`. */
  rest: `${Method} /${string}`
  tag: string
  summary: string
  description?: string
  /** Path parameters, query parameters (GET) and body fields (all others) in one object. */
  input: I
  /** Absent where the answer has no body (204). */
  output?: O
  /** An example body for the reference page, where the fields' own examples don't make one. */
  example?: unknown
  /** 200 unless told. */
  status?: 201 | 204
  /** Changes nothing: no transaction is opened. */
  readOnly?: boolean
  /** A body field names the record it is about: an unknown one is answered with 404, as one in the path is. */
  namesRecord?: boolean
  /** The answer carries an `ETag`; whoever sends it back is answered with 304. */
  etag?: boolean
  /**
   * The array whose entries the operation checks one by one, texts that can't be stored included, so that a broken entry
   * fails by itself or is named by its place.
   */
  entries?: string
  /**
   * The rules that cross fields and need no look at the database. Asked here only when the schema is broken too, so that
   * the caller hears of both at once; `run` asks them itself.
   */
  rules?(input: Static<I>): Detail[]
  run(ctx: Context, input: Static<I>): Promise<O extends TSchema ? Static<O> : void>
  /**
   * Does for several requests of one key what `run` does for one, in one transaction, and answers in their order. Their
   * contexts differ by the request alone. What it throws is nobody's outcome: each request is then run by itself.
   */
  runAll?(requests: Requested<Static<I>>[]): Promise<Static<O>[]>
}

export interface Requested<I> {
  ctx: Context
  input: I
}

/** An operation as the channels see it, whatever its input and output are. */
export interface Operation {
  method: Method
  /** With `:name` parameters. */
  path: string
  pathParameters: string[]
  tag: string
  summary: string
  description: string | undefined
  input: TObject
  output: TSchema | undefined
  example: unknown
  status: number
  readOnly: boolean
  namesRecord: boolean
  etag: boolean
  entries: string | undefined
  /** Every rule that the input breaks, as far as it can be told without the database. */
  check(input: unknown): Detail[]
  run(ctx: Context, input: never): Promise<unknown>
  runAll: ((requests: Requested<never>[]) => Promise<unknown[]>) | undefined
}

/** An operation under the name by which programs call it: that of its export. */
export type NamedOperation = Operation & { name: string }

/** Everything a channel needs to offer `run`: validation, reference and catalogue are read from this one value. */
export function operation<I extends TObject, O extends TSchema>(spec: OperationSpec<I, O>): Operation {
  const [method, path] = spec.rest.split(' ') as [Method, string]
  const schema = checker(spec.input)
  return {
    method,
    path,
    pathParameters: [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!),
    tag: spec.tag,
    summary: spec.summary,
    description: spec.description,
    input: spec.input,
    output: spec.output,
    example: spec.example,
    status: spec.status ?? 200,
    readOnly: spec.readOnly ?? method === 'GET',
    namesRecord: spec.namesRecord ?? false,
    etag: spec.etag ?? false,
    entries: spec.entries,
    check: (input) => checkAll(input as Static<I>, schema, spec.rules),
    run: spec.run as Operation['run'],
    runAll: spec.runAll as Operation['runAll'],
  }
}

function checkAll<T>(input: T, schema: Checker<T>, rules: ((input: T) => Detail[]) | undefined): Detail[] {
  const details = schema.check(input)
  if (details.length === 0 || !rules) return details
  try {
    const said = new Set(details.map(({ field }) => field))
    return [...details, ...rules(input).filter(({ field }) => !said.has(field))]
  } catch {
    // What is broken by the schema can be too broken for the rules.
    return details
  }
}
