import Type from 'typebox'
import {
  Fields,
  Id,
  Nullable,
  OptionalArray,
  OptionalBoolean,
  OptionalFields,
  OptionalText,
  ResponseOnly,
  type Static,
  Text,
} from '../core/fields.ts'
import { type Filter, filterFields } from './filter.ts'

export const CaseFilter = Fields(filterFields, { examples: [{ case_type_ids: [3], status_ids: [2] }] })

export const required = {
  name: Text(255, 'Name of the list', { examples: ['Open family cases'] }),
}

export const optional = {
  description: OptionalText(10_000, 'What the list is for; shown in the user interface'),
  external_source: OptionalText(255, 'Origin system'),
  external_source_id: OptionalText(255, 'Identifier in the origin system'),
  filter: OptionalFields(
    CaseFilter,
    'Which cases are members, now and later. Keys combine with AND, values inside one key with OR; without any key it ' +
      'matches nothing',
  ),
  is_obo: OptionalBoolean('true also marks the members of this moment as on behalf of another party'),
}

export const overrides = {
  include_ids: OptionalArray(Id('A case id'), 'Cases that are members whatever the filter says'),
  exclude_ids: OptionalArray(Id('A case id'), 'Cases that are no members, whatever else says so'),
}

const responseOnly = {
  case_count: ResponseOnly('Set by the service'),
  origin: ResponseOnly('Set by the service'),
  update_origin: ResponseOnly('Set by the service'),
}

const example = {
  id: 8,
  name: 'Open family cases',
  description: null,
  external_source: null,
  external_source_id: null,
  filter: { case_type_ids: [3], status_ids: [2] },
  is_obo: false,
  case_count: 211,
  origin: 'public_api',
  update_origin: null,
}

const caseListFields = {
  id: Id('Case list id'),
  name: Type.String({ description: 'Name of the list' }),
  description: Nullable<string>('string', 'What the list is for'),
  external_source: Nullable<string>('string', 'Origin system'),
  external_source_id: Nullable<string>('string', 'Identifier in the origin system'),
  filter: Nullable<Filter>('object', 'Which cases are members; null for a list of chosen cases only', {
    properties: filterFields,
    additionalProperties: false,
  }),
  is_obo: Nullable<boolean>('boolean', 'Works on behalf of another party'),
  case_count: Type.Integer({ minimum: 0, description: 'Number of member cases' }),
  origin: Type.String({ description: 'The channel that created the record' }),
  update_origin: Nullable<string>('string', 'The channel of the last update; null until then'),
}

export const CaseList = Type.Object(caseListFields, { title: 'CaseList', examples: [example] })
export type CaseList = Static<typeof CaseList>

export const CreateCaseList = Fields({
  ...required,
  ...optional,
  ...overrides,
  id: ResponseOnly('Set by the service'),
  ...responseOnly,
})
export type CreateCaseList = Static<typeof CreateCaseList>

/** An entry of the bulk operation with an id: every field may be left out. */
export const PatchCaseList = Fields({
  id: Id('Case list id'),
  name: Type.Optional(required.name),
  ...optional,
  ...overrides,
  ...responseOnly,
})
export type PatchCaseList = Static<typeof PatchCaseList>
