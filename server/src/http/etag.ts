import { createHash } from 'node:crypto'

/** A strong tag of an answer's text. */
export const etagOf = (body: string): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`

/** Whether the caller's `If-None-Match` names the tag, or anything at all. Weak and strong tags compare alike here. */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (!header) return false
  return header.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')))
}
