import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { campaignWorld } from '../../test/support/campaigns.ts'
import { casePayload, clientPayload, runPayload } from '../../test/support/payloads.ts'

const { api, firm, clock, list, payload, create, auditOf } = await campaignWorld()

const reachable = { mobile: '+1 212-555-0123', state: 'NY', postal_code: '10007' }

async function person(fields?: object): Promise<{ client_id: number; case_id: number }> {
  const { id: client_id } = await firm.ok('POST /v1/clients', clientPayload({ ...reachable, ...fields }))
  const { id: case_id } = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client_id] }))
  return { client_id, case_id }
}

/** A contact as the planner or the engine leaves it. */
const planned = (
  campaign_id: number,
  { client_id, case_id }: { client_id: number; case_id: number },
  fields: object = {},
) => {
  const row = {
    state: 'due',
    due_at: clock.at,
    attempts: 0,
    delays_used: 0,
    last_result: null,
    settled_reason: null,
    ...fields,
  }
  return api.pool.run(sql`
    insert into campaign_contacts (company_id, campaign_id, client_id, case_id, state, due_at, attempts, delays_used, last_result, settled_reason)
    values (${firm.id}, ${campaign_id}, ${client_id}, ${case_id}, ${row.state}, ${row.due_at}, ${row.attempts},
      ${row.delays_used}, ${row.last_result}, ${row.settled_reason})`)
}

test('create_campaign takes the payload of REST and answers id and status', async () => {
  const { id, status } = await firm.tool('create_campaign', payload())
  assert.equal(status, 'active')
  const shown = await firm.tool('get_campaign', { id })
  assert.deepEqual(
    [shown.name, shown.status, shown.case_list_name, shown.run_count, shown.is_public],
    ['Hearing reminders', 'active', 'All', 1, false],
  )
  const later = await firm.tool('create_campaign', payload({ runs: [runPayload({ start_date: '2026-03-05' })] }))
  assert.equal(later.status, 'scheduled')
  const older = { name: 'Older', start_time: '10:00', end_time: '18:00', runs: undefined }
  assert.equal((await firm.tool('create_campaign', payload(older))).status, 'active', 'the flat shape too')
  const { details } = await firm.refusal('create_campaign', payload({ agent_id: null, use_company_hours: true }))
  assert.deepEqual(details.map(({ field }) => field).toSorted(), ['agent_id', 'business_hours'])
  assert.equal((await auditOf(id))[0].channel, 'mcp')
})

test('campaigns are listed newest first and found by name; is_public are those made over REST', async () => {
  const id = await create({ name: 'By REST' })
  const { campaigns } = await firm.tool('list_campaigns', { key: 'by rest' })
  assert.deepEqual(
    campaigns.map((each: any) => [each.id, each.is_public]),
    [[id, true]],
  )
})

test('a campaign is paused with a reason and resumed; doing it twice changes nothing more', async () => {
  const id = await create()
  const paused = await firm.tool('pause_campaign', { id, reason: 'Wrong list' })
  assert.deepEqual([paused.status, paused.pause_reason], ['paused', 'Wrong list'])
  assert.equal((await firm.tool('pause_campaign', { id, reason: 'Again' })).pause_reason, 'Wrong list')
  const resumed = await firm.tool('resume_campaign', { id })
  assert.deepEqual([resumed.status, resumed.pause_reason], ['active', null])
  assert.equal((await firm.tool('resume_campaign', { id })).status, 'active')
  assert.equal((await firm.tool('pause_campaign', { id })).pause_reason, 'paused by test')
  const words = (await auditOf(id)).map(({ activity }) => activity)
  assert.deepEqual(words.slice(2), ['campaign_paused', 'campaign_started', 'campaign_paused'])
})

test('a completed campaign can be neither paused nor resumed', async () => {
  const id = await create()
  await api.pool.run(sql`update campaigns set status = 'completed' where company_id = ${firm.id} and id = ${id}`)
  for (const tool of ['pause_campaign', 'resume_campaign'])
    assert.match((await firm.refusal(tool, { id })).message, /is completed/)
})

test('the results tell rates, durations and where the contacts stand', async () => {
  const id = await create()
  await api.pool.run(sql`
    update campaign_stats set total_calls = 8, success_calls = 3, failed_calls = 5, sentiment_sum = 2.1, sentiment_count = 3,
      total_clients = 6, called_clients = 4, converted_clients = 1, disqualified_clients = 2, total_seconds = 4204
    where company_id = ${firm.id} and campaign_id = ${id}`)
  await planned(id, await person())
  await planned(id, await person(), { state: 'live', attempts: 1, due_at: null })
  await planned(id, await person({ mobile: null }), {
    state: 'settled',
    due_at: null,
    settled_reason: 'number_missing',
  })
  const stats = await firm.tool('get_campaign_stats', { id })
  const some = [
    ['success_calls_percentage', 37.5],
    ['failed_calls_percentage', 62.5],
    ['average_sentiment_score', 0.7],
    ['conversion_rate', 25],
    ['disqualification_rate', 50],
    ['total_call_duration', '70:04'],
    ['average_call_duration', '08:46'],
    ['clients_waiting', 1],
    ['clients_in_call', 1],
    ['clients_settled', 1],
  ] as const
  for (const [field, value] of some) assert.equal(stats[field], value, field)
  assert.deepEqual(stats.not_called, [{ reason: 'number_missing', clients: 1 }])
})

test('schedule_call has the first client who may be called rung up', async () => {
  const id = await create()
  const { client_id, case_id } = await person()
  assert.deepEqual(await firm.tool('schedule_call', { campaign_id: id, case_id }), {
    campaign_id: id,
    client_id,
    case_id,
  })
  assert.match((await firm.refusal('schedule_call', { campaign_id: id, case_id })).message, /already pending/)
  const out = await person({ voice_calls_opted_out: true })
  const refused = await firm.refusal('schedule_call', { campaign_id: id, case_id: out.case_id })
  assert.match(refused.message, /opted out/)
})

test('explain_call says that somebody may be called now', async () => {
  const id = await create()
  const ana = await person()
  await firm.tool('attach_to_case_list', { id: list.id, include_ids: [ana.case_id] })
  await planned(id, ana)
  const { contacts } = await firm.tool('explain_call', { campaign_id: id, client_id: ana.client_id })
  assert.equal(contacts.length, 1)
  const { rule_versions, ...explained } = contacts[0]
  assert.deepEqual(explained, {
    ...ana,
    standing: 'due',
    attempts: 0,
    last_result: null,
    settled_reason: null,
    allowed: true,
    reasons: [],
    next_at: null,
  })
  assert.ok(rule_versions.some((rule: string) => rule.startsWith('us-federal-hours@')))
})

test('explain_call names every reason, and when it is tried next', async () => {
  const id = await create()
  const explain = async (about: object) =>
    (await firm.tool('explain_call', { campaign_id: id, ...about })).contacts.map((each: any) => ({
      ...each,
      reasons: each.reasons.map(({ rule }: any) => rule),
    }))
  const stranger = await person()
  const [notInList] = await explain({ client_id: stranger.client_id })
  assert.deepEqual([notInList.standing, notInList.reasons], ['not_planned', ['not_member']])

  const ben = await person()
  await firm.tool('attach_to_case_list', { id: list.id, include_ids: [ben.case_id] })
  const [fresh] = await explain({ client_id: ben.client_id })
  assert.deepEqual([fresh.standing, fresh.reasons, fresh.allowed], ['not_planned', ['not_planned'], false])

  const tomorrow = new Date('2026-03-03T15:00:00Z')
  await planned(id, ben, { due_at: tomorrow, attempts: 1, delays_used: 1, last_result: 'busy' })
  const [waits] = await explain({ case_id: ben.case_id })
  assert.deepEqual(
    [waits.standing, waits.last_result, waits.reasons, waits.next_at],
    ['due', 'busy', ['not_due'], tomorrow.toISOString()],
  )

  const night = new Date('2026-03-03T03:00:00Z')
  clock.at = night
  const [asleep] = await explain({ case_id: ben.case_id })
  clock.at = new Date('2026-03-02T15:00:00Z')
  assert.ok(asleep.reasons.includes('legal_hours') && asleep.reasons.includes('run_hours'), String(asleep.reasons))
  assert.equal(asleep.next_at, tomorrow.toISOString())

  await firm.tool('update_client', { id: ben.client_id, voice_calls_opted_out: true })
  await firm.tool('pause_campaign', { id })
  const [never] = await explain({ client_id: ben.client_id })
  assert.ok(never.reasons.includes('opted_out') && never.reasons.includes('campaign_status'), String(never.reasons))
  assert.equal(never.next_at, null)
})

test('explain_call answers for each client of a case, and needs one of both', async () => {
  const id = await create()
  const ana = await person()
  const mute = await person({ mobile: null })
  await firm.tool('set_case_clients', { case_id: ana.case_id, client_ids: [ana.client_id, mute.client_id] })
  const { contacts } = await firm.tool('explain_call', { campaign_id: id, case_id: ana.case_id })
  assert.deepEqual(
    contacts.map((each: any) => each.client_id),
    [ana.client_id, mute.client_id],
  )
  for (const about of [{}, ana])
    assert.equal((await firm.refusal('explain_call', { campaign_id: id, ...about })).details.length, 2)
  await firm.tool('set_case_clients', { case_id: ana.case_id, client_ids: [] })
  const alone = await firm.refusal('explain_call', { campaign_id: id, client_id: ana.client_id })
  assert.match(alone.message, /linked to no case/)
  assert.match(
    (await firm.refusal('explain_call', { campaign_id: id, case_id: ana.case_id })).message,
    /has no clients/,
  )
})
