import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { campaignWorld } from '../../test/support/campaigns.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

/** On Monday, March 2, 2026, 10:00 in New York; the clock stands still. */
const world = await campaignWorld()
const { firm, api } = world
const words = 'I agree to be called by Marsh & Cole with an automated voice about new services.'

let last = 150
async function person(fields: object = {}) {
  const mobile = `+1212555${String(++last).padStart(4, '0')}`
  const client = await firm.ok(
    'POST /v1/clients',
    clientPayload({ mobile, state: 'NY', postal_code: '10007', ...fields }),
  )
  const { id: case_id } = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client.id] }))
  return { client_id: client.id as number, case_id: case_id as number, mobile: client.mobile as string }
}

const rulesOf = ({ reasons }: { reasons: { rule: string }[] }) => reasons.map(({ rule }) => rule)

async function reasons(campaign_id: number, case_id: number, at?: string) {
  const { contacts } = await firm.tool('explain_call', { campaign_id, case_id, at })
  return rulesOf({
    reasons: contacts[0].reasons.filter(({ rule }: { rule: string }) => !['not_planned', 'not_member'].includes(rule)),
  })
}

test('a campaign is about the case unless its purpose is given, and an unknown purpose is refused', async () => {
  const purposeOf = async (fields?: object) => (await world.row(await world.create(fields))).purpose
  assert.equal(await purposeOf(), 'case_update')
  assert.equal(await purposeOf({ purpose: null }), 'case_update')
  for (const purpose of ['intake', 'appointment', 'document_request', 'survey', 'marketing'])
    assert.equal(await purposeOf({ purpose }), purpose)
  const [refusal] = await world.refusals(world.payload({ purpose: 'spam' }))
  assert.match(refusal!, /^purpose: /)
})

test('marketing reaches only those whose consent to it is on record', async () => {
  const { client_id, case_id, mobile } = await person()
  const campaign_id = await world.create({ purpose: 'marketing' })
  assert.deepEqual(await reasons(campaign_id, case_id), ['consent_missing'])
  const refused = await firm.call('POST /v1/calls', { campaign_id, case_id })
  assert.equal(refused.status, 400)
  assert.match(refused.body.message, /no consent to calls for marketing/)
  const consent = { kind: 'consent', addresses: [mobile], channel: 'call', words, obtained_at: '2026-02-01T12:00:00Z' }
  await firm.tool('record_permission', { ...consent, purpose: 'case_update' })
  assert.deepEqual(await reasons(campaign_id, case_id), ['consent_missing'])
  assert.deepEqual(await firm.tool('record_permission', { ...consent, purpose: 'marketing' }), {
    recorded: 1,
    unreadable: [],
  })
  assert.deepEqual(await reasons(campaign_id, case_id), [])
  const [row] = await api.pool.many<any>(
    sql`select * from permissions where address = ${mobile} and purpose = 'marketing'`,
  )
  assert.deepEqual(
    [row.evidence.words, row.actor, row.obtained_at.toISOString()],
    [words, 'test', '2026-02-01T12:00:00.000Z'],
  )
  await firm.ok('POST /v1/calls', { campaign_id, case_id })
  assert.equal(
    client_id,
    (await api.pool.one<any>(sql`select client_id from campaign_contacts where campaign_id = ${campaign_id}`))
      .client_id,
  )
})

test('a suppression stops a number, whoever has it, and a later consent lifts it', async () => {
  const { client_id, case_id, mobile } = await person()
  const campaign_id = await world.create()
  const entry = { addresses: [mobile, 'nobody@example.com', '123'], channel: 'all', words: 'Take me off your list' }
  assert.deepEqual(await firm.tool('record_permission', { kind: 'suppression', ...entry }), {
    recorded: 2,
    unreadable: ['123'],
  })
  assert.deepEqual(await reasons(campaign_id, case_id), ['opted_out', 'suppressed'])
  const { voice_calls_opted_out, sms_opted_out, email_opted_out } = await firm.ok(`GET /v1/clients/${client_id}`)
  assert.deepEqual([voice_calls_opted_out, sms_opted_out, email_opted_out], [true, true, false])
  await firm.tool('record_permission', { kind: 'consent', addresses: [mobile], channel: 'call', words })
  assert.deepEqual(await reasons(campaign_id, case_id), [])
  assert.deepEqual(rulesOf(await firm.tool('explain_contact', { client_id, channel: 'sms' })), [
    'opted_out',
    'suppressed',
  ])
  const log = await firm.tool('list_audit_logs', { activity: 'suppression_recorded' })
  assert.ok(!JSON.stringify(log).includes(mobile), 'the log outlives the contact, so it names no address')
})

test('a consent that lies ahead is refused', async () => {
  const entry = {
    kind: 'consent',
    addresses: ['+12125550199'],
    channel: 'call',
    words,
    obtained_at: '2999-01-01T00:00:00Z',
  }
  assert.match((await firm.refusal('record_permission', entry)).message, /obtained_at/)
})

test('explain_contact answers for any moment, when next, and under which rule and version', async () => {
  const { client_id } = await person({
    state: 'FL',
    postal_code: '33101',
    mobile: '305-555-0151',
    email: 'ana@example.com',
  })
  const at = async (moment: string, channel = 'call') =>
    firm.tool('explain_contact', { client_id, channel, at: moment })
  const noon = await at('2026-03-03T17:00:00Z')
  assert.deepEqual([noon.allowed, noon.reasons, noon.next_at], [true, [], null])
  assert.ok(noon.rule_versions.includes('us-fl-attempts@1') && noon.rule_versions.includes('us-federal-hours@1'))
  const evening = await at('2026-03-04T01:30:00Z')
  assert.deepEqual([evening.allowed, evening.next_at], [false, '2026-03-04T13:00:00.000Z'])
  assert.deepEqual(evening.reasons[0].law, ['us-fl-hours@1'])
  assert.match(evening.reasons[0].message, /20:30 in America\/New_York/)
  assert.equal((await at('2026-03-04T01:30:00Z', 'email')).allowed, true)
  const christmas = await at('2026-12-25T17:00:00Z')
  assert.deepEqual(
    [christmas.reasons[0].law, christmas.next_at],
    [['house-quiet-holidays@1'], '2026-12-26T13:00:00.000Z'],
  )
  assert.match((await firm.refusal('explain_contact', { client_id: 999_999, channel: 'call' })).message, /not found/)
})

test('explain_call answers for another moment than now, too', async () => {
  const { case_id } = await person()
  const campaign_id = await world.create()
  assert.deepEqual(await reasons(campaign_id, case_id), [])
  assert.deepEqual(await reasons(campaign_id, case_id, '2026-03-03T02:30:00Z'), ['run_hours', 'legal_hours'])
})

test('calls of two campaigns to one person, and to one number, count together', async () => {
  const [one, same] = [await person({ state: 'ME', postal_code: '04101' }), await person()]
  await firm.ok(`PUT /v1/clients/${same.client_id}`, clientPayload({ mobile: one.mobile }))
  const [first, second] = [await world.create(), await world.create()]
  await api.pool.run(sql`
    insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, provider, to_number, decision, created_at)
    values (${firm.id}, ${first}, ${same.client_id}, ${same.case_id}, ${world.agent.id}, 1, 'ended', 'sandbox', ${one.mobile}, '{}', '2026-03-02T14:00:00Z')`)
  const { contacts } = await firm.tool('explain_call', { campaign_id: second, case_id: one.case_id })
  const [limit] = contacts[0].reasons.filter(({ rule }: { rule: string }) => rule === 'legal_attempts')
  assert.deepEqual([limit.law, limit.until], [['us-me-attempts@1'], '2026-03-02T22:00:00.000Z'])
})
