import Type from 'typebox'
import { changedFields } from '../core/change.ts'
import { badRequest, refuseAll } from '../core/errors.ts'
import { Fields, Id, Text } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { createType } from './find-or-create.ts'
import { selectByName } from './queries.ts'
import { CaseType, CustomField, typeFields } from './schema.ts'
import { insertCustomField, selectCaseType, selectCaseTypes, selectCustomFields, updateCaseType } from './types.ts'

const { name, ...options } = typeFields
const id = Id('Case type id')

export const listCaseTypes = tool({
  name: 'list_case_types',
  title: 'List case types',
  description: 'The kinds of matters the firm handles (civil, family, …), by name, with how many cases each has.',
  readOnly: true,
  input: Fields({ ...paging, name: Type.Optional(Type.String({ description: 'Part of the name' })) }),
  output: Paged('case_types', CaseType),
  run: async (ctx, args) => paged('case_types', args, await selectCaseTypes(ctx, { ...args, ...slice(args) })),
})

export const getCaseType = tool({
  name: 'get_case_type',
  title: 'Get a case type',
  description: 'One case type with how many cases it has.',
  readOnly: true,
  input: Fields({ id }),
  output: CaseType,
  run: (ctx, args) => selectCaseType(ctx, args.id),
})

export const createCaseType = tool({
  name: 'create_case_type',
  title: 'Create a case type',
  description: 'Adds a kind of matter. create_case creates a missing one itself.',
  input: Fields(typeFields),
  output: CaseType,
  async run(ctx, input) {
    await refuseTakenName(ctx, input.name)
    return selectCaseType(ctx, await createType(ctx, input))
  },
})

export const updateCaseTypeTool = tool({
  name: 'update_case_type',
  title: 'Update a case type',
  description: 'Changes only the given fields. A new name shows on every case of the type.',
  idempotent: true,
  input: Fields({ id, name: Type.Optional(name), ...options }),
  output: CaseType,
  async run(ctx, { id, ...given }) {
    const before = await selectCaseType(ctx, id)
    if (given.name !== undefined) await refuseTakenName(ctx, given.name, id)
    await updateCaseType(ctx, id, given)
    const after = await selectCaseType(ctx, id)
    const changes = changedFields(before, after)
    if (changes) ctx.record({ activity: 'case_type_updated', record_type: 'case_type', record_id: id, changes })
    return after
  },
})

export const listCustomFields = tool({
  name: 'list_case_type_custom_fields',
  title: 'List custom fields of a case type',
  description: "The firm's own fields of a case type. `source`: manual, or the system that brought the field.",
  readOnly: true,
  input: Fields({ id }),
  output: Type.Object({ items: Type.Array(CustomField) }),
  async run(ctx, { id }) {
    await selectCaseType(ctx, id)
    return { items: await selectCustomFields(ctx, id) }
  },
})

export const createCustomField = tool({
  name: 'create_case_type_custom_field',
  title: 'Create a custom field of a case type',
  description: 'Adds a field of the firm to a case type.',
  input: Fields({ id, key: Text(255, "Name of the field, unique in its type whatever its capitals: 'incident_date'") }),
  output: CustomField,
  async run(ctx, { id, key }) {
    const { name } = await selectCaseType(ctx, id)
    const field = await insertCustomField(ctx, id, key)
    if (!field) {
      badRequest(`key: case type '${name}' has the custom field '${key}' already`, [
        { field: 'key', message: `'${key}' exists already` },
      ])
    }
    ctx.record({ activity: 'custom_field_created', record_type: 'custom_field', record_id: field.id })
    return field
  },
})

async function refuseTakenName(ctx: Context, name: string, except?: number): Promise<void> {
  const holder = (await selectByName(ctx, 'case_types', [name])).get(name)
  if (holder && holder.id !== except)
    refuseAll([{ field: 'name', message: `'${holder.name}' is already the name of case type ${holder.id}` }])
}
