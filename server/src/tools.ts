import * as audit from './audit/tools.ts'
import * as calls from './calls/tools.ts'
import * as campaigns from './campaigns/tools.ts'
import * as caseLists from './case-lists/tools.ts'
import * as caseSettings from './case-settings/tools.ts'
import * as cases from './cases/tools.ts'
import * as clients from './clients/tools.ts'
import * as companies from './companies/tools.ts'
import * as compliance from './compliance/tools.ts'
import type { Tool } from './core/tool.ts'
import * as forms from './forms/tools.ts'
import * as messages from './messages/tools.ts'
import * as metadata from './metadata/tools.ts'
import * as notes from './notes/tools.ts'
import * as tasks from './tasks/tools.ts'
import * as voiceAgents from './voice-agents/tools.ts'
import * as webhooks from './webhooks/tools.ts'

const features = [
  metadata,
  cases,
  messages,
  clients,
  caseLists,
  voiceAgents,
  campaigns,
  calls,
  forms,
  tasks,
  notes,
  caseSettings,
  webhooks,
  compliance,
  audit,
  companies,
]

/** Looking comes before making. */
const VERBS = ['describe', 'list', 'get', 'create', 'update']

const place = ({ name }: Tool) => (VERBS.indexOf(name.split('_', 1)[0]!) + VERBS.length + 1) % (VERBS.length + 1)

/** Everything an assistant can do, feature by feature. */
export const tools: Tool[] = features.flatMap((feature) => Object.values(feature).sort((a, b) => place(a) - place(b)))
