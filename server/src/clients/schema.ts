import Type from 'typebox'
import {
  Fields,
  Flag,
  Id,
  Ids,
  Nullable,
  OptionalBoolean,
  OptionalDate,
  OptionalId,
  OptionalObject,
  OptionalText,
  ResponseOnly,
  type Static,
  Text,
} from '../core/fields.ts'

export const required = {
  external_source: Text(255, 'Source system', { examples: ['manual', 'import'] }),
  external_source_id: Text(255, 'Identifier in the source system', { examples: ['SF-10293'] }),
  first_name: Text(255, 'First name', { examples: ['María'] }),
  last_name: Text(255, 'Last name', { examples: ['Okafor'] }),
}

export const optional = {
  email: OptionalText(255, 'E-mail address', { format: 'email', examples: ['maria@example.com'] }),
  mobile: OptionalText(255, 'Phone number as the firm knows it; a US number unless it starts with +', {
    examples: ['+1 212-555-0123'],
  }),
  gender: OptionalText(255, 'Gender'),
  date_of_birth: OptionalDate('Date of birth'),
  date_of_death: OptionalDate('Date of death; nobody calls or writes to a deceased contact'),
  city: OptionalText(255, 'City'),
  state: OptionalText(255, 'State, by name or two-letter code', { examples: ['NY'] }),
  postal_code: OptionalText(255, 'Postal code; with the state it decides the time zone', { examples: ['10007'] }),
  address_line1: OptionalText(255, 'Street and number'),
  address_line2: OptionalText(255, 'Second address line'),
  timezone: OptionalText(255, 'IANA time zone; decides the local time when given', {
    format: 'timezone',
    examples: ['America/New_York'],
  }),
  meta: OptionalObject('Free key-value pairs, at most 64 KB as JSON; replaced as a whole'),
  voice_calls_opted_out: OptionalBoolean('No voice calls to this contact'),
  sms_opted_out: OptionalBoolean('No text messages to this contact'),
  email_opted_out: OptionalBoolean('No e-mail to this contact'),
}

export const links = {
  case_ids: Type.Optional(
    Type.Unsafe<number[] | null>({
      type: ['array', 'null'],
      items: Id('A case id'),
      description: 'Linked cases; replaces the links',
    }),
  ),
  case_id: OptionalId('Older form of case_ids with one case'),
}

const responseOnly = {
  origin: ResponseOnly('Set by the service'),
  update_origin: ResponseOnly('Set by the service'),
}

const example = {
  id: 42,
  external_source: 'manual',
  external_source_id: 'SF-10293',
  first_name: 'María',
  last_name: 'Okafor',
  email: 'maria@example.com',
  mobile: '+1 212-555-0123',
  gender: null,
  date_of_birth: '1984-07-19',
  date_of_death: null,
  city: 'New York',
  state: 'NY',
  postal_code: '10007',
  address_line1: null,
  address_line2: null,
  timezone: null,
  meta: { language: 'es' },
  voice_calls_opted_out: false,
  sms_opted_out: false,
  email_opted_out: false,
  case_ids: [17],
  origin: 'public_api',
  update_origin: null,
}

const clientFields = {
  id: Id('Client id'),
  external_source: Type.String({ description: 'Source system' }),
  external_source_id: Type.String({ description: 'Identifier in the source system' }),
  first_name: Type.String({ description: 'First name' }),
  last_name: Type.String({ description: 'Last name' }),
  email: Nullable<string>('string', 'E-mail address'),
  mobile: Nullable<string>('string', 'Phone number as sent'),
  gender: Nullable<string>('string', 'Gender'),
  date_of_birth: Nullable<string>('string', 'Date of birth', { format: 'date' }),
  date_of_death: Nullable<string>('string', 'Date of death', { format: 'date' }),
  city: Nullable<string>('string', 'City'),
  state: Nullable<string>('string', 'State'),
  postal_code: Nullable<string>('string', 'Postal code'),
  address_line1: Nullable<string>('string', 'Street and number'),
  address_line2: Nullable<string>('string', 'Second address line'),
  timezone: Nullable<string>('string', 'IANA time zone'),
  meta: Nullable<Record<string, unknown>>('object', 'Free key-value pairs'),
  voice_calls_opted_out: Flag('No voice calls to this contact'),
  sms_opted_out: Flag('No text messages to this contact'),
  email_opted_out: Flag('No e-mail to this contact'),
  case_ids: Ids('Linked cases'),
  origin: Type.String({ description: 'The channel that created the record' }),
  update_origin: Nullable<string>('string', 'The channel of the last update; null until then'),
}

export const Client = Type.Object(clientFields, { title: 'Client', examples: [example] })
export type Client = Static<typeof Client>

export const CreateClient = Fields({
  ...required,
  ...optional,
  ...links,
  id: ResponseOnly('Set by the service'),
  ...responseOnly,
})
export type CreateClient = Static<typeof CreateClient>

export const UpdateClient = Fields({ id: Id('Client id'), ...required, ...optional, ...links, ...responseOnly })

/** An entry of the bulk operation with an id: every field may be left out. */
export const PatchClient = Fields({
  id: Id('Client id'),
  ...(Object.fromEntries(Object.entries(required).map(([name, schema]) => [name, Type.Optional(schema)])) as {
    [Name in keyof typeof required]: ReturnType<typeof Type.Optional<(typeof required)[Name]>>
  }),
  ...optional,
  ...links,
  ...responseOnly,
})
export type PatchClient = Static<typeof PatchClient>
