import Type from 'typebox'
import {
  Choice,
  Fields,
  Flag,
  Id,
  Instant,
  OptionalArray,
  OptionalBoolean,
  OptionalChoice,
  OptionalText,
  ResponseOnly,
  type Static,
  Text,
} from '../core/fields.ts'

export const VOICEMAIL_ACTIONS = ['hangup', 'message'] as const
export const TRANSFER_MODES = ['cold', 'warm'] as const

export const FIELD_TYPES = ['text', 'selector', 'boolean', 'number'] as const

export const PostCallField = Fields(
  {
    name: Text(255, 'Name of the field, unique in the agent', { examples: ['incident_date'] }),
    type: Choice(FIELD_TYPES, 'Kind of value'),
    description: OptionalText(10_000, 'What to find out; may hold template variables', {
      examples: ['When did it happen?'],
    }),
    choices: OptionalArray(Text(255, 'A choice'), 'The values of a selector', { maxItems: 100 }),
  },
  {
    title: 'PostCallField',
    examples: [{ name: 'incident_date', type: 'text', description: 'When did it happen?' }],
  },
)
export type PostCallField = Static<typeof PostCallField>

export const PhoneAssignment = Fields(
  {
    phone_number: Text(255, 'Phone number', { examples: ['+1 212-555-0100'] }),
    case_type_id: Id('The case type it is used for'),
    direction: Choice(['inbound', 'outbound', 'both'], 'Which calls it is used for'),
  },
  {
    title: 'PhoneAssignment',
    examples: [{ phone_number: '+1 212-555-0100', case_type_id: 3, direction: 'outbound' }],
  },
)
export type PhoneAssignment = Static<typeof PhoneAssignment>

const required = {
  name: Text(255, 'Name, also known to the contact', { examples: ['Jordan'] }),
  voice_id: Text(255, 'An id from the voices list', { examples: ['voice_amelia'] }),
  greeting: Text(10_000, 'Opening message; may hold template variables', {
    examples: ['Hello {{first_name}}, this is {{agent_name}} from {{company_name}}.'],
  }),
  task: Text(10_000, 'Primary task instructions; may hold template variables', {
    examples: ['Confirm that {{first_name}} knows of the hearing on {{court_date}}.'],
  }),
}

const optional = {
  post_call_fields: OptionalArray(PostCallField, 'What the agent finds out during calls', { maxItems: 100 }),
  transfer_number: OptionalText(255, 'Where calls are transferred to', { examples: ['+1 212-555-0101'] }),
  is_transfer_enabled: OptionalBoolean('The agent may transfer calls; needs a transfer_number'),
  is_appointment_booking_enabled: OptionalBoolean('The agent may book appointments'),
  phone_number: OptionalText(255, 'Dedicated phone number', { examples: ['+1 212-555-0100'] }),
  phone_assignments: OptionalArray(PhoneAssignment, 'Phone numbers by case type', { maxItems: 1000 }),
  // Beyond the specification's table.
  voicemail_action: OptionalChoice(
    VOICEMAIL_ACTIONS,
    'What it does where a machine answers: `hangup` (default) or `message`',
  ),
  voicemail_message: OptionalText(2000, 'What it says to a machine; may hold template variables', {
    examples: ['Please call {{company_name}} back about your case.'],
  }),
  transfer_mode: OptionalChoice(
    TRANSFER_MODES,
    'How it puts somebody through: `cold` (default) at once, `warm` after a person at transfer_number was told who calls and took the call',
  ),
}

const responseOnly = {
  created_at: ResponseOnly('Set by the service'),
  updated_at: ResponseOnly('Set by the service'),
}

export const AgentId = Text(255, 'Agent id', { examples: ['agent_01jnh3wq8z4v6x0y2b5c7d9e1f'] })

export const CreateAgent = Fields({ ...required, ...optional, ...responseOnly, id: ResponseOnly('Set by the service') })
export type CreateAgent = Static<typeof CreateAgent>

export const PatchAgent = Fields({
  agent_id: AgentId,
  ...(Object.fromEntries(Object.entries(required).map(([name, schema]) => [name, Type.Optional(schema)])) as {
    [Name in keyof typeof required]: ReturnType<typeof Type.Optional<(typeof required)[Name]>>
  }),
  ...optional,
  ...responseOnly,
  id: ResponseOnly('Set by the service'),
})
export type PatchAgent = Static<typeof PatchAgent>

/** The whole record, as it is kept. */
export const Agent = Type.Object({
  id: AgentId,
  ...required,
  post_call_fields: Type.Array(PostCallField, { description: 'What the agent finds out during calls' }),
  transfer_number: optional.transfer_number,
  is_transfer_enabled: Flag('The agent may transfer calls'),
  is_appointment_booking_enabled: Flag('The agent may book appointments'),
  phone_number: optional.phone_number,
  phone_assignments: Type.Array(PhoneAssignment, { description: 'Phone numbers by case type' }),
  voicemail_action: Choice(VOICEMAIL_ACTIONS, 'What it does where a machine answers'),
  voicemail_message: optional.voicemail_message,
  transfer_mode: Choice(TRANSFER_MODES, 'How it puts somebody through'),
})
export type Agent = Static<typeof Agent>

export const CreatedAgent = Type.Object({ id: AgentId, ...required, created_at: Instant('When it was created') })

/** Only the sent fields are answered, as they are kept now. */
export const PatchedAgent = Type.Object({
  ...Type.Partial(Agent).properties,
  id: AgentId,
  updated_at: Instant('When it was updated'),
})

export const AgentConfig = Type.Object({
  id: AgentId,
  ...required,
  post_call_fields: Type.Array(PostCallField, { description: 'What the agent finds out during calls' }),
  is_transfer_enabled: Flag('The agent may transfer calls'),
  is_appointment_booking_enabled: Flag('The agent may book appointments'),
  transfer_number: Type.Optional(Type.String({ description: 'Where it is set', examples: ['+1 212-555-0101'] })),
  phone_number: Type.Optional(Type.String({ description: 'Where it is set', examples: ['+1 212-555-0100'] })),
  phone_assignments: Type.Optional(Type.Array(PhoneAssignment, { description: 'Where there are any' })),
  voicemail_action: Type.Optional(Choice(VOICEMAIL_ACTIONS, 'Where it is not `hangup`')),
  voicemail_message: Type.Optional(Type.String({ description: 'Where it is set', examples: ['Please call us back.'] })),
  transfer_mode: Type.Optional(Choice(TRANSFER_MODES, 'Where it is not `cold`')),
})
