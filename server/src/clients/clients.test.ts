import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()

const newClient = (fields?: object) => firm.ok('POST /v1/clients', clientPayload(fields))
const newCase = async (fields?: object): Promise<number> => (await firm.ok('POST /v1/cases', casePayload(fields))).id
const activities = async (clientId: number) =>
  (
    await api.pool.many<{ activity: string }>(sql`
      select activity from audit_log where company_id = ${firm.id} and client_id = ${clientId} order by id`)
  ).map(({ activity }) => activity)

async function refused(route: string, body: unknown) {
  const answer = await firm.call(route, body)
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
  return answer.body.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`)
}

const EVERYTHING = {
  external_source: 'litify',
  external_source_id: 'x-1',
  first_name: 'María',
  last_name: 'Okafor',
  email: 'maria@example.com',
  mobile: '212.555.0123',
  gender: 'female',
  date_of_birth: '1980-02-29',
  date_of_death: null,
  city: 'Reno',
  state: 'NV',
  postal_code: '89501',
  address_line1: '1 Main St',
  address_line2: 'Apt 2',
  timezone: 'America/Los_Angeles',
  meta: { colour: 'red', nested: { list: [1, null, 'é'] } },
  voice_calls_opted_out: false,
  sms_opted_out: true,
  email_opted_out: false,
}

test('a client is created with every field and answered as it is read', async () => {
  const about = await newCase()
  const created = await firm.call('POST /v1/clients', { ...EVERYTHING, case_ids: [about, about] })
  assert.equal(created.status, 201)
  assert.deepEqual(created.body, {
    id: created.body.id,
    ...EVERYTHING,
    case_ids: [about],
    origin: 'public_api',
    update_origin: null,
  })
  assert.deepEqual(await firm.ok(`GET /v1/clients/${created.body.id}`), created.body)
  assert.deepEqual((await firm.ok(`GET /v1/cases/${about}`)).client_ids, [created.body.id])
})

test('optional fields are null and flags false unless given; duplicates by external source are allowed', async () => {
  const payload = clientPayload()
  const [one, two] = [await firm.ok('POST /v1/clients', payload), await firm.ok('POST /v1/clients', payload)]
  assert.notEqual(one.id, two.id)
  const { id, origin, update_origin, case_ids, ...fields } = one
  const optional = Object.keys(EVERYTHING).filter((name) => !(name in payload))
  const expected = optional.map((name) => [name, name.endsWith('opted_out') ? false : null])
  assert.deepEqual(fields, { ...payload, ...Object.fromEntries(expected) })
  assert.deepEqual(case_ids, [])
})

test('the four required fields are required, all the missing ones named at once', async () => {
  assert.deepEqual(await refused('POST /v1/clients', {}), [
    'external_source: is required',
    'external_source_id: is required',
    'first_name: is required',
    'last_name: is required',
  ])
})

test('rule 1: on PUT only the provided fields are updated, and required fields must be included', async () => {
  const { id } = await newClient({ ...EVERYTHING })
  const required = { external_source: 'other', external_source_id: 'x-2', first_name: 'Mary', last_name: 'Okafor' }
  const updated = await firm.ok(`PUT /v1/clients/${id}`, { ...required, city: 'Elko' })
  assert.deepEqual(updated, {
    id,
    ...EVERYTHING,
    ...required,
    city: 'Elko',
    case_ids: [],
    origin: 'public_api',
    update_origin: 'public_api',
  })
  assert.deepEqual(await firm.ok(`GET /v1/clients/${id}`), updated)
  assert.deepEqual(await refused(`PUT /v1/clients/${id}`, { city: 'Reno' }), [
    'external_source: is required',
    'external_source_id: is required',
    'first_name: is required',
    'last_name: is required',
  ])
})

test('null clears an optional field and is refused for a required one', async () => {
  const { id } = await newClient({ ...EVERYTHING, sms_opted_out: true })
  const names = ['email', 'mobile', 'gender', 'date_of_birth', 'city', 'state', 'postal_code', 'timezone', 'meta']
  const updated = await firm.ok(
    `PUT /v1/clients/${id}`,
    clientPayload({ ...Object.fromEntries(names.map((name) => [name, null])), sms_opted_out: null }),
  )
  for (const name of names) assert.equal(updated[name], null, name)
  assert.equal(updated.sms_opted_out, false)
  assert.deepEqual(await refused(`PUT /v1/clients/${id}`, clientPayload({ first_name: null })), [
    'first_name: must not be null; it must be a string',
  ])
})

test('what was read can be sent back and changes nothing but update_origin', async () => {
  const before = await newClient({ ...EVERYTHING, case_ids: [await newCase()] })
  assert.deepEqual(await firm.ok(`PUT /v1/clients/${before.id}`, before), { ...before, update_origin: 'public_api' })
  assert.deepEqual(await activities(before.id), ['client_created'])
  assert.notEqual((await newClient(before)).id, before.id)
})

test('an update records the changed fields with what they were', async () => {
  const { id } = await newClient({ city: 'Reno', meta: { a: 1, b: [1] } })
  await firm.ok(`PUT /v1/clients/${id}`, clientPayload({ city: 'Elko', meta: { b: [1], a: 1 } }))
  const { changes } = await api.pool.one<{ changes: Record<string, unknown> }>(sql`
    select changes from audit_log where company_id = ${firm.id} and client_id = ${id} and activity = 'client_updated'`)
  assert.deepEqual(changes.city, { from: 'Reno', to: 'Elko' })
  assert.equal(changes.meta, undefined, 'the order of keys is no change')
})

test('rule 4: case_ids replaces the existing case links', async () => {
  const [a, b, c] = [await newCase(), await newCase(), await newCase()]
  const { id } = await newClient({ case_ids: [b, a] })
  const put = async (fields: object) => (await firm.ok(`PUT /v1/clients/${id}`, clientPayload(fields))).case_ids
  assert.deepEqual(await put({ case_ids: [c, b] }), [b, c])
  assert.deepEqual(await put({ city: 'Reno' }), [b, c], 'left out: links stay')
  assert.deepEqual((await firm.ok(`GET /v1/cases/${a}`)).client_ids, [])
  assert.deepEqual(await put({ case_ids: null }), [])
})

test('case_id is taken as case_ids with one case; sending both is refused', async () => {
  const [a, b] = [await newCase(), await newCase()]
  const client = await newClient({ case_id: a })
  assert.deepEqual(client.case_ids, [a])
  const put = async (fields: object) => (await firm.ok(`PUT /v1/clients/${client.id}`, clientPayload(fields))).case_ids
  assert.deepEqual(await put({ case_id: b }), [b])
  assert.deepEqual(await put({ case_id: null }), [])
  assert.deepEqual(await refused('POST /v1/clients', clientPayload({ case_id: a, case_ids: [a] })), [
    'case_id: must not be sent together with case_ids',
  ])
})

test('case ids that do not exist, are deleted or belong to another company are named and nothing is saved', async () => {
  const other = await api.company()
  const [foreign, deleted] = [(await other.ok('POST /v1/cases', casePayload())).id, await newCase()]
  await firm.ok(`DELETE /v1/cases/${deleted}`)
  const before = await api.pool.one(sql`select count(*)::int as clients from clients where company_id = ${firm.id}`)
  assert.deepEqual(
    await refused('POST /v1/clients', clientPayload({ case_ids: [foreign, await newCase(), deleted] })),
    [`case_ids: no such case: ${foreign}, ${deleted}`],
  )
  assert.deepEqual(await refused('POST /v1/clients', clientPayload({ case_id: foreign })), [
    `case_id: no such case: ${foreign}`,
  ])
  assert.deepEqual(
    await api.pool.one(sql`select count(*)::int as clients from clients where company_id = ${firm.id}`),
    before,
  )
})

test('a number that does not parse is kept as sent, and one that does is kept beside that in E.164', async () => {
  const dialled = async (mobile: string) => {
    const { id } = await newClient({ mobile })
    assert.equal((await firm.ok(`GET /v1/clients/${id}`)).mobile, mobile)
    const row = await api.pool.one<{ mobile_e164: string | null }>(sql`
      select mobile_e164 from clients where company_id = ${firm.id} and id = ${id}`)
    await firm.ok(`PUT /v1/clients/${id}`, clientPayload({ mobile: '+44 20 7946 0018' }))
    assert.deepEqual(
      await api.pool.one(sql`select mobile_e164 from clients where company_id = ${firm.id} and id = ${id}`),
      { mobile_e164: '+442079460018' },
    )
    return row.mobile_e164
  }
  assert.equal(await dialled('(212) 555-0123'), '+12125550123')
  assert.equal(await dialled('ask his mother'), null)
})

test('fine print: blank optional text becomes null, other text is kept as sent', async () => {
  const client = await newClient({ email: ' ', mobile: '', city: '\t', state: '  NV ', gender: ' ' })
  const { email, mobile, city, state, gender } = client
  assert.deepEqual(
    { email, mobile, city, state, gender },
    { email: null, mobile: null, city: null, state: '  NV ', gender: null },
  )
})

test('fine print: NUL and lone surrogates are refused, wherever they stand', async () => {
  assert.deepEqual(await refused('POST /v1/clients', clientPayload({ city: 'a\0' })), [
    'city: must not contain the NUL character',
  ])
  assert.deepEqual(await refused('POST /v1/clients', clientPayload({ meta: { list: ['\ud800'] } })), [
    'meta.list[0]: must be well-formed Unicode (lone surrogate)',
  ])
  assert.deepEqual(await refused('POST /v1/clients', clientPayload({ meta: { '\udc00': 1 } })), [
    'meta.\udc00: must be well-formed Unicode (lone surrogate)',
  ])
  assert.equal((await newClient({ first_name: '😀' })).first_name, '😀')
})

test('fine print: unknown fields are refused by name with the nearest known one', async () => {
  assert.deepEqual(await refused('POST /v1/clients', clientPayload({ mobil: '1', zzz: 1, constructor: 1 })), [
    "mobil: unknown field; did you mean 'mobile'?",
    'zzz: unknown field',
    'constructor: unknown field',
  ])
})

test('fine print: types, formats and lengths', async () => {
  assert.deepEqual(
    await refused(
      'POST /v1/clients',
      clientPayload({
        first_name: '  ',
        last_name: 'x'.repeat(256),
        email: 'nobody',
        date_of_birth: '2026-02-30',
        timezone: 'Mars/Base',
        voice_calls_opted_out: 'true',
        case_ids: [0, 1.5],
        meta: [],
      }),
    ),
    [
      'first_name: must not be blank',
      'last_name: must have at most 255 characters',
      'email: must be an e-mail address',
      'date_of_birth: must be a real date, YYYY-MM-DD',
      'timezone: must be an IANA time zone such as America/New_York',
      'meta: must be an object',
      'voice_calls_opted_out: must be a boolean',
      'case_ids[0]: must be at least 1',
      'case_ids[1]: must be an integer',
    ],
  )
  assert.deepEqual(await refused('POST /v1/clients', clientPayload({ meta: { a: 'x'.repeat(66_000) } })), [
    'meta: must be at most 64 KB as JSON',
  ])
})

test("a client that does not exist, is deleted or is another company's is not found", async () => {
  const other = await api.company()
  const foreign = (await other.ok('POST /v1/clients', clientPayload())).id
  const deleted = (await newClient()).id
  const gone = await firm.call(`DELETE /v1/clients/${deleted}`)
  assert.deepEqual([gone.status, gone.body], [200, { message: 'client deleted successfully' }])
  for (const id of [foreign, deleted, 987_654_321]) {
    for (const [route, body] of [
      [`GET /v1/clients/${id}`],
      [`PUT /v1/clients/${id}`, clientPayload()],
      [`DELETE /v1/clients/${id}`],
    ] as const) {
      const answer = await firm.call(route, body)
      assert.deepEqual([answer.status, answer.body.message], [404, `client ${id} not found`], route)
    }
  }
  await other.ok(`GET /v1/clients/${foreign}`)
})

test('a deleted client is no longer linked to its cases, and the entry in the audit log says to which it was', async () => {
  const { id } = await newClient()
  const about = await newCase({ client_ids: [id] })
  await firm.ok(`DELETE /v1/clients/${id}`)
  assert.deepEqual((await firm.ok(`GET /v1/cases/${about}`)).client_ids, [])
  assert.deepEqual(
    await api.pool.one(sql`
      select changes from audit_log
      where company_id = ${firm.id} and client_id = ${id} and activity = 'client_deleted'`),
    { changes: { case_ids: { from: [about], to: [] } } },
  )
})

test('two updates of one client at the same time both succeed, and none is lost', async () => {
  const { id } = await newClient()
  const fields = [{ city: 'Reno' }, { state: 'NV' }, { gender: 'x' }, { postal_code: '89501' }]
  await Promise.all(fields.map((each) => firm.ok(`PUT /v1/clients/${id}`, clientPayload(each))))
  const client = await firm.ok(`GET /v1/clients/${id}`)
  for (const each of fields) for (const [name, value] of Object.entries(each)) assert.equal(client[name], value)
})
