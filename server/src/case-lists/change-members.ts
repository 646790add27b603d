import sql from 'sql-template-tag'
import { refuseAll } from '../core/errors.ts'
import type { Context, Scope } from '../core/operation.ts'
import { planAnew } from './campaigns.ts'
import { recount } from './counts.ts'
import { lockMembership, membershipOf, settleMembership } from './membership.ts'
import { attachCases, detachCases, type Selection } from './overrides.ts'
import { selectCaseList, updateOrigin } from './queries.ts'
import { brokenRules, selectMissing } from './rules.ts'

/** Up to so many named cases are settled like changed cases: beside everybody else, counting nothing but them. */
const FEW = 5000

export async function attach(ctx: Context, listId: number, selection: Selection): Promise<void> {
  await changeMembers(ctx, listId, selection, 'attached', async () => {
    refuseAll(brokenRules(selection, await selectMissing(ctx, [selection])))
    return attachCases(ctx, listId, selection)
  })
}

/** Cases that don't exist are no members anyway. */
export async function detach(ctx: Context, listId: number, selection: Selection): Promise<void> {
  await changeMembers(ctx, listId, selection, 'detached', async () => {
    refuseAll(brokenRules({ filter: selection.filter }, await selectMissing(ctx, [{ filter: selection.filter }])))
    return detachCases(ctx, listId, selection)
  })
}

/** `write` answers for how many cases something changed. */
async function changeMembers(
  ctx: Context,
  listId: number,
  { filter, include_ids }: Selection,
  how: 'attached' | 'detached',
  write: () => Promise<number>,
): Promise<void> {
  await selectCaseList(ctx, listId)
  const thisList = sql`l.id = ${listId}`
  const few = !filter && include_ids.length <= FEW
  const before = few ? await membershipOf(ctx, include_ids, thisList) : await lockMembership(ctx)
  const cases = await write()
  if (cases === 0) return
  if (before) {
    await settleMembership(ctx, before, include_ids, thisList)
  } else {
    await recount(ctx, [listId])
    await planAnew(ctx, [listId])
  }
  await updateOrigin(ctx, ctx.channel, listId)
  const to = { cases, ...(filter && { filter }), ...(few && { include_ids }) }
  ctx.record({
    activity: `case_list_${how}`,
    record_type: 'case_list',
    record_id: listId,
    changes: { [how]: { from: null, to } },
  })
}

export interface CasesOfClients {
  /** Those of the asked-for clients that exist. */
  client_ids: number[]
  case_ids: number[]
}

export function selectCasesOfClients({ db, companyId }: Scope, clientIds: number[]): Promise<CasesOfClients> {
  return db.one<CasesOfClients>(sql`
    with found as materialized (
      select c.id from clients c where c.company_id = ${companyId} and c.id = any(${clientIds}) and c.deleted_at is null
    )
    select array(select id from found order by id) as client_ids, array(
      select distinct k.id from found f
      join case_clients l on l.company_id = ${companyId} and l.client_id = f.id
      join cases k on k.company_id = ${companyId} and k.id = l.case_id and k.deleted_at is null
      order by k.id) as case_ids`)
}

/** Attaches every case of the clients, who must all exist. */
export async function attachCasesOfClients(ctx: Context, listId: number, clientIds: number[]): Promise<CasesOfClients> {
  await selectCaseList(ctx, listId)
  const found = await selectCasesOfClients(ctx, clientIds)
  const known = new Set(found.client_ids)
  const unknown = [...new Set(clientIds)].filter((client) => !known.has(client))
  if (unknown.length > 0) refuseAll([{ field: 'client_ids', message: `no such client: ${unknown.join(', ')}` }])
  await attach(ctx, listId, { filter: null, include_ids: found.case_ids, exclude_ids: [] })
  return found
}
