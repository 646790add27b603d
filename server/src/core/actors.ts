import type { Actor, Channel } from './operation.ts'

/** Who acts without a request. */
const author = (type: Actor['type'], name: string): { actor: Actor; channel: Channel; requestId: null } => ({
  actor: { type, id: null, name },
  channel: 'system',
  requestId: null,
})

/** What is done by the command line, by whoever may start it. */
export const COMMAND_LINE = author('cli', 'command line')

/** What the service does when it starts. */
export const SERVICE = author('engine', 'first start')

/** What the service does by itself. */
export const ENGINE = author('engine', 'engine')

/** What a contact does, by a text or a link. */
export const CONTACT = author('contact', 'contact')
