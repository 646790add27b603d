import Type from 'typebox'
import { selectNames } from '../case-settings/queries.ts'
import { CASE_SOURCES } from '../cases/schema.ts'
import { Fields } from '../core/fields.ts'
import { tool } from '../core/tool.ts'
import { RESPONSE_TYPES } from '../tasks/answer.ts'
import { selectAgentNames } from '../voice-agents/queries.ts'
import { Voice, voices } from '../voice-agents/voices.ts'
import { MetadataObject } from './describe-object.ts'
import { metadataObjects } from './objects.ts'

const Names = Type.Array(Type.String())

export const describeSchema = tool({
  name: 'describe_schema',
  title: 'Describe the records',
  description:
    'The fields of cases, clients and case lists, and what can be chosen here: case types, statuses, sources of cases, response types of tasks, voice agents (agent_id) and voices.',
  readOnly: true,
  input: Fields({}),
  output: Type.Object({
    objects: Type.Array(MetadataObject),
    case_types: Names,
    case_statuses: Names,
    external_sources: Names,
    response_types: Names,
    voice_agents: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    voices: Type.Array(Voice),
  }),
  run: async (ctx) => ({
    objects: metadataObjects,
    case_types: await selectNames(ctx, 'case_types'),
    case_statuses: await selectNames(ctx, 'case_statuses'),
    external_sources: [...CASE_SOURCES],
    response_types: RESPONSE_TYPES,
    voice_agents: await selectAgentNames(ctx),
    voices,
  }),
})
