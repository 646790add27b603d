import sql from 'sql-template-tag'
import { entryRows } from '../core/columns.ts'
import type { Database } from '../core/db.ts'
import type { Decision } from './gate.ts'

export interface Refused {
  company_id: number
  campaign_id: number | null
  client_id: number
  channel: 'call' | 'sms' | 'email'
  decision: Decision
}

/** Adds the decisions to the log of refusals; those that allow are left out. */
export async function insertRefusals(db: Database, decided: Refused[]): Promise<void> {
  const rows = decided.flatMap(({ company_id, campaign_id, client_id, channel, decision }) =>
    decision.allowed
      ? []
      : {
          company_id,
          campaign_id,
          client_id,
          channel,
          rules: decision.reasons.map(({ rule }) => rule),
          law: [...new Set(decision.reasons.flatMap(({ law = [] }) => law))],
          retry_at: decision.retry_at,
          decided_at: decision.decided_at,
        },
  )
  if (rows.length === 0) return
  await db.run(sql`
    insert into refusals (company_id, campaign_id, client_id, channel, rules, law, retry_at, decided_at)
    select e.company_id, e.campaign_id, e.client_id, e.channel, e.rules, e.law, e.retry_at, e.decided_at
    from ${entryRows(rows, {
      company_id: 'bigint',
      campaign_id: 'bigint',
      client_id: 'bigint',
      channel: 'text',
      rules: 'text[]',
      law: 'text[]',
      retry_at: 'timestamptz',
      decided_at: 'timestamptz',
    })} as e
    where not exists (
      select from refusals r
      where r.company_id = e.company_id and r.client_id = e.client_id and r.campaign_id is not distinct from e.campaign_id
        and r.channel = e.channel and r.rules = e.rules and r.law = e.law and r.decided_at > e.decided_at - interval '1 day')
    order by e.ordinality`)
}
