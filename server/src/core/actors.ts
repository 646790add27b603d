import type { Actor, Channel } from './operation.ts'

/** What is done by the command line, by whoever may start it. */
export const COMMAND_LINE = {
  actor: { type: 'cli', id: null, name: 'command line' } satisfies Actor as Actor,
  channel: 'system' satisfies Channel as Channel,
  requestId: null,
}

/** What the service does when it starts. */
export const SERVICE = {
  actor: { type: 'engine', id: null, name: 'first start' } satisfies Actor as Actor,
  channel: 'system' satisfies Channel as Channel,
  requestId: null,
}

/** What the service does by itself. */
export const ENGINE = {
  actor: { type: 'engine', id: null, name: 'engine' } satisfies Actor as Actor,
  channel: 'system' satisfies Channel as Channel,
  requestId: null,
}

/** What a contact does, by a text or a link. */
export const CONTACT = {
  actor: { type: 'contact', id: null, name: 'contact' } satisfies Actor as Actor,
  channel: 'system' satisfies Channel as Channel,
  requestId: null,
}
