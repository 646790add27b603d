import Type from 'typebox'
import { Fields, Instant, OptionalChoice, type Static, Text } from '../core/fields.ts'

export const DIRECTIONS = ['inbound', 'outbound', 'bidirectional'] as const

const kayseField = { description: 'Service field identifier', examples: ['case_status'] }
const crmField = { description: 'CRM field identifier', examples: ['statusid'] }

export const NewMapping = Fields({
  kayse_field: Type.String({ ...kayseField, minLength: 1, maxLength: 255, pattern: '^[a-z0-9_.]*$' }),
  crm_field: Text(255, crmField.description, { examples: crmField.examples }),
  direction: OptionalChoice(DIRECTIONS, 'bidirectional by default'),
})
export type NewMapping = Static<typeof NewMapping>

export const Mapping = Type.Object({
  kayse_field: Type.String(kayseField),
  crm_field: Type.String(crmField),
  direction: Type.Unsafe<(typeof DIRECTIONS)[number]>({
    type: 'string',
    enum: DIRECTIONS,
    description: 'Which way values go; inbound is from the CRM',
  }),
})
export type Mapping = Static<typeof Mapping>

export const Integration = Type.Object({
  type: Type.String({ description: 'Which CRM', examples: ['smartadvocate'] }),
  enabled: Type.Boolean({ description: 'Whether it is in use', examples: [true] }),
  connected_at: Instant('When the connection was made'),
})
export type Integration = Static<typeof Integration>

export const OutcomeType = Type.Object({
  id: Type.String({ description: 'The result as calls carry it', examples: ['converted'] }),
  label: Type.String({ description: 'Name for people', examples: ['Converted'] }),
  description: Type.String({
    description: 'What it means',
    examples: ['The person agreed to what the campaign asks for'],
  }),
})
