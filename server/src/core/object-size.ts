import type { Detail } from './errors.ts'

const MOST = 64 * 1024

/** Free objects are limited to 64 KB each, as the JSON they are kept as. */
export function tooLarge(field: string, value: unknown): Detail[] {
  if (value === null || value === undefined) return []
  return Buffer.byteLength(JSON.stringify(value)) > MOST ? [{ field, message: 'must be at most 64 KB as JSON' }] : []
}
