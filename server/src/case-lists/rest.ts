import Type from 'typebox'
import { refuseAll } from '../core/errors.ts'
import { Fields, Id, Ids, OptionalText, type Static } from '../core/fields.ts'
import { operation } from '../core/operation.ts'
import { bulkUpsertCaseLists } from './bulk.ts'
import { pauseCampaignsOfLists } from './campaigns.ts'
import { attach, attachCasesOfClients, type CasesOfClients, detach, selectCasesOfClients } from './change-members.ts'
import { lockMembership } from './membership.ts'
import { copyCaseList, deleteCaseLists, selectCaseList, selectCaseListPage } from './queries.ts'
import { brokenChange } from './rules.ts'
import { readBatch, writeBatch } from './save.ts'
import { CaseList, CreateCaseList, optional, overrides } from './schema.ts'

const tag = 'Case lists'

export const listCaseLists = operation({
  rest: 'GET /v1/case_lists',
  tag,
  summary: 'List the case lists',
  description: 'Newest first.',
  input: Fields({
    key: OptionalText(255, 'Name contains this text, without regard to case'),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page, from 1' })),
    page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Lists on a page' })),
    hide_empty: Type.Optional(Type.Boolean({ default: false, description: 'Only lists that have members' })),
  }),
  output: Type.Object({
    data: Type.Array(CaseList, { description: 'The lists of this page' }),
    page: Type.Integer({ description: 'This page' }),
    total: Type.Integer({ description: 'Lists on all pages' }),
  }),
  async run(ctx, { page = 1, page_size = 25, ...wanted }) {
    const { rows, total } = await selectCaseListPage(ctx, wanted, { limit: page_size, offset: (page - 1) * page_size })
    return { data: rows, page, total }
  },
})

export const createCaseList = operation({
  rest: 'POST /v1/case_lists',
  tag,
  summary: 'Create a case list',
  description:
    'A list with a filter is dynamic: cases that match later become members by themselves. Keep the `id` of the answer.',
  input: CreateCaseList,
  output: CaseList,
  status: 201,
  example: { name: 'Open family cases', filter: { case_type_ids: [3], status_ids: [2] }, exclude_ids: [17] },
  async run(ctx, input) {
    const batch = await readBatch(ctx, [{ id: null, input }])
    refuseAll(batch.broken[0]!)
    const [id] = await writeBatch(ctx, batch)
    return selectCaseList(ctx, id!)
  },
})

export { bulkUpsertCaseLists }

const change = Fields({
  id: Id('Case list id'),
  filter: optional.filter,
  include_ids: overrides.include_ids,
  exclude_ids: overrides.exclude_ids,
})

const selectionOf = ({ filter, include_ids, exclude_ids }: Omit<Static<typeof change>, 'id'>) => ({
  filter: filter ?? null,
  include_ids: [...new Set(include_ids)],
  exclude_ids: exclude_ids ?? [],
})

export const attachToCaseList = operation({
  rest: 'PATCH /v1/case_lists/:id/attach',
  tag,
  summary: 'Attach cases to a case list',
  description:
    'Adds the named cases and those that match the filter now as included members, and lifts their exclusion. ' +
    '`exclude_ids` leaves cases of the filter out of it. `filter` or `include_ids` is required.',
  input: change,
  output: Type.Object({
    action: Type.Literal('attach', { description: 'Always this' }),
    list_id: Type.String({ description: 'The case list', examples: ['8'] }),
  }),
  example: { filter: { status_ids: [2] }, include_ids: [42], exclude_ids: [17] },
  async run(ctx, { id, ...input }) {
    refuseAll(brokenChange(input))
    await attach(ctx, id, selectionOf(input))
    return { action: 'attach', list_id: String(id) } as const
  },
})

export const detachFromCaseList = operation({
  rest: 'PATCH /v1/case_lists/:id/detach',
  tag,
  summary: 'Detach cases from a case list',
  description:
    'Takes the inclusion of the named cases and of those that match the filter now away, and excludes those that the ' +
    'own filter of the list would bring back. `exclude_ids` leaves cases of the filter where they are.',
  input: change,
  output: Type.Object({
    action: Type.Literal('detach', { description: 'Always this' }),
    list_id: Type.String({ description: 'The case list', examples: ['8'] }),
  }),
  example: { include_ids: [42] },
  async run(ctx, { id, ...input }) {
    refuseAll(brokenChange(input))
    await detach(ctx, id, selectionOf(input))
    return { action: 'detach', list_id: String(id) } as const
  },
})

const counted = {
  list_id: Id('The case list'),
  client_count: Type.Integer({ description: 'Clients that were found' }),
  matched_case_count: Type.Integer({ description: 'Cases that belong to them' }),
}

export const appendClients = operation({
  rest: 'POST /v1/case_lists/:id/clients/append',
  tag,
  summary: 'Attach every case of the given clients',
  input: Fields({ id: Id('Case list id'), client_ids: Ids('Clients whose cases are attached', { minItems: 1 }) }),
  output: Type.Object({ action: Type.Literal('append', { description: 'Always this' }), ...counted }),
  async run(ctx, { id, client_ids }) {
    const found = await attachCasesOfClients(ctx, id, client_ids)
    return { action: 'append', list_id: id, ...counts(found) } as const
  },
})

export const removeClients = operation({
  rest: 'POST /v1/case_lists/:id/clients/remove',
  tag,
  summary: 'Detach every case of the given clients',
  input: Fields({ id: Id('Case list id'), client_ids: Ids('Clients whose cases are detached', { minItems: 1 }) }),
  output: Type.Object({ action: Type.Literal('remove', { description: 'Always this' }), ...counted }),
  async run(ctx, { id, client_ids }) {
    const found = await selectCasesOfClients(ctx, client_ids)
    await detach(ctx, id, { filter: null, include_ids: found.case_ids, exclude_ids: [] })
    return { action: 'remove', list_id: id, ...counts(found) } as const
  },
})

const counts = ({ client_ids, case_ids }: CasesOfClients) => ({
  client_count: client_ids.length,
  matched_case_count: case_ids.length,
})

export const duplicateCaseList = operation({
  rest: 'POST /v1/case_lists/:id/duplicate',
  tag,
  summary: 'Copy a case list',
  description: 'Copies the filter and the included and excluded cases. The copy is named `Copy of …`.',
  input: Fields({ id: Id('Case list id') }),
  output: Type.Object({
    id: Id('The copy'),
    original_list_id: Type.String({ description: 'The list it was made of', examples: ['8'] }),
  }),
  status: 201,
  async run(ctx, { id }) {
    await lockMembership(ctx)
    const copy = await copyCaseList(ctx, ctx.channel, id)
    ctx.record({ activity: 'case_list_created', record_type: 'case_list', record_id: copy })
    return { id: copy, original_list_id: String(id) }
  },
})

export const bulkDeleteCaseLists = operation({
  rest: 'POST /v1/case_lists/bulk_delete',
  tag,
  summary: 'Delete case lists',
  description: 'Scheduled and active campaigns on a deleted list are paused, with the reason.',
  input: Fields({ ids: Ids('Case lists to delete', { minItems: 1, maxItems: 5000 }) }),
  output: Type.Object({ deleted_ids: Ids('Case lists that were really deleted') }),
  async run(ctx, { ids }) {
    const gone = await deleteCaseLists(ctx, ids)
    for (const { id } of gone) ctx.record({ activity: 'case_list_deleted', record_type: 'case_list', record_id: id })
    await pauseCampaignsOfLists(ctx, gone)
    return { deleted_ids: gone.map(({ id }) => id) }
  },
})
