import * as calls from './calls/rest.ts'
import * as campaigns from './campaigns/rest.ts'
import * as caseLists from './case-lists/rest.ts'
import * as cases from './cases/rest.ts'
import * as clients from './clients/rest.ts'
import type { NamedOperation } from './core/operation.ts'
import * as crm from './crm/rest.ts'
import * as metadata from './metadata/rest.ts'
import * as voiceAgents from './voice-agents/rest.ts'

/** Everything a caller can do over REST. */
export const operations: NamedOperation[] = [
  clients,
  cases,
  caseLists,
  campaigns,
  voiceAgents,
  calls,
  crm,
  metadata,
].flatMap((feature) => Object.entries(feature).map(([name, operation]) => ({ name, ...operation })))
