import type { Actor, Channel } from './operation.ts'

/** What the service does by itself. */
export const ENGINE = {
  actor: { type: 'engine', id: null, name: 'engine' } satisfies Actor as Actor,
  channel: 'system' satisfies Channel as Channel,
  requestId: null,
}
