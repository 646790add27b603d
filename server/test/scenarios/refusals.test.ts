import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql, { raw } from 'sql-template-tag'
import { optOutAddresses } from '../../src/compliance/opt-out.ts'
import { startApi } from '../support/api.ts'
import { clockAt, eventually, startTestEngine } from '../support/engine.ts'
import { seedCampaign } from '../support/seed.ts'

/** States with the zone of their first city, and an area code of theirs. */
const STATES = [
  ...[
    ['AL', 'America/Chicago', 205],
    ['CA', 'America/Los_Angeles', 213],
    ['CT', 'America/New_York', 203],
  ],
  ...[
    ['FL', 'America/New_York', 305],
    ['KY', 'America/New_York', 859],
    ['LA', 'America/Chicago', 504],
  ],
  ...[
    ['MA', 'America/New_York', 617],
    ['MD', 'America/New_York', 410],
    ['ME', 'America/New_York', 207],
  ],
  ...[
    ['MI', 'America/Detroit', 313],
    ['MN', 'America/Chicago', 612],
    ['MS', 'America/Chicago', 601],
  ],
  ...[
    ['NM', 'America/Denver', 505],
    ['NV', 'America/Los_Angeles', 702],
    ['NY', 'America/New_York', 212],
  ],
  ...[
    ['OK', 'America/Chicago', 405],
    ['PA', 'America/New_York', 215],
    ['RI', 'America/New_York', 401],
  ],
  ...[
    ['TX', 'America/Chicago', 214],
    ['UT', 'America/Denver', 801],
    ['VA', 'America/New_York', 804],
  ],
  ...[['WA', 'America/Los_Angeles', 206]],
] as [state: string, zone: string, areaCode: number][]

const CONTACTS = 5000

test('5,000 contacts of all states over a holiday: who was refused, by which rule, and nobody out of hours', async (t) => {
  // The Friday before the Fourth of July, a Saturday, 10:00 in New York; an hour passes in a second.
  const clock = clockAt('2026-07-03T14:00:00Z', 4000)
  const api = await startApi({ clock })
  const { pool } = api
  const { companyId } = await seedCampaign(pool, {
    contacts: CONTACTS,
    callbackDelays: [{ hours: 1 }, { hours: 1 }, { hours: 1 }],
  })
  const mine = sql`company_id = ${companyId}`
  await pool.run(sql`
    update clients c set state = s.state, postal_code = null, timezone = s.zone,
      mobile = '+1' || s.area || (2000000 + n), mobile_e164 = '+1' || s.area || (2000000 + n)
    from (
      select c.id, row_number() over (order by c.id) as n from clients c where ${mine}
    ) as numbered, jsonb_to_recordset(${JSON.stringify(STATES.map(([state, zone, area], at) => ({ state, zone, area, at })))}::jsonb)
      as s (state text, zone text, area int, at int)
    where c.company_id = ${companyId} and c.id = numbered.id and s.at = numbered.n % ${STATES.length}`)
  const each = (n: number, remainder: number, set: ReturnType<typeof sql>) =>
    pool.run(sql`update clients set ${set} where ${mine} and id % ${n} = ${remainder}`)
  await each(50, 1, sql`voice_calls_opted_out = true`)
  await each(50, 2, sql`date_of_death = '2026-01-01'`)
  await each(50, 3, sql`mobile = null, mobile_e164 = null`)
  await each(50, 4, sql`mobile = '12345', mobile_e164 = null`)
  const listed = await pool.many<{ address: string }>(
    sql`select mobile_e164 as address from clients where ${mine} and id % 50 = 5`,
  )
  await optOutAddresses(
    { db: pool, companyId },
    listed.map(({ address }) => ({ address, channel: 'call' as const, purpose: 'all', source: 'import' as const })),
    'import',
  )
  await pool.run(sql`update campaign_runs set start_date = '2026-07-03', end_date = '2026-07-31' where ${mine}`)
  await startTestEngine(api, clock, { maxConcurrentCalls: 400 })
  // However far a slow machine comes in an hour of the clock: past the holiday, and until everybody was called or settled.
  await eventually(async () => {
    if (clock.now() < new Date('2026-07-06T20:00:00Z')) return false
    const { open } = await pool.one<{ open: number }>(sql`
      select ${CONTACTS} - count(*) filter (where attempts > 0 or state = 'settled')::int as open
      from campaign_contacts where ${mine}`)
    return open === 0
  }, 200)
  await pool.run(sql`update campaigns set status = 'paused' where ${mine}`)

  const decidedBy = (column: 'rules' | 'law') =>
    pool.many<{ rule: string; refusals: number; contacts: number }>(sql`
      select u.rule, count(*)::int as refusals, count(distinct r.client_id)::int as contacts
      from refusals r cross join lateral unnest(r.${raw(column)}) as u (rule)
      where ${mine} group by u.rule order by 2 desc, 1`)
  const [rules, laws] = [await decidedBy('rules'), await decidedBy('law')]
  const calls = await pool.one<{ n: number; contacts: number }>(sql`
    select count(*)::int as n, count(distinct client_id)::int as contacts from calls where ${mine}`)
  t.diagnostic(`${calls.n} calls to ${calls.contacts} of ${CONTACTS} contacts`)
  for (const { rule, refusals, contacts } of [...rules, ...laws])
    t.diagnostic(`${String(refusals).padStart(6)} refusals of ${String(contacts).padStart(5)} contacts by ${rule}`)

  const by = (rule: string) => [...rules, ...laws].find((row) => row.rule === rule)?.contacts ?? 0
  for (const rule of ['deceased', 'number_missing', 'number_malformed', 'suppressed'])
    assert.equal(by(rule), CONTACTS / 50, rule)
  assert.equal(by('opted_out'), 2 * (CONTACTS / 50), 'also those whom the imported list flagged')
  assert.ok(calls.contacts > CONTACTS * 0.85, `${calls.contacts} called`)
  for (const law of ['us-me-attempts@1', 'us-fl-hours@1', 'us-federal-hours@1']) assert.ok(by(law) > 0, law)
  const unfounded = await pool.many(sql`
    select rules, law from refusals where ${mine} and (rules && '{legal_hours,legal_attempts}') <> (law <> '{}')`)
  assert.deepEqual(unfounded, [], 'whoever is refused by the law is told by which')

  // Judged again by plain SQL, which knows nothing of the rule book.
  const local = sql`(k.created_at at time zone c.timezone)`
  const wrong = await pool.many(sql`
    select c.state, ${local} as at from calls k join clients c on c.company_id = k.company_id and c.id = k.client_id
    where k.company_id = ${companyId} and (
      ${local}::time < '08:00' or ${local}::time >= '21:00'
      or (c.state in ('FL', 'OK', 'MD', 'WA', 'MA', 'AL', 'LA', 'MS', 'CT', 'NV') and ${local}::time >= '20:00')
      or (c.state in ('TX', 'CT', 'MI', 'MN', 'NM', 'NV') and ${local}::time < '09:00') or (c.state = 'KY' and ${local}::time < '10:00')
      or ${local}::date = '2026-07-04'
      or (c.state in ('AL', 'LA', 'MS', 'PA', 'RI', 'UT') and ${local}::date = '2026-07-03')
      or (c.state in ('AL', 'LA', 'MS') and extract(dow from ${local}) = 0)
      or (c.state = 'TX' and extract(dow from ${local}) = 0 and ${local}::time < '12:00'))`)
  assert.deepEqual(wrong, [])
  const often = await pool.many(sql`
    select k.client_id from calls k join clients c on c.company_id = k.company_id and c.id = k.client_id
    join calls o on o.company_id = k.company_id and o.client_id = k.client_id and o.id <= k.id
      and o.created_at > k.created_at - case c.state when 'ME' then interval '8 hours' else interval '24 hours' end
    where k.company_id = ${companyId}
    group by k.id, k.client_id, c.state
    having count(*) > case when c.state = 'ME' then 1 when c.state in ('FL', 'OK', 'MD') then 3 else 6 end`)
  assert.deepEqual(often, [])
})
