import type { CallbackDelay } from './schema.ts'

export type { CallbackDelay }

/** Milliseconds; 0 for a delay without parts. The gate moves what comes due at a forbidden hour to the next allowed one. */
export function delayMs({ minutes, hours, days }: CallbackDelay): number {
  return ((minutes ?? 0) + (hours ?? 0) * 60 + (days ?? 0) * 1440) * 60_000
}
