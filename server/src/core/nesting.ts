export const MOST_LEVELS = 100

/**
 * JSON nested deeper than anybody means it. Reading it costs nothing, but writing it again overflows the stack, ours
 * from some 4,000 levels on, PostgreSQL's a little later.
 */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (value === null || typeof value !== 'object') return false
  if (levels === 0) return true
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], levels - 1)) return true
  return false
}
