import sql from 'sql-template-tag'
import type { Engine } from '../engine/job.ts'
import { pauseByEngine } from './pause-all.ts'

/**
 * When most calls of a campaign fail in a short time, something is broken that more calls won't mend (the line, the
 * caller id, the provider's account, the numbers of the list), and carriers take such callers for spam.
 */
export const BREAKER = {
  /** How far back it looks, in the time of the engine. */
  window_ms: 10 * 60_000,
  /** Fewer say nothing: the sandbox and real lists fail in 2 of 100 calls, so that 16 of 20 don't come by chance. */
  least_calls: 20,
  /** With so many it begins to count anew: a line that breaks after a good hour is noticed, too. */
  most_calls: 100,
  share: 0.8,
} as const

/** A campaign with how its calls ended since it was last counted anew. */
export interface Recent {
  company_id: number
  campaign_id: number
  recent_calls: number
  recent_failed: number
}

export const isBroken = ({ recent_calls, recent_failed }: Recent): boolean =>
  recent_calls >= BREAKER.least_calls && recent_failed >= BREAKER.share * recent_calls

/** Pauses the campaign and says why. It counts anew from here, so that whoever resumes it gets as many tries again. */
export async function breakCampaign({ pool, clock, log }: Engine, broken: Recent): Promise<void> {
  const { company_id: companyId, campaign_id, recent_calls, recent_failed } = broken
  const reason = await pool.transaction(async (db) => {
    const { causes } = await db.one<{ causes: string | null }>(sql`
      select string_agg(cause, ', ' order by n desc) as causes from (
        select disconnection_reason as cause, count(*) as n from (
          select disconnection_reason, result from calls
          where company_id = ${companyId} and campaign_id = ${campaign_id} and state = 'ended'
          order by id desc limit ${BREAKER.most_calls}
        ) as latest where result = 'failed' group by disconnection_reason
      ) as counted`)
    const reason = `${recent_failed} of the last ${recent_calls} calls failed (${causes ?? 'for unknown reasons'}); look into it, then resume`
    const paused = await pauseByEngine(db, { companyId, ids: [campaign_id], reason, clock })
    if (paused.length === 0) return null
    await db.run(sql`
      update campaign_stats set recent_since = 'epoch' where company_id = ${companyId} and campaign_id = ${campaign_id}`)
    return reason
  })
  if (reason)
    log.warn({ company_id: companyId, campaign_id, reason }, 'a campaign paused itself: most of its calls fail')
}
