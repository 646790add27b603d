import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { campaignWorld } from '../../test/support/campaigns.ts'
import { runPayload } from '../../test/support/payloads.ts'

const { api, firm, list, agent, count, create } = await campaignWorld()

test('a campaign that was read can be sent back: what only an answer carries is ignored', async () => {
  const id = await create({ name: 'Read me' })
  const [listed] = await firm.ok('GET /v1/campaigns?key=Read%20me')
  const again = await firm.ok('POST /v1/campaigns', { ...listed, runs: [runPayload()] })
  assert.notEqual(again.id, id)
})

test('the listing answers every campaign of the company, newest first, with exactly the specified fields', async () => {
  const other = await api.company()
  assert.deepEqual(await other.ok('GET /v1/campaigns'), [])
  const campaigns = await firm.ok('GET /v1/campaigns')
  assert.equal(campaigns.length, await count())
  const ids = campaigns.map(({ id }: any) => id)
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => b - a),
  )
  const id = await create({ name: 'Newest' })
  const [newest] = await firm.ok('GET /v1/campaigns')
  assert.deepEqual(newest, {
    id,
    name: 'Newest',
    agent_id: agent.id,
    case_list_id: list.id,
    origin: 'public_api',
    update_origin: null,
    stats: {
      total_calls: 0,
      success_calls: 0,
      success_calls_percentage: 0,
      failed_calls: 0,
      average_sentiment_score: 0,
      conversion_rate: 0,
    },
  })
})

test('key finds a part of the name in any case, and its signs mean nothing but themselves', async () => {
  await create({ name: '100% Überprüfung_A' })
  const found = async (key: string) =>
    (await firm.ok(`GET /v1/campaigns?key=${encodeURIComponent(key)}`)).map(({ name }: any) => name)
  assert.deepEqual(await found('ÜBERPRÜF'), ['100% Überprüfung_A'])
  assert.deepEqual(await found('0%'), ['100% Überprüfung_A'])
  assert.deepEqual(await found('g_a'), ['100% Überprüfung_A'])
  assert.deepEqual(await found('1%A'), [])
  assert.equal((await firm.ok('GET /v1/campaigns?key=')).length, await count())
})

test('the statistics are those of the counters', async () => {
  const id = await create({ name: 'Counted' })
  await api.pool.run(sql`
    update campaign_stats set total_calls = 9, success_calls = 6, failed_calls = 3, sentiment_sum = 4.5, sentiment_count = 7,
      called_clients = 8, converted_clients = 1
    where company_id = ${firm.id} and campaign_id = ${id}`)
  const [campaign] = await firm.ok('GET /v1/campaigns?key=Counted')
  assert.deepEqual(campaign.stats, {
    total_calls: 9,
    success_calls: 6,
    success_calls_percentage: 66.7,
    failed_calls: 3,
    average_sentiment_score: 0.64,
    conversion_rate: 12.5,
  })
})

test('the settings default to enabled, 100 and no business hours, and answer what is configured', async () => {
  const other = await api.company()
  assert.deepEqual(await other.ok('GET /v1/campaigns/settings'), {
    is_enabled: true,
    concurrency_rate: 100,
    business_hours: null,
  })
  const slots = [{ start_time: '09:00', end_time: '17:00' }]
  await api.pool.run(sql`
    update companies set campaigns_enabled = false, concurrency_rate = 40, business_hours = ${JSON.stringify(slots)}
    where id = ${other.id}`)
  assert.deepEqual(await other.ok('GET /v1/campaigns/settings'), {
    is_enabled: false,
    concurrency_rate: 40,
    business_hours: slots,
  })
})
