import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql, { type Sql } from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()
const { id } = await firm.ok('POST /v1/clients', clientPayload())
await firm.ok(`PUT /v1/clients/${id}`, clientPayload({ first_name: 'Anabel' }))

const everything = () =>
  api.pool.many<any>(sql`select *, changes::text from audit_log where company_id = ${firm.id} order by id`)

const ATTEMPTS: Record<string, Sql> = {
  'deleting an entry': sql`delete from audit_log where company_id = ${firm.id}`,
  'deleting none': sql`delete from audit_log where false`,
  truncating: sql`truncate audit_log`,
  'another actor': sql`update audit_log set actor = 'nobody' where company_id = ${firm.id}`,
  'another time': sql`update audit_log set created_at = now() where company_id = ${firm.id}`,
  'other values': sql`update audit_log set changes = '{}' where company_id = ${firm.id}`,
  'no values, of a client who is there': sql`update audit_log set changes = null where company_id = ${firm.id}`,
  'no values and another activity': sql`update audit_log set changes = null, activity = 'x' where company_id = ${firm.id}`,
}

for (const [name, statement] of Object.entries(ATTEMPTS)) {
  test(`the role that owns the log is refused: ${name}`, async () => {
    const before = await everything()
    await assert.rejects(api.pool.run(statement), /the audit log is append-only/)
    assert.deepEqual(await everything(), before)
  })
}

test('erasing a client takes the values out of its entries and leaves the entries', async () => {
  const before = await everything()
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id], force: true })
  const after = await everything()
  assert.ok(before.some(({ changes }) => changes !== null))
  assert.deepEqual(
    after.slice(0, before.length),
    before.map((entry) => ({ ...entry, changes: null })),
  )
  assert.deepEqual(
    after.slice(before.length).map(({ activity, actor }) => [activity, actor]),
    [['client_deleted', 'test']],
  )
})
