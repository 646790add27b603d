import Type from 'typebox'
import { changedFields } from '../core/change.ts'
import { type Detail, refuseAll } from '../core/errors.ts'
import { Fields, Id } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { createStatus } from './find-or-create.ts'
import { selectByName } from './queries.ts'
import { CaseStatus, Priority, StatusTree, statusFields } from './schema.ts'
import {
  lockStatuses,
  selectAncestry,
  selectCaseStatus,
  selectCaseStatuses,
  selectMissingStatuses,
  selectStatusTree,
  updateCaseStatus,
  updatePriorities,
} from './statuses.ts'

const { name, ...options } = statusFields
const id = Id('Case status id')

export const listCaseStatuses = tool({
  name: 'list_case_statuses',
  title: 'List case statuses',
  description: 'The stages a case can be in (new, active, closed, …), by priority, with how many cases are in each.',
  readOnly: true,
  input: Fields({ ...paging, name: Type.Optional(Type.String({ description: 'Part of the name' })) }),
  output: Paged('statuses', CaseStatus),
  run: async (ctx, args) => paged('statuses', args, await selectCaseStatuses(ctx, { ...args, ...slice(args) })),
})

export const getCaseStatus = tool({
  name: 'get_case_status',
  title: 'Get a case status',
  description: 'One case status with how many cases are in it.',
  readOnly: true,
  input: Fields({ id }),
  output: CaseStatus,
  run: (ctx, args) => selectCaseStatus(ctx, args.id),
})

export const createCaseStatus = tool({
  name: 'create_case_status',
  title: 'Create a case status',
  description:
    'Adds a stage. Without `priority` it comes last under its parent. create_case creates a missing one itself.',
  input: Fields(statusFields),
  output: CaseStatus,
  async run(ctx, input) {
    await lockStatuses(ctx)
    refuseAll(await brokenRules(ctx, input))
    return selectCaseStatus(ctx, await createStatus(ctx, input))
  },
})

export const updateCaseStatusTool = tool({
  name: 'update_case_status',
  title: 'Update a case status',
  description:
    'Changes only the given fields. A new name shows on every case. A status cannot stand under itself or its own children.',
  idempotent: true,
  input: Fields({ id, name: Type.Optional(name), ...options }),
  output: CaseStatus,
  async run(ctx, { id, ...given }) {
    await lockStatuses(ctx)
    const before = await selectCaseStatus(ctx, id)
    refuseAll(await brokenRules(ctx, given, id))
    await updateCaseStatus(ctx, id, given)
    const after = await selectCaseStatus(ctx, id)
    const changes = changedFields(before, after)
    if (changes) ctx.record({ activity: 'case_status_updated', record_type: 'case_status', record_id: id, changes })
    return after
  },
})

export const listHierarchicalCaseStatuses = tool({
  name: 'list_hierarchical_case_statuses',
  title: 'List case statuses as a tree',
  description: 'All statuses, each with its children below it; siblings by priority, ascending.',
  readOnly: true,
  input: Fields({}),
  output: StatusTree,
  run: async (ctx) => ({ items: await selectStatusTree(ctx) }),
})

export const reorderCaseStatuses = tool({
  name: 'reorder_case_statuses',
  title: 'Reorder case statuses',
  description: 'Gives several statuses new priorities at once; all or none.',
  idempotent: true,
  input: Fields({
    items: Type.Array(Fields({ id, priority: Priority }), {
      minItems: 1,
      maxItems: 1000,
      description: 'Statuses with their new priorities',
    }),
  }),
  output: Type.Object({ status: Type.Literal('reordered') }),
  async run(ctx, { items }) {
    await lockStatuses(ctx)
    const missing = new Set(
      await selectMissingStatuses(
        ctx,
        items.map(({ id }) => id),
      ),
    )
    refuseAll(
      items.flatMap(({ id }, index) => {
        const field = `items[${index}].id`
        const first = items.findIndex((other) => other.id === id)
        if (missing.has(id)) return { field, message: `no such case status: ${id}` }
        return first < index ? { field, message: `status ${id} is already named by items[${first}]` } : []
      }),
    )
    for (const { id, from, to } of await updatePriorities(ctx, items)) {
      const changes = { priority: { from, to } }
      ctx.record({ activity: 'case_status_updated', record_type: 'case_status', record_id: id, changes })
    }
    return { status: 'reordered' } as const
  },
})

/** Of a status to be created, or of the existing one with the given id. */
async function brokenRules(
  ctx: Context,
  { name, parent_id }: { name?: string; parent_id?: number | null },
  id?: number,
): Promise<Detail[]> {
  const details: Detail[] = []
  const holder = name === undefined ? undefined : (await selectByName(ctx, 'case_statuses', [name])).get(name)
  if (holder && holder.id !== id)
    details.push({ field: 'name', message: `'${holder.name}' is already the name of case status ${holder.id}` })
  if (parent_id == null) return details
  const ancestry = await selectAncestry(ctx, parent_id)
  const field = 'parent_id'
  if (ancestry.length === 0) details.push({ field, message: `no such case status: ${parent_id}` })
  else if (parent_id === id) details.push({ field, message: 'a status cannot stand under itself' })
  else if (ancestry.some((each) => each.id === id))
    details.push({ field, message: `'${ancestry[0]!.name}' stands under this status already` })
  return details
}
