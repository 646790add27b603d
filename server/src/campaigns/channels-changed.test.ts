import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { runPayload } from '../../test/support/payloads.ts'
import { World } from '../../test/support/world.ts'
import { realClock } from '../core/clock.ts'
import { createProviders, type Providers } from '../providers/index.ts'
import { pauseWhereChannelsChanged } from './channels-changed.ts'

const api = await startApi()
const sandbox = createProviders(api.pool, realClock)
/** Only whether they are the sandbox is asked of them here. */
const real = <Channel extends keyof Providers>(channel: Channel) => ({ ...sandbox[channel]!, sandbox: false })
const start = (providers: Partial<Providers> = {}) =>
  pauseWhereChannelsChanged(api.pool, realClock, { ...sandbox, ...providers })

async function firmWithCampaign() {
  const firm = await api.company()
  const world = new World(api, firm)
  const { client, record } = await world.linkedCase()
  const list = await world.list({ name: 'All', include_ids: [record] })
  const { id } = await firm.ok('POST /v1/campaigns', {
    name: 'Running',
    agent_id: await world.agent(),
    case_list_id: list,
    runs: [runPayload({ start_date: '2020-01-01', end_date: '2999-01-01' })],
  })
  await api.pool.run(sql`update campaigns set status = 'active' where company_id = ${firm.id}`)
  const campaign = () => firm.tool('get_campaign', { id })
  return { firm, id, campaign, client, record }
}

test('the first real start pauses every campaign of every firm, says why, and is told of in the audit log', async () => {
  const [one, two] = [await firmWithCampaign(), await firmWithCampaign()]
  assert.equal(await start(), undefined, 'still the sandbox')
  assert.equal((await one.campaign()).status, 'active')

  const changed = await start({ voice: real('voice'), sms: real('sms') })
  assert.equal(changed!.campaigns, 2)
  for (const { firm, campaign } of [one, two]) {
    const { status, pause_reason } = await campaign()
    assert.equal(status, 'paused')
    assert.match(pause_reason, /real people get calls and texts, which were the sandbox's before/)
    const { audit_logs } = await firm.tool('list_audit_logs', { activity: 'campaign_paused' })
    assert.equal(audit_logs.length, 1)
  }
  await one.firm.tool('resume_campaign', { id: one.id })
  assert.equal(await start({ voice: real('voice'), sms: real('sms') }), undefined, 'only a change pauses')
  assert.equal((await one.campaign()).status, 'active')

  assert.equal((await start({ sms: real('sms') }))!.campaigns, 1)
  assert.match((await one.campaign()).pause_reason, /the sandbox plays calls: nobody gets them/)
  await start()
})

test('texts that wait when texts become real were meant for the sandbox: they are not sent', async () => {
  const { firm, client, record } = await firmWithCampaign()
  for (const route of ['sms', 'email'])
    await firm.ok(`POST /v1/cases/communication/${route}`, {
      case_id: record,
      client_id: client,
      message: 'Hello',
      ...(route === 'email' && { subject: 'Hello' }),
    })
  await start({ sms: real('sms') })
  const messages = await api.pool.many(sql`
    select channel, status from messages where company_id = ${firm.id} order by channel`)
  assert.deepEqual(messages, [
    { channel: 'email', status: 'scheduled' },
    { channel: 'sms', status: 'skipped' },
  ])
  await start()
})
