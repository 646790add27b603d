import { badRequest, type Detail } from './errors.ts'
import { type Checker, unstorable } from './validate.ts'

/** An entry of a batch that is saved all or nothing: with an id it changes that record, without one it creates. */
export interface BatchEntry {
  id: number | null
  input: unknown
}

/** Checks entries one by one, up to the first that is no entry: that one is `malformed`. */
export function readEntries(
  values: unknown[],
  { creating, changing }: { creating: Checker<unknown>; changing: Checker<unknown> },
): { entries: BatchEntry[]; malformed: Detail | undefined } {
  const entries: BatchEntry[] = []
  for (const value of values) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      return { entries, malformed: { field: '', message: 'must be an object' } }
    const { id } = value as { id?: number | null }
    const [malformed] = [...unstorable(value), ...(id == null ? creating : changing).check(value)]
    if (malformed) return { entries, malformed }
    entries.push({ id: id ?? null, input: value })
  }
  return { entries, malformed: undefined }
}

/**
 * Refuses the batch with its first error. `broken` holds, per entry that was read, what the database knows of it: an
 * earlier entry may break a rule of that kind, and then that is the first error.
 */
export function refuseFirst(name: string, broken: Detail[][], malformed: Detail | undefined): void {
  const first = broken.findIndex((details) => details.length > 0)
  const detail = first >= 0 ? broken[first]![0] : malformed
  if (!detail) return
  const entry = `${name}[${first >= 0 ? first : broken.length}]`
  const { field, message } = detail
  badRequest(field ? `${entry}: ${field}: ${message}` : `${entry}: ${message}`, [
    { field: field ? `${entry}.${field}` : entry, message },
  ])
}
