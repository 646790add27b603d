import type { Context } from '../core/operation.ts'
import { selectByName } from './queries.ts'
import { insertCaseStatus } from './statuses.ts'
import { insertCaseType } from './types.ts'

/** The id of a type, created where the company has none of that name. */
export async function findOrCreateType(ctx: Context, name: string): Promise<number> {
  const found = (await selectByName(ctx, 'case_types', [name])).get(name)
  return found?.id ?? (await createType(ctx, { name }))
}

export async function findOrCreateStatus(ctx: Context, name: string): Promise<number> {
  const found = (await selectByName(ctx, 'case_statuses', [name])).get(name)
  return found?.id ?? (await createStatus(ctx, { name }))
}

export async function createType(ctx: Context, input: Parameters<typeof insertCaseType>[1]): Promise<number> {
  const id = await insertCaseType(ctx, input)
  ctx.record({ activity: 'case_type_created', record_type: 'case_type', record_id: id })
  return id
}

export async function createStatus(ctx: Context, input: Parameters<typeof insertCaseStatus>[1]): Promise<number> {
  const id = await insertCaseStatus(ctx, input)
  ctx.record({ activity: 'case_status_created', record_type: 'case_status', record_id: id })
  return id
}
