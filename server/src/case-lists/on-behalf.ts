import sql from 'sql-template-tag'
import type { Context } from '../core/operation.ts'
import { membershipOf, selectMembers, settleMembership } from './membership.ts'

const CHUNK = 5000

/** Marks the members that the list has now as on behalf of another party. Call it after `lockMembership`. */
export async function markMembers(ctx: Context, listId: number): Promise<void> {
  for (let after = 0; ; ) {
    const members = await selectMembers(ctx, listId, { after, limit: CHUNK })
    if (members.length === 0) return
    await markCases(ctx, members)
    after = members.at(-1)!
  }
}

/** The lists whose filter asks for the mark: only they can gain or lose members by it, the list itself among them. */
const ASKING = sql`l.f_is_obo is not null`

async function markCases(ctx: Context, caseIds: number[]): Promise<void> {
  const { db, companyId } = ctx
  const unmarked = await db.many<{ id: number; was: boolean | null }>(sql`
    select id, is_obo as was from cases
    where company_id = ${companyId} and id = any(${caseIds}) and is_obo is not true`)
  if (unmarked.length === 0) return
  const ids = unmarked.map(({ id }) => id)
  const before = await membershipOf(ctx, ids, ASKING)
  await db.run(sql`
    update cases set is_obo = true, update_origin = ${ctx.channel}, updated_at = now()
    where company_id = ${companyId} and id = any(${ids})`)
  await settleMembership(ctx, before, ids, ASKING)
  for (const { id, was } of unmarked) {
    const changes = was === null ? FROM_NULL : FROM_FALSE
    ctx.record({ activity: 'case_updated', record_type: 'case', record_id: id, case_id: id, changes })
  }
}

// Shared: a list may have a million members.
const FROM_NULL = { is_obo: { from: null, to: true } }
const FROM_FALSE = { is_obo: { from: false, to: true } }
