import sql from 'sql-template-tag'
import { insertCompany } from '../server/src/companies/queries.ts'
import type { Pool } from '../server/src/core/db.ts'

/** A company with as many cases of one type, each with one client in New York; answers its id. */
export async function seedCases(db: Pool, clients: number): Promise<number> {
  const company = await db.transaction((tx) => insertCompany(tx, 'Bench firm'))
  await db.run(sql`
    insert into clients (company_id, external_source, external_source_id, first_name, last_name, mobile, mobile_e164, state, postal_code, origin)
    select ${company}, 'bench', n::text, 'Ana', 'Lee ' || n, '+1212' || (2000000 + n), '+1212' || (2000000 + n), 'NY', '10007', 'public_api'
    from generate_series(1, ${clients}::int) n`)
  await db.run(sql`
    insert into cases (company_id, case_number, external_source, external_source_id, status_id, type_id, origin)
    select ${company}, 'B-' || n, 'import', n::text, (select min(id) from case_statuses), (select min(id) from case_types), 'public_api'
    from generate_series(1, ${clients}::int) n`)
  await db.run(sql`
    insert into case_clients (company_id, case_id, client_id)
    select ${company}, k.id, c.id from cases k join clients c on c.external_source_id = k.external_source_id`)
  await db.pg.query('vacuum analyze')
  return company
}

/** A campaign of that company over a list of all its cases, its runs open from 2 to 31 March 2026. */
export async function seedCampaign(db: Pool, company: number): Promise<void> {
  await db.run(sql`
    with list as (
      insert into case_lists (company_id, name, filter, f_case_type_ids, origin)
      select ${company}, 'All', jsonb_build_object('case_type_ids', jsonb_build_array(min(id))), array[min(id)], 'public_api' from case_types
      returning id
    ), agent as (
      insert into agents (company_id, id, name, voice_id, greeting, task, post_call_fields)
      values (${company}, 'agent_bench', 'Grace', 'voice_x', 'Hello {{first_name}}, this is Grace from {{company_name}}.',
        'Ask whether they can come to the office this week.', '[{"name": "can_come", "type": "boolean", "description": "Can they come?"}]')
      returning id
    ), campaign as (
      insert into campaigns (company_id, name, agent_id, case_list_id, callback_delays, status, origin)
      select ${company}, 'Bench', agent.id, list.id, '[{"hours": 1}]', 'active', 'public_api' from list, agent returning id
    ), stats as (
      insert into campaign_stats (company_id, campaign_id) select ${company}, id from campaign
    )
    insert into campaign_runs (company_id, campaign_id, position, start_date, end_date, start_time, end_time)
    select ${company}, id, 0, '2026-03-02', '2026-03-31', '09:00', '20:00' from campaign`)
}
