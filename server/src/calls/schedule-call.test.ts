import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { campaignWorld } from '../../test/support/campaigns.ts'
import { agentPayload, casePayload, clientPayload, runPayload } from '../../test/support/payloads.ts'

const { api, clock, firm, create } = await campaignWorld()

const MOBILE = '+1 212-555-0123'
const newClient = async (fields?: object): Promise<number> =>
  (await firm.ok('POST /v1/clients', clientPayload({ mobile: MOBILE, ...fields }))).id
const newCase = async (client_ids: number[], fields?: object): Promise<number> =>
  (await firm.ok('POST /v1/cases', casePayload({ client_ids, ...fields }))).id
const schedule = (campaign_id: number, case_id: number) => firm.call('POST /v1/calls', { campaign_id, case_id })

const contact = (campaign: number, client: number) =>
  api.pool.maybe<any>(sql`
    select * from campaign_contacts
    where company_id = ${firm.id} and campaign_id = ${campaign} and client_id = ${client}`)
const setContact = (campaign: number, client: number, assignments: ReturnType<typeof sql>) =>
  api.pool.run(sql`
    update campaign_contacts set ${assignments}
    where company_id = ${firm.id} and campaign_id = ${campaign} and client_id = ${client}`)

async function refusals(campaign: number, record: number): Promise<string[]> {
  const answer = await schedule(campaign, record)
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
  return answer.body.details.map(({ field, message }: any) => `${field}: ${message}`)
}

test('a call is scheduled for a case that is not in the list, and is due at once and ahead of the others', async () => {
  const campaign_id = await create()
  const client_id = await newClient()
  const case_id = await newCase([client_id])
  const answer = await schedule(campaign_id, case_id)
  assert.equal(answer.status, 201)
  assert.deepEqual(answer.body, { campaign_id, client_id, case_id })
  const { state, due_at, requested_at, priority, case_id: about } = await contact(campaign_id, client_id)
  assert.deepEqual([state, due_at, requested_at, priority, about], ['due', clock.at, clock.at, 0, case_id])
})

test('an unknown campaign or case is 404, also when it is another company’s or deleted', async () => {
  const campaign = await create()
  const record = await newCase([await newClient()])
  const other = await api.company()
  assert.equal((await schedule(999_999, record)).body.message, 'campaign 999999 not found')
  assert.equal((await schedule(campaign, 999_999)).body.message, 'case 999999 not found')
  assert.equal((await other.call('POST /v1/calls', { campaign_id: campaign, case_id: record })).status, 404)
  await firm.ok(`DELETE /v1/cases/${record}`)
  assert.equal((await schedule(campaign, record)).status, 404)
})

test('the first linked client, by id, that may be called is called', async () => {
  const campaign = await create()
  const clients = [
    await newClient({ voice_calls_opted_out: true }),
    await newClient({ date_of_death: '2026-01-01' }),
    await newClient({ mobile: null }),
    await newClient({ mobile: '12' }),
    await newClient(),
    await newClient(),
  ]
  const { body } = await schedule(campaign, await newCase([...clients].reverse()))
  assert.equal(body.client_id, clients[4])
})

test('when nobody may be called, every reason of every client is answered', async () => {
  const campaign = await create()
  const gone = await newClient({ voice_calls_opted_out: true, mobile: null })
  const dead = await newClient({ date_of_death: '2026-01-01' })
  const odd = await newClient({ mobile: 'ask Bob' })
  assert.deepEqual(await refusals(campaign, await newCase([gone, dead, odd])), [
    `case_id: client ${gone}: the contact has opted out of calls`,
    `case_id: client ${gone}: the contact has no mobile number`,
    `case_id: client ${dead}: the contact is deceased`,
    `case_id: client ${odd}: the mobile number is none that could be dialled`,
  ])
  assert.deepEqual(await refusals(campaign, await newCase([])), ['case_id: the case has no clients'])
})

test('a second call while one for the contact is pending or live is refused', async () => {
  const campaign = await create()
  const client = await newClient()
  const record = await newCase([client])
  const sibling = await newCase([client])
  await schedule(campaign, record)
  const message = `case_id: a call to client ${client} is already pending or under way`
  assert.deepEqual(await refusals(campaign, record), [message])
  assert.deepEqual(await refusals(campaign, sibling), [message], 'for another case too: one person, one call')
  await setContact(campaign, client, sql`state = 'live', requested_at = null`)
  assert.deepEqual(await refusals(campaign, record), [message])
  assert.equal((await schedule(await create(), record)).status, 201, 'another campaign is another matter')
})

test('of many requests for one contact at the same time exactly one is taken', async () => {
  const campaign = await create()
  const record = await newCase([await newClient()])
  const answers = await Promise.all(Array.from({ length: 8 }, () => schedule(campaign, record)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400, 400, 400, 400, 400, 400])
})

test('a contact that was merely planned is promoted, for the asked case, with the retries it has left', async () => {
  const campaign = await create()
  const client = await newClient()
  const planned = await newCase([client])
  const asked = await newCase([client])
  await api.pool.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, due_at, attempts, delays_used, callback_at)
    values (${firm.id}, ${campaign}, ${client}, ${planned}, 'due', '2026-03-04T15:00:00Z', 1, 1, '2026-03-04T15:00:00Z')`)
  assert.equal((await schedule(campaign, asked)).status, 201)
  const row = await contact(campaign, client)
  assert.deepEqual(
    [
      row.case_id,
      row.state,
      row.due_at,
      row.requested_at,
      row.priority,
      row.attempts,
      row.delays_used,
      row.callback_at,
    ],
    [asked, 'due', clock.at, clock.at, 0, 1, 1, null],
  )
})

test('a call that a message has announced comes at the announced time', async () => {
  const campaign = await create()
  const client = await newClient()
  const record = await newCase([client])
  const at = new Date('2026-03-02T15:10:00Z')
  await api.pool.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, due_at, announced)
    values (${firm.id}, ${campaign}, ${client}, ${record}, 'due', ${at}, 1)`)
  assert.equal((await schedule(campaign, record)).status, 201)
  const { due_at, requested_at } = await contact(campaign, client)
  assert.deepEqual([due_at, requested_at], [at, clock.at])
})

test('a settled contact is opened again with all its retries, and its calls go on counting', async () => {
  const campaign = await create()
  const client = await newClient()
  const record = await newCase([client])
  await schedule(campaign, record)
  await setContact(
    campaign,
    client,
    sql`state = 'settled', due_at = null, requested_at = null, attempts = 2, delays_used = 1, last_result = 'no_answer',
      settled_reason = 'no_answer', last_decision = '{}', priority = 1`,
  )
  assert.equal((await schedule(campaign, record)).status, 201)
  const row = await contact(campaign, client)
  assert.deepEqual(
    [row.state, row.due_at, row.priority, row.attempts, row.delays_used, row.settled_reason, row.last_decision],
    ['due', clock.at, 0, 2, 0, null, null],
  )
})

test('a campaign that lies ahead or is paused takes the request and waits', async () => {
  const ahead = await create({ runs: [runPayload({ start_date: '2026-06-01', end_date: '2026-06-05' })] })
  const paused = await create()
  await api.pool.run(sql`update campaigns set status = 'paused' where company_id = ${firm.id} and id = ${paused}`)
  for (const campaign of [ahead, paused])
    assert.equal((await schedule(campaign, await newCase([await newClient()]))).status, 201)
})

test('a campaign that is completed, over, without an agent or without calls refuses, with every reason', async () => {
  const record = await newCase([await newClient()])
  const completed = await create()
  await api.pool.run(sql`update campaigns set status = 'completed' where company_id = ${firm.id} and id = ${completed}`)
  assert.deepEqual(await refusals(completed, record), ['campaign_id: the campaign is completed'])

  const over = await create({ runs: [runPayload({ start_date: '2026-02-02', end_date: '2026-02-06' })] })
  assert.deepEqual(await refusals(over, record), ["campaign_id: the campaign's last run is over"])

  const { id: agent_id } = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload())
  const orphaned = await create({ agent_id })
  await firm.call(`DELETE /v1/agent_builder/campaign_agents/${agent_id}`)
  assert.deepEqual(await refusals(orphaned, await newCase([])), [
    'campaign_id: the campaign has no voice agent',
    'case_id: the case has no clients',
  ])

  const silent = { start_date: '2026-03-02', end_date: '2026-03-06', messaging_only: true }
  const messages = await create({ agent_id: null, runs: [silent] })
  assert.deepEqual(await refusals(messages, record), [
    'campaign_id: the campaign makes no calls: every run is messaging-only',
  ])
})

test('no call is scheduled while campaigns are switched off for the company', async () => {
  const campaign = await create()
  const record = await newCase([await newClient()])
  await api.pool.run(sql`update companies set campaigns_enabled = false where id = ${firm.id}`)
  assert.deepEqual(await refusals(campaign, record), ['campaign_id: campaigns are switched off for the company'])
  await api.pool.run(sql`update companies set campaigns_enabled = true where id = ${firm.id}`)
})

test('who is called without being in the list counts among the contacts of the campaign, once', async () => {
  const campaign = await create()
  const client = await newClient()
  const record = await newCase([client])
  await schedule(campaign, record)
  await setContact(campaign, client, sql`state = 'settled', requested_at = null`)
  await schedule(campaign, record)
  const { total_clients } = await api.pool.one<any>(
    sql`select total_clients from campaign_stats where company_id = ${firm.id} and campaign_id = ${campaign}`,
  )
  assert.equal(total_clients, 1)
})

test('the request is in the audit log', async () => {
  const campaign = await create()
  const client_id = await newClient()
  const case_id = await newCase([client_id])
  await schedule(campaign, case_id)
  const entries = await api.pool.many(sql`
    select activity, case_id, client_id from audit_log
    where company_id = ${firm.id} and record_type = 'campaign' and record_id = ${String(campaign)} and activity like 'call%'`)
  assert.deepEqual(entries, [{ activity: 'call_requested', case_id, client_id }])
})
