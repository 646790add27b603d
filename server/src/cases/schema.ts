import Type from 'typebox'
import {
  Choice,
  Fields,
  Flag,
  Id,
  Ids,
  Nullable,
  OptionalArray,
  OptionalBoolean,
  OptionalDate,
  OptionalObject,
  OptionalText,
  ResponseOnly,
  type Static,
  Text,
} from '../core/fields.ts'

/** Where a case may come from. The specification names `other` and `manual`; the rest are the systems firms use. */
export const CASE_SOURCES = [
  'manual',
  'import',
  'other',
  'api',
  'csv',
  'webform',
  'litify',
  'salesforce',
  'hubspot',
  'clio',
  'filevine',
  'mycase',
  'smartadvocate',
  'law_ruler',
  'lead_docket',
  'casepeer',
  'needles',
  'neos',
  'cloudlex',
  'growpath',
  'practice_panther',
  'trialworks',
  'zapier',
] as const

export const required = {
  case_number: Text(255, 'Unique within the company; free again once the case is deleted', {
    examples: ['2026-CV-00142'],
  }),
  external_source: Choice(CASE_SOURCES, 'Source system', { examples: ['manual'] }),
  external_source_id: Text(255, 'Identifier in the source system', { examples: ['M-10293'] }),
  status: Text(255, 'Name of a configured case status, in any case', { examples: ['active'] }),
  type: Text(255, 'Name of a configured case type, in any case', { examples: ['civil'] }),
}

export const optional = {
  external_source_data: OptionalObject('Free key-value pairs, at most 64 KB as JSON; replaced as a whole'),
  name: OptionalText(255, 'Name of the case', { examples: ['Okafor v. Acme'] }),
  court_name: OptionalText(255, 'Court'),
  jurisdiction: OptionalText(255, 'Jurisdiction', { examples: ['NY'] }),
  description: OptionalText(10_000, 'Description'),
  is_obo: OptionalBoolean('On behalf of another party; null counts as false'),
  created_date: OptionalDate('Date on which the case was opened'),
  court_date: OptionalDate('Next court date'),
  end_date: OptionalDate('Date on which the case ended'),
  opt_out_voice_calls: OptionalBoolean(
    'When set to true, opts every linked client out of voice calls, and those linked later while it stays true',
  ),
}

export const links = {
  client_ids: OptionalArray(Id('A client id'), 'Linked clients; replaces the links'),
}

const responseOnly = {
  call_opted_out: ResponseOnly('Set by the service'),
  sms_opted_out: ResponseOnly('Set by the service'),
  email_opted_out: ResponseOnly('Set by the service'),
  origin: ResponseOnly('Set by the service'),
  update_origin: ResponseOnly('Set by the service'),
}

const example = {
  id: 17,
  case_number: '2026-CV-00142',
  external_source: 'manual',
  external_source_id: 'M-10293',
  external_source_data: null,
  name: 'Okafor v. Acme',
  court_name: null,
  jurisdiction: 'NY',
  description: null,
  status: 'active',
  type: 'civil',
  is_obo: false,
  created_date: '2026-02-10',
  court_date: '2026-04-21',
  end_date: null,
  client_ids: [42],
  opt_out_voice_calls: null,
  call_opted_out: false,
  sms_opted_out: false,
  email_opted_out: false,
  origin: 'public_api',
  update_origin: null,
}

const caseFields = {
  id: Id('Case id'),
  case_number: Type.String({ description: 'Unique within the company' }),
  external_source: Type.String({ description: 'Source system' }),
  external_source_id: Type.String({ description: 'Identifier in the source system' }),
  external_source_data: Nullable<Record<string, unknown>>('object', 'Free key-value pairs'),
  name: Nullable<string>('string', 'Name of the case'),
  court_name: Nullable<string>('string', 'Court'),
  jurisdiction: Nullable<string>('string', 'Jurisdiction'),
  description: Nullable<string>('string', 'Description'),
  status: Type.String({ description: 'Case status in its configured spelling' }),
  type: Type.String({ description: 'Case type in its configured spelling' }),
  is_obo: Nullable<boolean>('boolean', 'On behalf of another party'),
  created_date: Nullable<string>('string', 'Date on which the case was opened', { format: 'date' }),
  court_date: Nullable<string>('string', 'Next court date', { format: 'date' }),
  end_date: Nullable<string>('string', 'Date on which the case ended', { format: 'date' }),
  client_ids: Ids('Linked clients'),
  opt_out_voice_calls: Nullable<boolean>('boolean', 'Linked clients are opted out of voice calls'),
  call_opted_out: Flag('All clients of the case opted out of voice calls; false without clients'),
  sms_opted_out: Flag('All clients of the case opted out of text messages; false without clients'),
  email_opted_out: Flag('All clients of the case opted out of e-mail; false without clients'),
  origin: Type.String({ description: 'The channel that created the record' }),
  update_origin: Nullable<string>('string', 'The channel of the last update; null until then'),
}

export const Case = Type.Object(caseFields, { title: 'Case', examples: [example] })
export type Case = Static<typeof Case>

const input = { ...required, ...optional, ...links, ...responseOnly }

export const CreateCase = Fields({ ...input, id: ResponseOnly('Set by the service') })

export const UpdateCase = Fields({ id: Id('Case id'), ...input })

/** The fields of a case as a caller sends them; what is left out is null. */
export type CaseInput = Omit<Static<typeof CreateCase>, 'id'>
