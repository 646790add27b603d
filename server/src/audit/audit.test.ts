import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'

const api = await startApi()

test('every change is listed with who, how, what and the fields before and after', async () => {
  const firm = await api.company()
  const type = await firm.tool('create_case_type', { name: 'Asbestos' })
  await firm.tool('update_case_type', { id: type.id, description: 'Dust' })
  const { total, page, page_size, audit_logs } = await firm.tool('list_audit_logs', {})
  assert.deepEqual([total, page, page_size], [2, 1, 25])
  const [{ id, request_id, created_at, ...entry }] = audit_logs
  assert.deepEqual(entry, {
    activity: 'case_type_updated',
    actor: 'test',
    channel: 'mcp',
    record_type: 'case_type',
    record_id: String(type.id),
    case_id: null,
    client_id: null,
    changes: { description: { from: null, to: 'Dust' } },
  })
  assert.ok(id > audit_logs[1].id)
  assert.match(request_id, /^[0-9a-f-]{36}$/)
  assert.ok(Date.parse(created_at) > 0)
})

test('entries are found by activity, actor, time, case and client', async () => {
  const firm = await api.company()
  const write = (activity: string, actor: string, at: string, case_id: number | null, client_id: number | null) =>
    api.pool.run(sql`
      insert into audit_log (company_id, activity, actor, channel, record_type, record_id, case_id, client_id, created_at)
      values (${firm.id}, ${activity}, ${actor}, 'system', 'case', '1', ${case_id}, ${client_id}, ${at})`)
  await write('case_created', 'Ana', '2026-03-01T23:59:59Z', 7, null)
  await write('case_updated', 'Ben', '2026-03-02T00:00:00Z', 7, 9)
  await write('case_deleted', 'Ana', '2026-03-02T23:59:59.500Z', 8, 9)
  await write('case_merged', 'Ben', '2026-03-03T00:00:00Z', 8, null)
  const found = async (args: object) =>
    (await firm.tool('list_audit_logs', args)).audit_logs.map(({ activity }: { activity: string }) => activity.slice(5))
  assert.deepEqual(await found({ activity: 'case_updated' }), ['updated'])
  assert.deepEqual(await found({ actor: 'Ana' }), ['deleted', 'created'])
  assert.deepEqual(await found({ case_id: 8 }), ['merged', 'deleted'])
  assert.deepEqual(await found({ client_id: 9, actor: 'Ben' }), ['updated'])
  assert.deepEqual(await found({ from: '2026-03-02', to: '2026-03-02' }), ['deleted', 'updated'])
  assert.deepEqual(await found({ to: '2026-03-02T00:00:00Z' }), ['updated', 'created'])
  assert.deepEqual(await found({ page: 2, page_size: 3 }), ['created'])
  const { details } = await firm.refusal('list_audit_logs', { from: 'yesterday' })
  assert.deepEqual(details, [{ field: 'from', message: 'must be a date (YYYY-MM-DD) or an ISO 8601 date and time' }])
  assert.match((await firm.refusal('list_audit_logs', { page_size: 101 })).message, /at most 100/)
  assert.deepEqual((await (await api.company()).tool('list_audit_logs', {})).total, 0)
})

test('administrators and keys are listed without any secret', async () => {
  const firm = await api.company()
  await api.pool.run(sql`
    insert into users (company_id, name, email, role)
    values (${firm.id}, 'Ana', 'ana@example.com', 'admin'), (${firm.id}, 'Ben', 'ben@example.com', 'user')`)
  const { items } = await firm.tool('list_company_admins')
  assert.deepEqual(
    items.map(({ name, email, role }: any) => [name, email, role]),
    [['Ana', 'ana@example.com', 'admin']],
  )
  const keys = (await firm.tool('list_api_keys')).items
  assert.deepEqual(Object.keys(keys[0]), ['id', 'name', 'enabled', 'created_at', 'last_used_at'])
  assert.doesNotMatch(JSON.stringify(keys), new RegExp(firm.key.slice(0, 7)))
})
