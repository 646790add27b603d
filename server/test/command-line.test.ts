import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { cloneDatabase } from './support/database.ts'
import { keyIn, newDataDir, runCli, startService } from './support/service.ts'

const settings = { DATA_DIR: await newDataDir() }

async function answer(...options: string[]) {
  const { code, stdout, stderr } = await runCli(settings, ...options, '--json')
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

async function refusal(...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(settings, ...options)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^docketcall: [^\n]+\n$/)
  return stderr
}

const status = async (url: string, key: string) =>
  (await fetch(`${url}/v1/case_lists`, { headers: { 'x-api-key': key } })).status

test('beside a stopped service: companies and keys are created and listed, in the shapes for scripts', async () => {
  const first = await answer('company', 'create', '--name', 'First firm')
  assert.deepEqual(Object.keys(first), ['company_id', 'api_key'])
  const second = await answer('company', 'create', '--name', 'Second firm')
  const companies = await answer('company', 'list')
  assert.deepEqual(
    companies.map(({ company_id, name }: { company_id: number; name: string }) => [company_id, name]),
    [
      [first.company_id, 'First firm'],
      [second.company_id, 'Second firm'],
    ],
  )
  const key = await answer('key', 'create', '--name', 'Zapier', '--company', String(second.company_id))
  assert.deepEqual(Object.keys(key), ['key_id', 'name', 'api_key'])
  const keys = await answer('key', 'list', '--company', String(second.company_id))
  assert.deepEqual(keys.map(Object.keys), [
    ['key_id', 'name', 'enabled', 'prefix', 'created_at', 'last_used_at'],
    ['key_id', 'name', 'enabled', 'prefix', 'created_at', 'last_used_at'],
  ])
  assert.deepEqual([keys[1].name, keys[1].enabled, keys[1].last_used_at], ['Zapier', true, null])
  assert.equal(keys[1].prefix, key.api_key.slice(0, 7))
  const [own] = await answer('key', 'list')
  assert.equal(own.prefix, first.api_key.slice(0, 7), 'without --company it is the first one')
})

test('an office has hours, a clock and so many appointments at a time; what is wrong is refused in whole', async () => {
  const unset = { business_hours: null, timezone: null, appointments_at_once: 1 }
  assert.deepEqual(await answer('company', 'office'), unset)
  const business_hours = [
    { start_time: '09:00', end_time: '12:00' },
    { start_time: '13:00', end_time: '17:00' },
  ]
  const office = { business_hours, timezone: 'America/New_York', appointments_at_once: 3 }
  const given = ['--hours', '09:00-12:00,13:00-17:00', '--timezone', 'America/New_York', '--at-once', '3']
  assert.deepEqual(await answer('company', 'office', ...given), office)
  for (const [option, value, message] of [
    ['--hours', '9-5', /business_hours\[0\]: must be written as 09:00-17:00/],
    ['--hours', '09:00-12:00,11:00-17:00', /overlaps/],
    ['--timezone', 'Mars', /Mars is no time zone/],
    ['--at-once', '0', /from 1 to 1000/],
  ] as const)
    assert.match(await refusal('company', 'office', '--timezone', 'UTC', option, value), message)
  assert.deepEqual(await answer('company', 'office', '--hours', 'none'), { ...office, business_hours: null })
})

test('beside a running service: a new key works at once, a disabled one is refused at once', async () => {
  const service = startService(settings)
  const url = await service.ready
  assert.equal(keyIn(service.stdout()), undefined, 'the company is there already')
  const { key_id, api_key } = await answer('key', 'create', '--name', 'Portal')
  assert.equal(await status(url, api_key), 200)
  assert.equal((await answer('key', 'disable', String(key_id))).enabled, false)
  assert.equal(await status(url, api_key), 401)
  assert.equal((await answer('key', 'enable', String(key_id))).enabled, true)
  assert.equal(await status(url, api_key), 200)
  await answer('key', 'enable', String(key_id))
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})

test('beside a running service: campaigns are switched off and on for all companies, or for one', async () => {
  const service = startService(settings)
  const url = await service.ready
  const { company_id, api_key } = await answer('company', 'create', '--name', 'Third firm')
  const isEnabled = async () => {
    const read = await fetch(`${url}/v1/campaigns/settings`, { headers: { 'x-api-key': api_key } })
    return ((await read.json()) as { is_enabled: boolean }).is_enabled
  }
  const off = await answer('campaigns', 'off')
  assert.ok(off.length >= 2 && off.every(({ is_enabled }: { is_enabled: boolean }) => !is_enabled))
  assert.equal(await isEnabled(), false)
  assert.deepEqual(await answer('campaigns', 'on', '--company', String(company_id)), [
    { company_id, name: 'Third firm', is_enabled: true },
  ])
  assert.equal(await isEnabled(), true)
  await answer('campaigns', 'on')
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})

test('whatever it changes is in the audit log as done by the command line', async () => {
  const { connectionString } = await cloneDatabase()
  const own = { ...settings, DATABASE_URL: connectionString }
  await runCli(own, 'company', 'create', '--name', 'Firm')
  await runCli(own, 'key', 'disable', '1')
  await runCli(own, 'key', 'disable', '1')
  await runCli(own, 'campaigns', 'off')
  await runCli(own, 'campaigns', 'off')
  const client = new pg.Client(connectionString)
  await client.connect()
  const { rows } = await client.query('select activity, actor, channel, record_id, changes from audit_log order by id')
  await client.end()
  const by = { actor: 'command line', channel: 'system' }
  assert.deepEqual(rows, [
    { activity: 'company_created', ...by, record_id: '1', changes: null },
    { activity: 'api_key_created', ...by, record_id: '1', changes: null },
    { activity: 'api_key_updated', ...by, record_id: '1', changes: { enabled: { from: true, to: false } } },
    {
      activity: 'campaign_settings_updated',
      ...by,
      record_id: '1',
      changes: { is_enabled: { from: true, to: false } },
    },
  ])
})

test('people read tables and sentences', async () => {
  const list = await runCli(settings, 'company', 'list')
  assert.match(list.stdout, /^company_id +name +created_at\n1 +First firm +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n/)
  const created = await runCli(settings, 'key', 'create', '--name', 'Phone')
  assert.match(created.stdout, /^Key \d+ is created\.\nIts API key, shown only this once: dk_[\w-]+\n$/)
  assert.match((await runCli(settings, '--help')).stdout, /Usage: cli .*company.*key/s)
})

test('what is wrong is told in one line, with exit code 1 and nothing on standard output', async () => {
  assert.match(await refusal('key', 'disable', '999'), /key 999 not found/)
  assert.match(await refusal('key', 'list', '--company', '999'), /company 999 not found/)
  assert.match(await refusal('campaigns', 'off', '--company', '999'), /company 999 not found/)
  assert.match(await refusal('key', 'disable', 'x'), /not an id/)
  assert.match(await refusal('company', 'create'), /--name <name>/)
  assert.match(await refusal('company', 'create', '--name', ' '), /1 to 255 characters/)
  assert.match(await refusal('compny', 'list'), /did you mean company/i)
})
