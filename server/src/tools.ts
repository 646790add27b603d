import * as audit from './audit/tools.ts'
import * as caseSettings from './case-settings/tools.ts'
import * as companies from './companies/tools.ts'
import type { Tool } from './core/tool.ts'
import * as forms from './forms/tools.ts'
import * as notes from './notes/tools.ts'
import * as tasks from './tasks/tools.ts'

/** Everything an assistant can do, in the order in which the catalogue shows it. */
export const tools: Tool[] = [forms, tasks, notes, caseSettings, audit, companies].flatMap((feature) =>
  Object.values(feature),
)
