/** What a caller can do something about. Anything else that is thrown is our bug. */
export type RefusalKind =
  | 'bad request'
  | 'unauthorized'
  | 'not found'
  | 'method not allowed'
  | 'too many requests'
  | 'service unavailable'

/** `field` is a path into the caller's input, such as `runs[0].start_time`. */
export interface Detail {
  field: string
  message: string
}

export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly details: Detail[]
  /** What wasn't found, such as `case list`, where that is the reason. */
  readonly missing: string | undefined

  constructor(kind: RefusalKind, message: string, details: Detail[] = [], missing?: string) {
    super(message)
    this.kind = kind
    this.details = details
    this.missing = missing
  }
}

export function badRequest(message: string, details: Detail[] = []): never {
  throw new Refusal('bad request', message, details)
}

/** Refuses with every broken rule; the sentence is the first of them. Does nothing when none is broken. */
export function refuseAll(details: Detail[]): void {
  if (details.length > 0) throw broken(details)
}

export function broken(details: Detail[]): Refusal {
  const [first] = details
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : ''
  return new Refusal('bad request', `${first!.field}: ${first!.message}${more}`, details)
}

/** Another company's record is exactly as missing as one that never was. */
export function notFound(what: string, id: number | string): never {
  throw new Refusal('not found', `${what} ${id} not found`, [], what)
}
