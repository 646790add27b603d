import type { Static, TObject } from 'typebox'
import type { Context } from './operation.ts'
import { type Checker, checker } from './validate.ts'

export interface ToolSpec<I extends TObject, O extends TObject> {
  name: string
  title: string
  /** When to use the tool, what the words mean, what comes back. */
  description: string
  input: I
  output: O
  /** Changes nothing: no transaction is opened. */
  readOnly?: boolean
  /** Takes something away that the caller can't bring back by another call. */
  destructive?: boolean
  /** Doing it again with the same arguments changes nothing more. */
  idempotent?: boolean
  /** Reaches people or systems outside: calls, text messages, e-mail, webhooks. */
  openWorld?: boolean
  /** Paths in the result, such as `notes[].body`, of text that people outside may have written. */
  untrustedFields?: string[]
  run(ctx: Context, args: Static<I>): Promise<Static<O>>
}

/** A tool as the channel sees it, whatever its arguments and result are. */
export interface Tool extends Required<Omit<ToolSpec<TObject, TObject>, 'run'>> {
  checker: Checker<unknown>
  run(ctx: Context, args: never): Promise<unknown>
}

/** Everything the channel needs to offer `run`: arguments are checked by, and the catalogue is read from, this one value. */
export function tool<I extends TObject, O extends TObject>(spec: ToolSpec<I, O>): Tool {
  return {
    readOnly: false,
    destructive: false,
    idempotent: false,
    openWorld: false,
    untrustedFields: [],
    ...spec,
    checker: checker(spec.input),
    run: spec.run as Tool['run'],
  }
}
