import Type from 'typebox'
import { CALL_RESULTS, callResults } from '../calls/results.ts'
import { changedFields } from '../core/change.ts'
import { type Detail, refuseAll } from '../core/errors.ts'
import { Fields } from '../core/fields.ts'
import { operation } from '../core/operation.ts'
import { selectIntegrations, selectMappings, upsertMappings } from './queries.ts'
import { Integration, Mapping, NewMapping, OutcomeType } from './schema.ts'

const tag = 'CRM field mappings'

export const listIntegrations = operation({
  rest: 'GET /v1/crm_integrations',
  tag,
  summary: 'List the CRM connections',
  input: Fields({}),
  output: Type.Object({ integrations: Type.Array(Integration, { description: 'The connections that exist' }) }),
  run: async (ctx) => ({ integrations: await selectIntegrations(ctx) }),
})

export const listMappings = operation({
  rest: 'GET /v1/crm_mappings/fields',
  tag,
  summary: 'List the field mappings',
  input: Fields({}),
  output: Type.Object({ mappings: Type.Array(Mapping, { description: 'The mappings' }) }),
  run: async (ctx) => ({ mappings: await selectMappings(ctx) }),
})

export const saveMappings = operation({
  rest: 'POST /v1/crm_mappings/fields',
  tag,
  summary: 'Create or update field mappings',
  description: 'A mapping is known by its `kayse_field`. Everything is checked before anything is saved.',
  input: Fields({
    mappings: Type.Array(NewMapping, { minItems: 1, maxItems: 5000, description: 'Mappings, each field once' }),
  }),
  output: Type.Object({
    updated: Type.Integer({ description: 'How many mappings were sent' }),
    mappings: Type.Array(Mapping, { description: 'The sent mappings as saved' }),
  }),
  async run(ctx, input) {
    refuseAll(repeatedFields(input.mappings))
    const mappings = input.mappings.map(({ kayse_field, crm_field, direction }) => ({
      kayse_field,
      crm_field,
      direction: direction ?? 'bidirectional',
    }))
    const fields = mappings.map(({ kayse_field }) => kayse_field)
    const before = new Map((await selectMappings(ctx, fields)).map((mapping) => [mapping.kayse_field, mapping]))
    await upsertMappings(ctx, mappings)
    for (const mapping of mappings) {
      const was = before.get(mapping.kayse_field)
      const changes = was ? changedFields(was, mapping) : null
      if (was && !changes) continue
      ctx.record({
        activity: was ? 'crm_mapping_updated' : 'crm_mapping_created',
        record_type: 'crm_mapping',
        record_id: mapping.kayse_field,
        changes,
      })
    }
    return { updated: mappings.length, mappings }
  },
})

export const listOutcomeTypes = operation({
  rest: 'GET /v1/crm_mappings/outcome_types',
  tag,
  summary: 'List the outcomes of calls',
  input: Fields({}),
  output: Type.Object({ outcome_types: Type.Array(OutcomeType, { description: 'The outcomes' }) }),
  run: async () => ({ outcome_types: outcomeTypes }),
})

/** A busy line and a failed connection say nothing about the person: a CRM has no use for them. */
const outcomeTypes = CALL_RESULTS.filter((id) => !callResults[id].technical).map((id) => {
  const { label, description } = callResults[id]
  return { id, label, description }
})

function repeatedFields(mappings: NewMapping[]): Detail[] {
  const first = new Map<string, number>()
  return mappings.flatMap(({ kayse_field }, index) => {
    const earlier = first.get(kayse_field)
    if (earlier === undefined) first.set(kayse_field, index)
    return earlier === undefined
      ? []
      : [{ field: `mappings[${index}].kayse_field`, message: `'${kayse_field}' is already mappings[${earlier}]` }]
  })
}
