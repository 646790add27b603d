import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { insertKey } from '../src/companies/queries.ts'
import { operations } from '../src/operations.ts'
import { startApi } from './support/api.ts'
import { examples } from './support/examples.ts'
import { clientPayload } from './support/payloads.ts'
import { World } from './support/world.ts'

const api = await startApi()
const firm = await api.company()

let keys = 0
const newKey = () => `key-${++keys}`
const send = (route: string, body: unknown, key: string) => firm.call(route, body, { 'idempotency-key': key })
const isReplay = ({ headers }: { headers: Record<string, unknown> }) => headers['idempotent-replayed'] === 'true'

for (const op of operations.filter(({ method }) => method === 'POST')) {
  const name = `${op.method} ${op.path}`
  const example = async () => {
    const { path, body } = await examples[name]!(new World(api, firm))
    return { route: `POST ${path}`, body }
  }

  test(`${name}: a repeat is answered with the first outcome, word for word, and done once`, async () => {
    const { route, body } = await example()
    const key = newKey()
    const first = await send(route, body, key)
    assert.equal(first.status, op.status)
    assert.equal(isReplay(first), false)
    const before = await changes()
    const again = await send(route, body, key)
    assert.equal(isReplay(again), true)
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    assert.equal(await changes(), before)
  })

  test(`${name}: repeats at the same time are done once`, async () => {
    const { route, body } = await example()
    const key = newKey()
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(route, body, key)))
    assert.equal(answers.filter((answer) => !isReplay(answer)).length, 1)
    for (const answer of answers) assert.deepEqual([answer.status, answer.body], [op.status, answers[0]!.body])
  })

  test(`${name}: a refusal is not kept`, async () => {
    const { route, body } = await example()
    const key = newKey()
    assert.equal((await send(route, { ...body, surprise: true }, key)).status, 400)
    const good = await send(route, body, key)
    assert.equal(good.status, op.status)
    assert.equal(isReplay(good), false)
  })
}

test('the same key with another body is 400 and does nothing', async () => {
  const key = newKey()
  await send('POST /v1/clients', clientPayload(), key)
  const before = await changes()
  const { status, body } = await send('POST /v1/clients', clientPayload(), key)
  assert.equal(status, 400)
  assert.deepEqual(body.details, [{ field: 'Idempotency-Key', message: 'was already used with another body' }])
  assert.equal(await changes(), before)
})

test('a key belongs to its API key and its path', async () => {
  const key = newKey()
  const body = clientPayload()
  const first = await send('POST /v1/clients', body, key)
  const { api_key } = await insertKey({ db: api.pool, companyId: firm.id }, 'second')
  const headers = { 'idempotency-key': key, 'x-api-key': api_key }
  const second = await firm.call('POST /v1/clients', body, headers)
  assert.equal(isReplay(second), false)
  assert.notEqual(second.body.id, first.body.id)
  const elsewhere = await send('POST /v1/case_lists', { name: 'A list' }, key)
  assert.equal(elsewhere.status, 201)
})

test('an outcome is kept for 24 hours', async () => {
  const key = newKey()
  const body = clientPayload()
  const { body: first } = await send('POST /v1/clients', body, key)
  const age = (interval: string) =>
    api.pool.run(sql`update idempotency_keys set created_at = now() - ${interval}::interval where key = ${key}`)
  await age('23 hours 59 minutes')
  assert.equal((await send('POST /v1/clients', body, key)).body.id, first.id)
  await age('24 hours 1 minute')
  assert.notEqual((await send('POST /v1/clients', body, key)).body.id, first.id)
})

test('a key has 1 to 255 characters', async () => {
  assert.equal((await send('POST /v1/clients', clientPayload(), 'k'.repeat(255))).status, 201)
  for (const key of ['', 'k'.repeat(256)]) {
    const { status, body } = await send('POST /v1/clients', clientPayload(), key)
    assert.equal(status, 400)
    assert.equal(body.details[0].field, 'Idempotency-Key')
  }
})

/** How many changes the audit log has seen. */
async function changes(): Promise<number> {
  return (
    await api.pool.one<{ n: number }>(sql`select count(*)::int as n from audit_log where company_id = ${firm.id}`)
  ).n
}
