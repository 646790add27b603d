import sql from 'sql-template-tag'
import { insertCompany } from '../../src/companies/queries.ts'
import type { Pool } from '../../src/core/db.ts'

interface Options {
  name?: string
  contacts: number
  concurrencyLimit?: number
  callbackDelays?: { minutes?: number; hours?: number; days?: number }[]
  /** The numbers of the contacts begin after +1 212 200 0000 and so many. */
  after?: number
}

export interface Seeded {
  companyId: number
  campaignId: number
}

/**
 * A company whose active campaign calls one contact per case, all in New York, on every day of March and April 2026
 * from 08:00 to 21:00. Written as rows, for tests of the engine that need thousands.
 */
export async function seedCampaign(pool: Pool, options: Options): Promise<Seeded> {
  const { name = 'Test firm', contacts, concurrencyLimit = 0, callbackDelays = [{ hours: 4 }], after = 0 } = options
  return pool.transaction(async (db) => {
    const companyId = await insertCompany(db, name)
    await db.run(sql`
      insert into clients (company_id, external_source, external_source_id, first_name, last_name, mobile, mobile_e164, state, postal_code, origin)
      select ${companyId}, 'test', n::text, 'Ana', 'Lee ' || n, '+1212' || (2000000 + ${after}::int + n), '+1212' || (2000000 + ${after}::int + n), 'NY', '10007', 'public_api'
      from generate_series(1, ${contacts}::int) n`)
    await db.run(sql`
      insert into cases (company_id, case_number, external_source, external_source_id, status_id, type_id, origin)
      select ${companyId}, 'T-' || n, 'import', n::text, s.id, t.id, 'public_api'
      from generate_series(1, ${contacts}::int) n,
        (select min(id) as id from case_statuses where company_id = ${companyId}) s, (select min(id) as id from case_types where company_id = ${companyId}) t`)
    await db.run(sql`
      insert into case_clients (company_id, case_id, client_id)
      select c.company_id, k.id, c.id from clients c join cases k on k.company_id = c.company_id and k.external_source_id = c.external_source_id
      where c.company_id = ${companyId}`)
    const { id: campaignId } = await db.one<{ id: number }>(sql`
      with type as (
        select min(id) as id from case_types where company_id = ${companyId}
      ), list as (
        insert into case_lists (company_id, name, filter, f_case_type_ids, counted, origin)
        select ${companyId}, 'All', jsonb_build_object('case_type_ids', jsonb_build_array(id)), array[id], ${contacts}, 'public_api' from type
        returning id
      ), agent as (
        insert into agents (company_id, id, name, voice_id, greeting, task)
        values (${companyId}, ${`agent_${companyId}`}, 'Grace', 'voice_test', 'Hello {{first_name}}.', 'Ask whether they can come in this week.')
        returning id
      )
      insert into campaigns (company_id, name, agent_id, case_list_id, concurrency_limit, callback_delays, status, origin)
      select ${companyId}, 'Test', agent.id, list.id, ${concurrencyLimit}, ${JSON.stringify(callbackDelays)}, 'active', 'public_api'
      from list, agent returning id`)
    await db.run(sql`insert into campaign_stats (company_id, campaign_id) values (${companyId}, ${campaignId})`)
    await db.run(sql`
      insert into campaign_runs (company_id, campaign_id, position, start_date, end_date, start_time, end_time, selected_days)
      values (${companyId}, ${campaignId}, 0, '2026-03-01', '2026-04-30', '08:00', '21:00',
        '["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]')`)
    return { companyId, campaignId }
  })
}
