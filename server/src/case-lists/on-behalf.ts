import sql from 'sql-template-tag'
import type { Context } from '../core/operation.ts'
import type { Filter } from './filter.ts'
import { members } from './membership.ts'

/**
 * Marks the members that the lists have now as on behalf of another party. Answers the lists whose filter asks for that
 * mark: they have other members by it and must be counted anew. Call it after `lockMembership`.
 */
export async function markMembers(ctx: Context, listIds: number[]): Promise<number[]> {
  const { db, companyId } = ctx
  const lists = await db.many<{ id: number; filter: Filter | null }>(
    sql`select id, filter from case_lists where company_id = ${companyId} and id = any(${listIds}) order by id`,
  )
  let marked = 0
  for (const list of lists) {
    const changed = await db.many<{ id: number; was: boolean | null }>(sql`
      with unmarked as (
        select k.id, k.is_obo from cases k
        where k.company_id = ${companyId} and k.is_obo is not true and k.id in (${members(companyId, list)})
        order by k.id for no key update
      )
      update cases k set is_obo = true, update_origin = ${ctx.channel}, updated_at = now()
      from unmarked u where k.company_id = ${companyId} and k.id = u.id
      returning k.id, u.is_obo as was`)
    for (const { id, was } of changed) {
      const changes = was === null ? FROM_NULL : FROM_FALSE
      ctx.record({ activity: 'case_updated', record_type: 'case', record_id: id, case_id: id, changes })
    }
    marked += changed.length
  }
  if (marked === 0) return []
  const asking = await db.many<{ id: number }>(sql`
    select id from case_lists where company_id = ${companyId} and f_is_obo is not null and deleted_at is null`)
  return asking.map(({ id }) => id)
}

// Shared: a list may have a million members.
const FROM_NULL = { is_obo: { from: null, to: true } }
const FROM_FALSE = { is_obo: { from: false, to: true } }
