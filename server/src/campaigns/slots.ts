/** A campaign that has somebody to call. */
export interface Waiting {
  company_id: number
  campaign_id: number
  /** Calls in flight now. */
  live: number
  /** `concurrency_limit`; 0 means none. */
  limit: number
  /** The company's own most, see `companyLimit`. */
  company_limit: number
}

/** Slots by campaign id; campaigns that get none are left out. */
export type Slots = Map<number, number>

/** A company's share of the installation, at least one call. */
export const companyLimit = (maxConcurrentCalls: number, concurrencyRate: number): number =>
  Math.max(1, Math.floor((maxConcurrentCalls * concurrencyRate) / 100))

/**
 * Hands out free slots one by one, each to the company with the fewest calls in flight and, in it, to the campaign with
 * the fewest: whoever has ten contacts is served beside whoever has a million.
 *
 * @param free how many calls may still be placed, in the whole installation
 * @param liveOfCompany calls in flight of each company, also of campaigns that are not waiting
 */
export function handOutSlots(free: number, waiting: Waiting[], liveOfCompany: ReadonlyMap<number, number>): Slots {
  const slots: Slots = new Map()
  const companies = new Map(liveOfCompany)
  const live = (campaign: Waiting) => campaign.live + (slots.get(campaign.campaign_id) ?? 0)
  const ofCompany = (campaign: Waiting) => companies.get(campaign.company_id) ?? 0
  const mayHave = (campaign: Waiting) =>
    (campaign.limit === 0 || live(campaign) < campaign.limit) && ofCompany(campaign) < campaign.company_limit
  let open = waiting.filter(mayHave)
  for (let left = free; left > 0 && open.length > 0; left--) {
    const next = open.reduce((best, campaign) =>
      ofCompany(campaign) - ofCompany(best) < 0 ||
      (ofCompany(campaign) === ofCompany(best) && live(campaign) < live(best))
        ? campaign
        : best,
    )
    slots.set(next.campaign_id, (slots.get(next.campaign_id) ?? 0) + 1)
    companies.set(next.company_id, ofCompany(next) + 1)
    if (!mayHave(next)) open = open.filter(mayHave)
  }
  return slots
}
