import { randomUUID } from 'node:crypto'

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's request id when it is well-formed, a new one otherwise. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID()
}
