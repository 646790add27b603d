import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { World } from '../../test/support/world.ts'

const api = await startApi()
const firm = await api.company()
const world = new World(api, firm)
const url = 'https://hooks.example.com/docketcall'

test('a webhook shows its secret once, and what is left out of an update stays', async () => {
  const created = await firm.tool('create_webhook', { name: 'Our CRM', url, event_types: ['case_created'] })
  const { id, secret, ...rest } = created
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const shown = {
    name: 'Our CRM',
    url,
    enabled: true,
    event_types: ['case_created'],
    case_type_ids: [],
    campaign_ids: [],
    api_key_id: null,
  }
  assert.deepEqual(rest, shown)
  assert.deepEqual(await firm.tool('get_webhook', { id }), { id, ...shown })
  const [listed] = (await firm.tool('list_webhooks')).items
  assert.deepEqual(listed, { id, ...shown, last_delivery_status: null, last_http_status: null, last_attempt_at: null })
  const updated = await firm.tool('update_webhook', { id, name: 'The CRM', url })
  assert.deepEqual(updated, { id, ...shown, name: 'The CRM' })
  assert.deepEqual((await firm.tool('delete_webhook', { id })).status, 'deleted')
  assert.equal((await firm.refusal('get_webhook', { id })).error, 'not found')
  const { audit_logs } = await firm.tool('list_audit_logs')
  assert.deepEqual(
    audit_logs.map(({ activity, changes }: any) => [activity, changes]),
    [
      ['webhook_deleted', null],
      ['webhook_updated', { name: { from: 'Our CRM', to: 'The CRM' } }],
      ['webhook_created', null],
    ],
  )
  const text = JSON.stringify(await api.pool.many(sql`select * from audit_log where company_id = ${firm.id}`))
  assert.ok(!text.includes(secret))
})

test('every broken rule is named and nothing is saved', async () => {
  const campaign = await world.campaign()
  const other = await api.company()
  const theirs = await new World(api, other).campaign()
  const refused = async (fields: object) => {
    const { details } = await firm.refusal('create_webhook', { name: 'Name', url, ...fields })
    return details.map(({ field, message }) => `${field}: ${message}`)
  }
  assert.deepEqual(await refused({ name: 'ab' }), ['name: must have at least 3 characters'])
  assert.deepEqual(await refused({ url: 'http://hooks.example.com' }), ['url: must begin with https://'])
  assert.match((await refused({ url: 'https://169.254.169.254/' }))[0]!, /link-local/)
  assert.match((await refused({ event_types: ['case_createt'] }))[0]!, /did you mean 'case_created'/)
  assert.match((await refused({ event_types: ['ping'] }))[0]!, /^event_types\[0\]: must be one of/)
  assert.match((await refused({ campaign_ids: [campaign] }))[0]!, /^campaign_ids: .*name at least one/)
  assert.match(
    (await refused({ campaign_ids: [campaign], event_types: ['call_ended', 'case_created'] }))[0]!,
    /^campaign_ids: .*case_created is none/,
  )
  assert.deepEqual(
    await refused({ campaign_ids: [theirs], event_types: ['call_ended'], case_type_ids: [9e6], api_key_id: 9e6 }),
    [
      'case_type_ids: no such case type: 9000000',
      `campaign_ids: no such campaign: ${theirs}`,
      'api_key_id: no such enabled API key: 9000000',
    ],
  )
  assert.deepEqual((await firm.tool('list_webhooks')).items, [])
  const { id } = await firm.tool('create_webhook', {
    name: 'Calls',
    url,
    campaign_ids: [campaign],
    event_types: ['call_ended', 'transfer_started', 'campaign_paused'],
  })
  assert.match(
    (await firm.refusal('update_webhook', { id, name: 'Calls', url, event_types: [] })).message,
    /campaign_ids/,
  )
  for (const name of ['get_webhook', 'delete_webhook', 'rotate_webhook_secret', 'test_webhook', 'list_webhook_logs'])
    assert.equal((await other.refusal(name, { id })).error, 'not found', name)
  assert.equal((await firm.refusal('replay_webhook_delivery', { id: 9e6 })).error, 'not found')
  assert.match((await firm.refusal('replay_failed_webhook_deliveries', { id, since: 'yesterday' })).message, /since/)
})

test('a webhook can be changed when a key that it names was disabled since', async () => {
  const { items } = await firm.tool('list_api_keys')
  const { key_id } = await api.pool.one<{ key_id: number }>(sql`
    insert into api_keys (company_id, name, hash, prefix) values (${firm.id}, 'Old', sha256('old'), 'dk_old') returning id as key_id`)
  const { id } = await firm.tool('create_webhook', { name: 'By key', url, api_key_id: key_id })
  await api.pool.run(sql`update api_keys set enabled = false where company_id = ${firm.id} and id = ${key_id}`)
  await firm.tool('update_webhook', { id, name: 'By an old key', url })
  const changed = await firm.tool('update_webhook', { id, name: 'By key', url, api_key_id: items[0].id })
  assert.equal(changed.api_key_id, items[0].id)
  assert.match(
    (await firm.refusal('update_webhook', { id, name: 'By key', url, api_key_id: key_id })).message,
    /no such enabled/,
  )
})
