import type { CallbackDelay } from './schema.ts'

export type { CallbackDelay }

const MINUTE = 60_000

/** Milliseconds; 0 for a delay without parts. */
export function delayMs({ minutes, hours, days }: CallbackDelay): number {
  return ((minutes ?? 0) + (hours ?? 0) * 60 + (days ?? 0) * 1440) * MINUTE
}
