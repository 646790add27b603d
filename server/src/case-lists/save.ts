import { changedFields } from '../core/change.ts'
import type { Detail } from '../core/errors.ts'
import type { Context } from '../core/operation.ts'
import { planAnew } from './campaigns.ts'
import { recount } from './counts.ts'
import { lockMembership } from './membership.ts'
import { markMembers } from './on-behalf.ts'
import { replaceOverrides } from './overrides.ts'
import { type CaseListFields, insertCaseLists, selectCaseLists, updateCaseLists } from './queries.ts'
import { brokenRules, selectMissing } from './rules.ts'
import type { CaseList, CreateCaseList, PatchCaseList } from './schema.ts'

/** A list to create, or one to update by its id. */
export type Entry = { id: null; input: CreateCaseList } | { id: number; input: PatchCaseList }

/** Entries with what stands about them in the database, from where nobody can change the members of a list. */
export interface Batch {
  entries: Entry[]
  /** Per entry, what the schema can't say. Only a batch without any may be written. */
  broken: Detail[][]
  before: Map<number, CaseList>
}

export async function readBatch(ctx: Context, entries: Entry[]): Promise<Batch> {
  await lockMembership(ctx)
  const ids = entries.flatMap(({ id }) => id ?? [])
  const [stored, missing] = await Promise.all([
    selectCaseLists(ctx, ids),
    selectMissing(
      ctx,
      entries.map(({ input }) => input),
    ),
  ])
  const before = new Map(stored.map((list) => [list.id, list]))
  const firstById = new Map<number, number>()
  const broken = entries.map(({ id, input }, index) => {
    const details = brokenRules(input, missing)
    if (id === null) return details
    if (!before.has(id)) details.unshift({ field: 'id', message: `case list ${id} not found` })
    const first = firstById.get(id)
    if (first !== undefined)
      details.unshift({ field: 'id', message: `case list ${id} is named by lists[${first}] already` })
    else firstById.set(id, index)
    return details
  })
  return { entries, broken, before }
}

/**
 * An update re-applies the filter, the given or the stored one, as a set action: cases that were attached or detached
 * one by one are forgotten. Where there is no filter and the entry says nothing of members, there is nothing to apply:
 * renaming a list of chosen cases does not empty it.
 */
function keepsMembers(before: CaseList, { filter, include_ids, exclude_ids }: Entry['input']): boolean {
  return before.filter === null && filter == null && include_ids === undefined && exclude_ids === undefined
}

/** The fields that are kept in the list's own row, where they are given. */
function fieldsOf({ include_ids, exclude_ids, case_count, origin, update_origin, ...fields }: Entry['input']) {
  return fields as CaseListFields
}

/** Writes the entries of a batch in which nothing is broken; answers the ids in their order. */
export async function writeBatch(ctx: Context, { entries, before }: Batch): Promise<number[]> {
  const updates = entries.filter(({ id }) => id !== null)
  const creates = entries.filter(({ id }) => id === null)
  if (updates.length > 0) {
    const rows = updates.map(({ id, input }) => ({ ...before.get(id!)!, ...fieldsOf(input) }))
    await updateCaseLists(ctx, ctx.channel, rows)
  }
  const created =
    creates.length > 0
      ? await insertCaseLists(
          ctx,
          ctx.channel,
          creates.map(({ input }) => fieldsOf(input)),
        )
      : []
  let next = 0
  const ids = entries.map(({ id }) => id ?? created[next++]!)
  const replaced = entries.flatMap(({ id, input }, index) => {
    if (id !== null && keepsMembers(before.get(id)!, input)) return []
    return { case_list_id: ids[index]!, include_ids: input.include_ids ?? [], exclude_ids: input.exclude_ids ?? [] }
  })
  await replaceOverrides(ctx, replaced)
  for (const [index, id] of ids.entries()) if (entries[index]!.input.is_obo) await markMembers(ctx, id)
  const touched = replaced.map((list) => list.case_list_id)
  await recount(ctx, touched)
  await planAnew(ctx, touched)
  const saved = new Map((await selectCaseLists(ctx, ids)).map((list) => [list.id, list]))
  for (const id of ids) {
    const was = before.get(id)
    const changes = was ? changedFields(was, saved.get(id)!) : null
    if (was && !changes) continue
    ctx.record({
      activity: was ? 'case_list_updated' : 'case_list_created',
      record_type: 'case_list',
      record_id: id,
      changes,
    })
  }
  return ids
}
