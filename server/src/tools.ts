import type { Tool } from './core/tool.ts'

/** Everything an assistant can do, in the order in which the catalogue shows it. */
export const tools: Tool[] = ([] as Record<string, Tool>[]).flatMap((feature) => Object.values(feature))
