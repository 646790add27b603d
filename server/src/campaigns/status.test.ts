import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { campaignWorld } from '../../test/support/campaigns.ts'
import { agentPayload, runPayload } from '../../test/support/payloads.ts'
import type { Channel, Context } from '../core/operation.ts'
import { inTransaction } from '../http/run.ts'
import { selectCampaign } from './queries.ts'
import { resumeCampaign, updateCampaignStatus } from './status.ts'

const { api, clock, firm, agent, list, create, row, auditOf } = await campaignWorld()

/** As another channel than REST would do it. */
function as<T>(channel: Channel, work: (ctx: Context) => Promise<T>): Promise<T> {
  const caller = {
    companyId: firm.id,
    actor: { type: 'engine', id: null, name: 'engine' },
    channel,
    requestId: null,
  } as const
  return inTransaction({ pool: api.pool, clock, log: pino({ level: 'silent' }) }, caller, work)
}

const lastEntry = async (id: number) => {
  const { activity, channel, changes } = (await auditOf(id)).at(-1)
  return { activity, channel, changes }
}

test('a campaign is paused with its reason and resumed without it, each with its audit entry', async () => {
  const id = await create()
  assert.deepEqual(await as('mcp', (ctx) => updateCampaignStatus(ctx, [id], 'paused', 'Counsel asked')), [id])
  const paused = await row(id)
  assert.deepEqual([paused.status, paused.pause_reason, paused.update_origin], ['paused', 'Counsel asked', 'mcp'])
  assert.deepEqual(await lastEntry(id), {
    activity: 'campaign_paused',
    channel: 'mcp',
    changes: { status: { from: 'active', to: 'paused' }, pause_reason: { from: null, to: 'Counsel asked' } },
  })
  await as('mcp', (ctx) => updateCampaignStatus(ctx, [id], 'active'))
  const resumed = await row(id)
  assert.deepEqual([resumed.status, resumed.pause_reason], ['active', null])
  assert.equal((await lastEntry(id)).activity, 'campaign_started')
})

test('a paused campaign whose first run lies ahead is scheduled again when it is resumed', async () => {
  const ahead = await create({ runs: [runPayload({ start_date: '2026-04-06', end_date: '2026-04-10' })] })
  const begun = await create()
  await as('mcp', (ctx) => updateCampaignStatus(ctx, [ahead, begun], 'paused', 'Counsel asked'))
  for (const id of [ahead, begun]) assert.equal(await as('mcp', (ctx) => resumeCampaign(ctx, id)), true)
  assert.equal((await row(ahead)).status, 'scheduled')
  assert.equal((await row(begun)).status, 'active')
  assert.equal(await as('mcp', (ctx) => resumeCampaign(ctx, begun)), false)
})

test('what the engine does by itself is no update of the record, and is completed once', async () => {
  const id = await create()
  clock.at = new Date('2026-03-07T12:00:00Z')
  assert.deepEqual(await as('system', (ctx) => updateCampaignStatus(ctx, [id], 'completed')), [id])
  assert.deepEqual(await as('system', (ctx) => updateCampaignStatus(ctx, [id], 'completed')), [])
  const { status, completed_at, update_origin } = await row(id)
  assert.deepEqual([status, completed_at, update_origin], ['completed', clock.at, null])
  assert.equal((await auditOf(id)).filter(({ activity }) => activity === 'campaign_completed').length, 1)
})

test('a completed campaign is neither paused nor started again', async () => {
  const id = await create()
  await as('system', (ctx) => updateCampaignStatus(ctx, [id], 'completed'))
  for (const status of ['paused', 'active', 'scheduled'] as const)
    assert.deepEqual(await as('mcp', (ctx) => updateCampaignStatus(ctx, [id], status, 'Why not')), [])
  assert.equal((await row(id)).status, 'completed')
})

test('deleting an agent pauses the campaigns that use it, with the reason, and leaves the others alone', async () => {
  const { id: agent_id } = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload({ name: 'Casey' }))
  const used = await create({ agent_id })
  const ahead = await create({ agent_id, runs: [runPayload({ start_date: '2026-04-06', end_date: '2026-04-10' })] })
  const done = await create({ agent_id })
  await as('system', (ctx) => updateCampaignStatus(ctx, [done], 'completed'))
  const other = await create()
  assert.equal((await firm.call(`DELETE /v1/agent_builder/campaign_agents/${agent_id}`)).status, 204)
  const rows = await Promise.all([used, ahead, done, other].map(row))
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['paused', 'paused', 'completed', 'active'],
  )
  assert.equal(rows[0].pause_reason, "its voice agent 'Casey' was deleted")
  assert.equal(rows[0].update_origin, 'public_api')
  for (const id of [used, ahead]) assert.equal((await lastEntry(id)).activity, 'campaign_paused')
})

test('a campaign record says beyond the listing where it stands', async () => {
  const id = await create({ is_obo: true, never_ending: true, runs: [runPayload(), runPayload()] })
  const { stats: _, ...record } = await selectCampaign({ db: api.pool, companyId: firm.id }, id)
  assert.deepEqual(record, {
    id,
    name: 'Hearing reminders',
    agent_id: agent.id,
    case_list_id: list.id,
    case_list_name: 'All',
    origin: 'public_api',
    update_origin: null,
    status: 'active',
    pause_reason: null,
    is_obo: true,
    never_ending: true,
    run_count: 2,
  })
})

test('a campaign that is created while its agent is being deleted is paused or refused', async () => {
  for (let round = 0; round < 5; round++) {
    const { id: agent_id } = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload())
    const [created] = await Promise.all([
      firm.call('POST /v1/campaigns', { name: 'Race', agent_id, case_list_id: list.id, runs: [runPayload()] }),
      firm.call(`DELETE /v1/agent_builder/campaign_agents/${agent_id}`),
    ])
    if (created.status === 201) assert.equal((await row(created.body.id)).status, 'paused')
    else assert.equal(created.status, 400)
  }
})
