import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()

const newCase = (fields?: object) => firm.ok('POST /v1/cases', casePayload(fields))
const newClient = async (fields?: object): Promise<number> =>
  (await firm.ok('POST /v1/clients', clientPayload(fields))).id
const bulk = async (cases: unknown[]) => (await firm.ok('POST /v1/cases/bulk', { cases })).cases
const counted = () => api.pool.one(sql`select count(*)::int as cases from cases where company_id = ${firm.id}`)

async function refused(cases: unknown[]) {
  const before = await counted()
  const { status, body } = await firm.call('POST /v1/cases/bulk', { cases })
  assert.equal(status, 400)
  assert.deepEqual(await counted(), before, 'nothing is saved')
  assert.equal(body.details.length, 1, 'only the first error is answered')
  return { message: body.message, field: body.details[0].field }
}

test('entries without id are created, entries with id replaced, all answered in input order', async () => {
  const client = await newClient()
  const old = await newCase({ name: 'old', client_ids: [client] })
  const cases = await bulk([
    casePayload({ name: 'first', client_ids: [client] }),
    casePayload({ id: old.id, status: 'CLOSED' }),
    casePayload({ id: null, name: 'third' }),
  ])
  assert.deepEqual(
    cases.map(({ name, status }: any) => [name, status]),
    [
      ['first', 'active'],
      [null, 'closed'],
      ['third', 'active'],
    ],
  )
  assert.deepEqual(
    cases.map(({ client_ids }: any) => client_ids),
    [[client], [], []],
  )
  assert.deepEqual(
    cases.map(({ update_origin }: any) => update_origin),
    [null, 'public_api', null],
  )
  for (const each of cases) assert.deepEqual(await firm.ok(`GET /v1/cases/${each.id}`), each)
})

test('rule 4: a validation error stops the batch and the first error found is returned', async () => {
  const good = () => casePayload()
  const answer = await refused([
    good(),
    good(),
    casePayload({ status: 'actve' }),
    casePayload({ type: 'x', status: 'y' }),
  ])
  assert.equal(answer.field, 'cases[2].status')
  assert.match(answer.message, /^cases\[2\]: status: no case status 'actve'; did you mean 'active'\? /)
})

test('the first error is the one of the earliest entry, whoever finds it', async () => {
  // The schema refuses entry 1, the database entry 0.
  assert.equal(
    (await refused([casePayload({ client_ids: [999_999] }), { nonsense: true }])).field,
    'cases[0].client_ids',
  )
  assert.equal(
    (await refused([casePayload(), { ...casePayload(), nmae: 'x' }, casePayload({ type: 'x' })])).field,
    'cases[1].nmae',
  )
})

test('rule 4: updates have the same validation as PUT: required fields are sent', async () => {
  const old = await newCase({ name: 'kept' })
  const { message } = await refused([{ id: old.id, name: 'x' }])
  assert.equal(message, 'cases[0]: case_number: is required')
  assert.equal((await firm.ok(`GET /v1/cases/${old.id}`)).name, 'kept')
})

test('an entry that is no object, holds NUL or a lone surrogate is named by its place', async () => {
  assert.deepEqual(await refused([casePayload(), 'text']), {
    message: 'cases[1]: must be an object',
    field: 'cases[1]',
  })
  assert.deepEqual(await refused([casePayload(), null]), { message: 'cases[1]: must be an object', field: 'cases[1]' })
  const nul = await refused([casePayload(), casePayload({ name: 'a\0' })])
  assert.deepEqual(nul, { message: 'cases[1]: name: must not contain the NUL character', field: 'cases[1].name' })
  const lone = await refused([casePayload({ external_source_data: { a: '\ud800' } })])
  assert.equal(lone.field, 'cases[0].external_source_data.a')
})

test('an unknown id, and an id named twice, are refused', async () => {
  const other = await api.company()
  const foreign = (await other.ok('POST /v1/cases', casePayload())).id
  assert.deepEqual(await refused([casePayload({ id: foreign })]), {
    message: `cases[0]: id: case ${foreign} not found`,
    field: 'cases[0].id',
  })
  const { id } = await newCase()
  assert.deepEqual(await refused([casePayload({ id }), casePayload(), casePayload({ id })]), {
    message: `cases[2]: id: case ${id} is already named by cases[0]`,
    field: 'cases[2].id',
  })
})

test('a number that another case has, or another entry asks for, is refused', async () => {
  const { id, case_number } = await newCase()
  assert.deepEqual(await refused([casePayload(), casePayload({ case_number })]), {
    message: `cases[1]: case_number: '${case_number}' is already the number of case ${id}`,
    field: 'cases[1].case_number',
  })
  assert.deepEqual(await refused([casePayload({ case_number: 'twice' }), casePayload({ case_number: 'twice' })]), {
    message: "cases[1]: case_number: 'twice' is already the number of cases[0]",
    field: 'cases[1].case_number',
  })
})

test('numbers may pass between the cases of a batch: exchanged, handed on, taken by a new case', async () => {
  const [a, b, c] = [await newCase(), await newCase(), await newCase()]
  const numbers = (cases: { case_number: string }[]) => cases.map(({ case_number }) => case_number)
  const swapped = await bulk([
    { ...a, case_number: b.case_number },
    { ...b, case_number: a.case_number },
  ])
  assert.deepEqual(numbers(swapped), [b.case_number, a.case_number])
  const [x, y] = swapped
  const ring = await bulk([
    { ...x, case_number: y.case_number },
    { ...y, case_number: c.case_number },
    { ...c, case_number: x.case_number },
  ])
  assert.deepEqual(numbers(ring), [y.case_number, c.case_number, x.case_number])
  const taken = await bulk([
    casePayload({ case_number: ring[0].case_number }),
    { ...ring[0], case_number: 'a new one' },
  ])
  assert.deepEqual(numbers(taken), [ring[0].case_number, 'a new one'])
})

test('opt_out_voice_calls acts in bulk as it does in single writes', async () => {
  const [a, b, c] = [await newClient(), await newClient(), await newClient()]
  const old = await newCase({ client_ids: [b] })
  const cases = await bulk([
    casePayload({ opt_out_voice_calls: true, client_ids: [a] }),
    { ...old, opt_out_voice_calls: true },
    casePayload({ client_ids: [a, b, c] }),
  ])
  assert.deepEqual(
    cases.map(({ call_opted_out }: any) => call_opted_out),
    [true, true, false],
  )
  assert.equal((await firm.ok(`GET /v1/clients/${c}`)).voice_calls_opted_out, false)
})

test('an empty batch and one of more than 5,000 entries are refused', async () => {
  for (const [cases, rule] of [
    [[], 'must not be empty'],
    [Array.from({ length: 5001 }, () => casePayload()), 'must have at most 5000 entries'],
  ] as const) {
    const { status, body } = await firm.call('POST /v1/cases/bulk', { cases })
    assert.equal(status, 400)
    assert.deepEqual(body.details, [{ field: 'cases', message: rule }])
  }
})

test('5,000 entries with links are saved in one request', async () => {
  const { clients } = await firm.ok('POST /v1/clients/bulk', {
    clients: Array.from({ length: 1000 }, () => clientPayload()),
  })
  const cases = await bulk(
    Array.from({ length: 5000 }, (_, index) => casePayload({ client_ids: [clients[index % 1000].id] })),
  )
  assert.equal(cases.length, 5000)
  const again = await bulk(cases.map((each: object) => ({ ...each, name: 'all of them' })))
  assert.ok(again.every(({ name, client_ids }: any) => name === 'all of them' && client_ids.length === 1))
})
