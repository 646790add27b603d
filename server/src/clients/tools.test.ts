import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValid } from 'ulid'
import { startApi } from '../../test/support/api.ts'
import { clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()

test('a client is created with a name alone and gets a source of its own', async () => {
  const firm = await api.company()
  const made = await firm.tool('create_client', {
    first_name: 'Ana',
    last_name: 'Lee',
    mobile: '(212) 555-0123',
    email: ' ',
  })
  assert.deepEqual([made.external_source, made.mobile, made.email], ['manual', '(212) 555-0123', null])
  assert.ok(isValid(made.external_source_id))
  assert.equal((await firm.ok(`GET /v1/clients/${made.id}`)).origin, 'mcp')
  const given = { external_source: 'clio', external_source_id: '7' }
  const imported = await firm.tool('create_client', { first_name: 'Ben', last_name: 'Cole', ...given })
  assert.deepEqual([imported.external_source, imported.external_source_id], ['clio', '7'])
})

test('city and state are given together', async () => {
  const firm = await api.company()
  const name = { first_name: 'Ana', last_name: 'Lee' }
  const field = async (tool: string, args: object) => (await firm.refusal(tool, args)).details.map((each) => each.field)
  assert.deepEqual(await field('create_client', { ...name, city: 'Reno' }), ['state'])
  assert.deepEqual(await field('create_client', { ...name, state: 'NV' }), ['city'])
  assert.deepEqual(await field('create_client', { ...name, city: 'Reno', state: ' ' }), ['state'])
  const { id } = await firm.tool('create_client', { ...name, city: 'Reno', state: 'NV' })
  assert.deepEqual(await field('update_client', { id, city: 'Elko' }), ['state'])
  const moved = await firm.tool('update_client', { id, city: null, state: null })
  assert.deepEqual([moved.city, moved.state], [null, null])
  assert.equal((await firm.tool('update_client', { id, postal_code: '89501' })).postal_code, '89501')
})

test('update_client changes only what is given, opt-outs too', async () => {
  const firm = await api.company()
  const { id } = await firm.ok('POST /v1/clients', clientPayload({ email: 'ana@example.com', gender: 'f' }))
  const flags = { voice_calls_opted_out: true, sms_opted_out: true, email_opted_out: false }
  const updated = await firm.tool('update_client', { id, gender: null, timezone: 'America/Denver', ...flags })
  assert.deepEqual([updated.email, updated.gender, updated.timezone], ['ana@example.com', null, 'America/Denver'])
  const shown = await firm.ok(`GET /v1/clients/${id}`)
  assert.deepEqual(
    [shown.voice_calls_opted_out, shown.sms_opted_out, shown.email_opted_out, shown.update_origin],
    [true, true, false, 'mcp'],
  )
  const { audit_logs } = await firm.tool('list_audit_logs', { client_id: id, activity: 'client_updated' })
  assert.deepEqual(Object.keys(audit_logs[0].changes).toSorted(), [
    'gender',
    'sms_opted_out',
    'timezone',
    'voice_calls_opted_out',
  ])
  assert.match((await firm.refusal('update_client', { id, timezone: 'Mars/Base' })).message, /IANA time zone/)
  assert.match((await firm.refusal('update_client', { id, first_name: ' ' })).message, /must not be blank/)
})

test('clients are found by their whole name and by e-mail', async () => {
  const firm = await api.company()
  await firm.ok(
    'POST /v1/clients',
    clientPayload({ first_name: 'María', last_name: 'Okafor', email: 'mo@example.com' }),
  )
  await firm.ok('POST /v1/clients', clientPayload({ first_name: 'Mara', last_name: 'Lind', email: 'lind@example.org' }))
  const gone = await firm.ok('POST /v1/clients', clientPayload({ first_name: 'María', last_name: 'Okafor' }))
  await firm.ok(`DELETE /v1/clients/${gone.id}`)
  const find = async (key: string) =>
    (await firm.tool('list_clients', { key })).clients.map((each: any) => each.last_name)
  assert.deepEqual(await find('maría oka'), ['Okafor'])
  assert.deepEqual(await find('EXAMPLE.ORG'), ['Lind'])
  assert.deepEqual(await find('_'), [])
  assert.equal((await firm.tool('list_clients')).total_records, 2)
})
