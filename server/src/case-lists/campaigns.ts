import sql from 'sql-template-tag'
import { updateCampaignStatus } from '../campaigns/status.ts'
import type { Context, Scope } from '../core/operation.ts'

/** Open campaigns on these lists go through the members anew: who is known already stays as planned. */
export async function planAnew({ db, companyId }: Scope, listIds: number[]): Promise<void> {
  await db.run(sql`
    update campaigns set plan_cursor = 0
    where company_id = ${companyId} and case_list_id = any(${listIds}) and status in ('scheduled', 'active', 'paused')
      and deleted_at is null and plan_cursor is distinct from 0`)
}

/** A campaign whose list is deleted has nobody left to call: it is paused, and says why. */
export async function pauseCampaignsOfLists(ctx: Context, lists: { id: number; name: string }[]): Promise<void> {
  const open = await ctx.db.many<{ id: number; case_list_id: number }>(sql`
    select id, case_list_id from campaigns
    where company_id = ${ctx.companyId} and case_list_id = any(${lists.map(({ id }) => id)})
      and status in ('scheduled', 'active') and deleted_at is null`)
  const byList = Map.groupBy(open, (campaign) => campaign.case_list_id)
  for (const { id, name } of lists) {
    const campaigns = byList.get(id)?.map((campaign) => campaign.id)
    if (campaigns) await updateCampaignStatus(ctx, campaigns, 'paused', `its case list '${name}' was deleted`)
  }
}
