import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { type Company, startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()

/** Which transaction wrote each of the company's clients. */
async function transactions({ id }: Company): Promise<Map<string, string>> {
  const rows = await api.pool.many<{ first_name: string; xid: string }>(
    sql`select first_name, xmin::text as xid from clients where company_id = ${id}`,
  )
  return new Map(rows.map(({ first_name, xid }) => [first_name, xid]))
}

const names = Array.from({ length: 40 }, (_, n) => `Ana ${n}`)

const create = (firm: Company, first_name: string, fields?: object) =>
  firm.call('POST /v1/clients', clientPayload({ first_name, ...fields }), {
    'x-request-id': first_name.replace(' ', '-'),
  })

test('creations that come in together share a transaction, and each is answered with its own record', async () => {
  const firm = await api.company()
  const answers = await Promise.all(names.map((name) => create(firm, name)))
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.first_name]),
    names.map((name) => [201, name]),
  )
  const written = await transactions(firm)
  assert.equal(written.size, names.length)
  assert.ok(new Set(written.values()).size <= 5, `${new Set(written.values()).size} transactions`)
})

test('creations of two companies never share a transaction', async () => {
  const [one, other] = [await api.company(), await api.company()]
  await Promise.all(names.flatMap((name) => [create(one, name), create(other, name)]))
  const xids = new Set((await transactions(one)).values())
  for (const xid of (await transactions(other)).values()) assert.ok(!xids.has(xid))
})

test('of creations that come in together, one that is refused fails alone', async () => {
  const firm = await api.company()
  const answers = await Promise.all(names.map((name, n) => create(firm, name, n === 17 ? { case_ids: [999] } : {})))
  assert.deepEqual(
    answers.map(({ status }) => status),
    names.map((_, n) => (n === 17 ? 400 : 201)),
  )
  assert.deepEqual(answers[17]!.body.details, [{ field: 'case_ids', message: 'no such case: 999' }])
  assert.equal((await transactions(firm)).size, names.length - 1)
})

test('creations that come in together keep their links, their audit entries and their events apart', async () => {
  const firm = await api.company()
  await firm.tool('create_webhook', { name: 'All', url: 'https://hooks.example.com/' })
  const cases = await Promise.all(names.map(() => firm.ok('POST /v1/cases', casePayload())))
  const answers = await Promise.all(
    names.map((name, n) => create(firm, name, n % 2 === 0 ? { case_ids: [cases[n].id] } : {})),
  )
  for (const [n, { body }] of answers.entries()) {
    assert.deepEqual(body.case_ids, n % 2 === 0 ? [cases[n].id] : [])
    assert.deepEqual(await firm.ok(`GET /v1/clients/${body.id}`), body)
  }
  const entries = await api.pool.many(sql`
    select client_id, request_id from audit_log
    where company_id = ${firm.id} and activity = 'client_created' order by client_id`)
  const asked = answers.map(({ body, headers }) => ({ client_id: body.id, request_id: headers['x-request-id'] }))
  assert.deepEqual(
    entries,
    asked.sort((a, b) => a.client_id - b.client_id),
  )
  const events = await api.pool.many<{ data: { id: number; first_name: string } }>(
    sql`select data from events where company_id = ${firm.id} and type = 'client_created' order by client_id`,
  )
  assert.deepEqual(
    events.map(({ data }) => [data.id, data.first_name]),
    answers.map(({ body }) => [body.id, body.first_name]).sort((a, b) => a[0] - b[0]),
  )
})
