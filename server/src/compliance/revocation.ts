import sql from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import { type Ruled, ruleBooks } from './company-rules.ts'
import { DAY } from './local-time.ts'

/** What people opt out of when they opt out of one channel, by the rules of the firm in force at that moment. */
export async function revocationScopes(
  db: Database,
  companyIds: number[],
): Promise<(companyId: number, channel: 'call' | 'sms', at: Date) => ('call' | 'sms')[]> {
  const companies = await db.many<Ruled>(sql`
    select id as company_id, rules_version from companies where id = any(${[...new Set(companyIds)]})`)
  const rulesOf = await ruleBooks(db, companies)
  const byId = new Map(companies.map((company) => [company.company_id, rulesOf(company)]))
  return (companyId, channel, at) => {
    // Somewhere the day has begun already.
    const day = Math.floor((at.getTime() + DAY / 2) / DAY)
    const revoked = byId.get(companyId)?.lawFor(['US'], channel, 'case_update').revokes(day) ?? []
    return [...new Set([channel, ...revoked.filter((each) => each !== 'email')])]
  }
}
