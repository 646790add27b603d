import Type from 'typebox'
import { isCaseType } from '../case-settings/types.ts'
import { changedFields } from '../core/change.ts'
import { type Detail, notFound, refuseAll } from '../core/errors.ts'
import { Fields, Id, Ids, Nullable, OptionalArray, OptionalFields, OptionalId, undescribed } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { planAnew } from './campaigns.ts'
import { attach, attachCasesOfClients, detach } from './change-members.ts'
import { recount } from './counts.ts'
import { type Filter, filterFields, givenKeys } from './filter.ts'
import { lockMembership } from './membership.ts'
import { selectCaseList, selectCaseListPage, updateCaseLists } from './queries.ts'
import { brokenChange } from './rules.ts'
import { readBatch, writeBatch } from './save.ts'
import { type CaseList, optional, required } from './schema.ts'

const ToolCaseList = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable<string>('string'),
  case_type_id: Nullable<number>('integer'),
  filter: Nullable<Filter>('object'),
  is_obo: Nullable<boolean>('boolean'),
  case_count: Type.Integer(),
  external_source: Nullable<string>('string'),
  external_source_id: Nullable<string>('string'),
  origin: Type.String(),
  update_origin: Nullable<string>('string'),
})

const id = Id('Case list id')

/** `case_type_id` is the type that the filter asks for, where it asks for one alone. */
function shown(list: CaseList) {
  const types = list.filter?.case_type_ids ?? []
  return { ...list, case_type_id: types.length === 1 ? types[0]! : null }
}

export const listCaseLists = tool({
  name: 'list_case_lists',
  title: 'List case lists',
  description:
    'Case lists, newest first. A campaign works through one. Members: cases that match `filter` now or later, plus attached ones, less detached ones.',
  readOnly: true,
  input: Fields({
    ...paging,
    key: Type.Optional(Type.String({ description: 'Part of the name' })),
    case_type_id: Type.Optional(Id('Only lists whose filter asks for this case type')),
  }),
  output: Paged('case_lists', ToolCaseList),
  async run(ctx, args) {
    const { case_type_id } = args
    if (case_type_id !== undefined && !(await isCaseType(ctx, case_type_id))) notFound('case type', case_type_id)
    const { total, rows } = await selectCaseListPage(ctx, args, slice(args))
    return paged('case_lists', args, { total, rows: rows.map(shown) })
  },
})

export const getCaseList = tool({
  name: 'get_case_list',
  title: 'Get a case list',
  description: 'One case list with the number of its members.',
  readOnly: true,
  input: Fields({ id }),
  output: ToolCaseList,
  run: async (ctx, args) => shown(await selectCaseList(ctx, args.id)),
})

const caseTypeId = OptionalId('Members are the cases of this type, now and later')

export const createCaseList = tool({
  name: 'create_case_list',
  title: 'Create a case list',
  description:
    'Creates a list: of all cases of one type, or empty, to be filled by attach_to_case_list or append_clients_to_case_list.',
  input: Fields({ name: required.name, description: optional.description, case_type_id: caseTypeId }),
  output: ToolCaseList,
  async run(ctx, { case_type_id, ...input }) {
    refuseAll(await brokenType(ctx, case_type_id))
    const filter = case_type_id == null ? null : { case_type_ids: [case_type_id] }
    const [list] = await writeBatch(ctx, await readBatch(ctx, [{ id: null, input: { ...input, filter } }]))
    return shown(await selectCaseList(ctx, list!))
  },
})

export const updateCaseList = tool({
  name: 'update_case_list',
  title: 'Update a case list',
  description: 'Changes only the given fields. Attached and detached cases stay as they are.',
  idempotent: true,
  input: Fields({
    id,
    name: Type.Optional(required.name),
    description: optional.description,
    case_type_id: OptionalId('Members are the cases of this type; null: the filter asks for no type'),
  }),
  output: ToolCaseList,
  async run(ctx, { id, case_type_id, ...given }) {
    await lockMembership(ctx)
    const before = await selectCaseList(ctx, id)
    refuseAll(await brokenType(ctx, case_type_id))
    const filter = case_type_id === undefined ? before.filter : ofType(before.filter, case_type_id)
    await updateCaseLists(ctx, ctx.channel, [{ ...before, ...given, filter }])
    if (case_type_id !== undefined) {
      await recount(ctx, [id])
      await planAnew(ctx, [id])
    }
    const after = await selectCaseList(ctx, id)
    const changes = changedFields(before, after)
    if (changes) ctx.record({ activity: 'case_list_updated', record_type: 'case_list', record_id: id, changes })
    return shown(after)
  },
})

function ofType(filter: Filter | null, typeId: number | null): Filter | null {
  const changed = { ...filter, case_type_ids: typeId === null ? null : [typeId] }
  return Object.keys(givenKeys(changed)).length > 0 ? changed : null
}

const change = {
  filter: OptionalFields(
    Fields(undescribed(filterFields)),
    'Criteria combine with AND, values of one with OR. created_*: created_date, else the day the record was made; key: part of name or number',
  ),
  include_ids: OptionalArray(Id('A case id'), 'Cases to attach or detach'),
  exclude_ids: OptionalArray(Id('A case id'), 'Cases of the filter to leave as they are'),
}
const Change = Fields({ id, ...change })
type Change = Type.Static<typeof Change>

export const attachToCaseList = tool({
  name: 'attach_to_case_list',
  title: 'Attach cases to a case list',
  description:
    'Adds the cases of include_ids and those that match filter now (less exclude_ids) to the list. Give filter or include_ids. A running campaign takes them in.',
  idempotent: true,
  input: Change,
  output: ToolCaseList,
  run: (ctx, args) => changeMembers(ctx, args, attach),
})

export const detachFromCaseList = tool({
  name: 'detach_from_case_list',
  title: 'Detach cases from a case list',
  description:
    'Removes the cases of include_ids and those that match filter now (less exclude_ids) from the list, for good. A running campaign no longer calls them.',
  destructive: true,
  idempotent: true,
  input: Change,
  output: ToolCaseList,
  run: (ctx, args) => changeMembers(ctx, args, detach),
})

export const appendClientsToCaseList = tool({
  name: 'append_clients_to_case_list',
  title: 'Attach the cases of clients to a case list',
  description: 'Attaches every case of the given clients.',
  idempotent: true,
  input: Fields({ id, client_ids: Ids('Clients whose cases are attached', { minItems: 1 }) }),
  output: Type.Object({
    list_id: Type.Integer(),
    client_count: Type.Integer(),
    matched_case_count: Type.Integer(),
    case_count: Type.Integer(),
  }),
  async run(ctx, { id, client_ids }) {
    const found = await attachCasesOfClients(ctx, id, client_ids)
    const { case_count } = await selectCaseList(ctx, id)
    return {
      list_id: id,
      client_count: found.client_ids.length,
      matched_case_count: found.case_ids.length,
      case_count,
    }
  },
})

async function changeMembers(ctx: Context, { id, filter, include_ids, exclude_ids }: Change, how: typeof attach) {
  refuseAll(brokenChange({ filter, include_ids, exclude_ids }))
  await how(ctx, id, {
    filter: filter ?? null,
    include_ids: [...new Set(include_ids)],
    exclude_ids: exclude_ids ?? [],
  })
  return shown(await selectCaseList(ctx, id))
}

async function brokenType(ctx: Context, id: number | null | undefined): Promise<Detail[]> {
  if (id == null || (await isCaseType(ctx, id))) return []
  return [{ field: 'case_type_id', message: `no such case type: ${id}; list_case_types shows the ids` }]
}
