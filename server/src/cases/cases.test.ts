import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()

const newClient = async (fields?: object): Promise<number> =>
  (await firm.ok('POST /v1/clients', clientPayload(fields))).id
const newCase = (fields?: object) => firm.ok('POST /v1/cases', casePayload(fields))
const optedOut = async (id: number): Promise<boolean> => (await firm.ok(`GET /v1/clients/${id}`)).voice_calls_opted_out
const audit = (caseId: number) =>
  api.pool.many<{ activity: string; channel: string; changes: object }>(
    sql`select activity, channel, changes from audit_log where company_id = ${firm.id} and case_id = ${caseId} order by id`,
  )

/** The fields and sentences of a refusal. */
async function refused(route: string, body: unknown) {
  const answer = await firm.call(route, body)
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
  return answer.body.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`)
}

test('a case is created with its clients and answered as it is read', async () => {
  const client = await newClient()
  const sent = {
    case_number: 'A-1',
    external_source: 'clio',
    external_source_id: 'x1',
    external_source_data: { matter: { id: 7 } },
    name: 'Lee v. Acme',
    court_name: 'Kings County',
    jurisdiction: 'NY',
    description: 'Slip and fall',
    is_obo: true,
    created_date: '2026-01-02',
    court_date: '2026-03-02',
    end_date: '2027-01-01',
    opt_out_voice_calls: false,
  }
  const created = await firm.call('POST /v1/cases', {
    ...sent,
    status: 'active',
    type: 'civil',
    client_ids: [client, client],
  })
  assert.equal(created.status, 201)
  assert.deepEqual(created.body, {
    id: created.body.id,
    ...sent,
    status: 'active',
    type: 'civil',
    client_ids: [client],
    call_opted_out: false,
    sms_opted_out: false,
    email_opted_out: false,
    origin: 'public_api',
    update_origin: null,
  })
  assert.deepEqual(await firm.ok(`GET /v1/cases/${created.body.id}`), created.body)
  assert.deepEqual((await firm.ok(`GET /v1/clients/${client}`)).case_ids, [created.body.id])
})

test('what was read can be sent back and changes nothing but update_origin', async () => {
  const before = await newCase({ name: 'Same', client_ids: [await newClient()] })
  assert.deepEqual(await firm.ok(`PUT /v1/cases/${before.id}`, before), { ...before, update_origin: 'public_api' })
  assert.deepEqual(
    (await audit(before.id)).map(({ activity }) => activity),
    ['case_created'],
  )
  const copy = await newCase({ ...before, case_number: 'copy of a read record' })
  assert.notEqual(copy.id, before.id)
})

test('rule 1: PUT is a full replacement: every optional field that is omitted is set to null', async () => {
  const client = await newClient()
  const optional = {
    external_source_data: { a: 1 },
    name: 'n',
    court_name: 'c',
    jurisdiction: 'j',
    description: 'd',
    is_obo: true,
    created_date: '2026-01-02',
    court_date: '2026-03-02',
    end_date: '2027-01-01',
    opt_out_voice_calls: true,
  }
  const { id, case_number } = await newCase({ ...optional, client_ids: [client] })
  const replaced = await firm.ok(`PUT /v1/cases/${id}`, casePayload({ case_number }))
  for (const field of Object.keys(optional)) assert.equal(replaced[field], null, field)
  assert.deepEqual(replaced.client_ids, [])
  assert.equal(replaced.update_origin, 'public_api')
  assert.deepEqual(await firm.ok(`GET /v1/cases/${id}`), replaced)
  const [, update] = await audit(id)
  assert.equal(update!.activity, 'case_updated')
  assert.deepEqual((update!.changes as any).name, { from: 'n', to: null })
})

test('PUT needs every required field', async () => {
  const { id } = await newCase()
  assert.deepEqual(await refused(`PUT /v1/cases/${id}`, { name: 'x' }), [
    'case_number: is required',
    'external_source: is required',
    'external_source_id: is required',
    'status: is required',
    'type: is required',
  ])
})

test('rule 2: client_ids replaces the existing client links on create and update', async () => {
  const [a, b, c] = [await newClient(), await newClient(), await newClient()]
  const { id, case_number } = await newCase({ client_ids: [b, a] })
  const put = async (fields: object) =>
    (await firm.ok(`PUT /v1/cases/${id}`, casePayload({ case_number, ...fields }))).client_ids
  assert.deepEqual(await put({ client_ids: [c, b] }), [b, c])
  assert.deepEqual((await firm.ok(`GET /v1/clients/${a}`)).case_ids, [])
  assert.deepEqual(await put({ client_ids: null }), [])
  assert.deepEqual(await put({ client_ids: [a] }), [a])
  assert.deepEqual(await put({ client_ids: [] }), [])
})

test('client ids that do not exist, are deleted or belong to another company are named and nothing is saved', async () => {
  const other = await api.company()
  const [foreign, deleted, mine] = [
    (await other.ok('POST /v1/clients', clientPayload())).id,
    await newClient(),
    await newClient(),
  ]
  await firm.ok(`DELETE /v1/clients/${deleted}`)
  const payload = casePayload({ client_ids: [mine, foreign, deleted, foreign] })
  assert.deepEqual(await refused('POST /v1/cases', payload), [`client_ids: no such client: ${foreign}, ${deleted}`])
  await newCase({ case_number: payload.case_number })
})

test('rule 3: opt_out_voice_calls true marks all linked clients as opted out of voice calls', async () => {
  const [a, b, c] = [await newClient(), await newClient(), await newClient()]
  const { id, case_number } = await newCase({ client_ids: [a] })
  assert.equal(await optedOut(a), false)
  const payload = casePayload({ case_number, opt_out_voice_calls: true })
  await firm.ok(`PUT /v1/cases/${id}`, { ...payload, client_ids: [a, b] })
  assert.deepEqual([await optedOut(a), await optedOut(b), await optedOut(c)], [true, true, false])
  // Also those linked later, from either side.
  await firm.ok(`PUT /v1/clients/${c}`, clientPayload({ case_ids: [id] }))
  assert.equal(await optedOut(c), true)
  const linkedOnCreate = await newClient({ case_ids: [id] })
  assert.equal(await optedOut(linkedOnCreate), true)
  const d = await newClient()
  await newCase({ opt_out_voice_calls: true, client_ids: [d] })
  assert.equal(await optedOut(d), true)
})

test('opt_out_voice_calls that stays true does not override a later explicit opt-in', async () => {
  const client = await newClient()
  const created = await newCase({ opt_out_voice_calls: true, client_ids: [client] })
  await firm.ok(`PUT /v1/clients/${client}`, clientPayload({ voice_calls_opted_out: false }))
  await firm.ok(`PUT /v1/cases/${created.id}`, { ...created, name: 'renamed' })
  assert.equal(await optedOut(client), false)
  await firm.ok(`PUT /v1/cases/${created.id}`, { ...created, opt_out_voice_calls: false })
  assert.equal(await optedOut(client), false)
  await firm.ok(`PUT /v1/cases/${created.id}`, created)
  assert.equal(await optedOut(client), true)
})

test('a client who is no longer linked when the flag is set is left alone', async () => {
  const client = await newClient()
  const created = await newCase({ client_ids: [client] })
  await firm.ok(`PUT /v1/cases/${created.id}`, { ...created, opt_out_voice_calls: true, client_ids: [] })
  assert.equal(await optedOut(client), false)
})

test('an opt-out by the case is in the audit log of each client it changed', async () => {
  const [fresh, already] = [await newClient(), await newClient({ voice_calls_opted_out: true })]
  await newCase({ opt_out_voice_calls: true, client_ids: [fresh, already] })
  const entries = await api.pool.many(sql`
    select client_id, changes from audit_log
    where company_id = ${firm.id} and client_id = any(${[fresh, already]}) and activity = 'client_updated'`)
  assert.deepEqual(entries, [{ client_id: fresh, changes: { voice_calls_opted_out: { from: false, to: true } } }])
})

test('call_opted_out and its siblings are true only when all clients of a case with clients opted out', async () => {
  const out = { voice_calls_opted_out: true, sms_opted_out: true, email_opted_out: true }
  const flags = async (client_ids: number[]) => {
    const { id } = await newCase({ client_ids })
    const { call_opted_out, sms_opted_out, email_opted_out } = await firm.ok(`GET /v1/cases/${id}`)
    return [call_opted_out, sms_opted_out, email_opted_out]
  }
  assert.deepEqual(await flags([]), [false, false, false])
  assert.deepEqual(await flags([await newClient(out), await newClient(out)]), [true, true, true])
  assert.deepEqual(await flags([await newClient(out), await newClient()]), [false, false, false])
  assert.deepEqual(await flags([await newClient(out), await newClient({ sms_opted_out: true })]), [false, true, false])
})

test('status and type match without regard to case and are answered in the configured spelling', async () => {
  const created = await newCase({ status: 'PENDING', type: 'Personal Injury' })
  assert.deepEqual([created.status, created.type], ['pending', 'personal injury'])
})

test('an unknown status or type is refused with the configured ones and the nearest', async () => {
  assert.deepEqual(await refused('POST /v1/cases', casePayload({ status: 'Actve', type: 'zzz' })), [
    "status: no case status 'Actve'; did you mean 'active'? Configured: new, open, active, pending, settled, closed",
    "type: no case type 'zzz'. Configured: civil, criminal, employment, estate, family, immigration, personal injury",
  ])
})

test('the types and statuses of another company are unknown', async () => {
  const other = await api.company()
  await api.pool.run(sql`insert into case_statuses (company_id, name) values (${other.id}, 'Ours alone')`)
  await other.ok('POST /v1/cases', casePayload({ status: 'ours ALONE' }))
  const [message] = await refused('POST /v1/cases', casePayload({ status: 'ours alone' }))
  assert.match(message, /^status: no case status 'ours alone'/)
})

test('external_source is one of a static list', async () => {
  const [message] = await refused('POST /v1/cases', casePayload({ external_source: 'napkin' }))
  assert.match(message, /^external_source: must be one of manual, import, other, .*, zapier$/)
})

test('a case number is unique in the company: the case that has it is named', async () => {
  const first = await newCase()
  const second = await newCase()
  const { case_number } = first
  const taken = [`case_number: '${case_number}' is already the number of case ${first.id}`]
  assert.deepEqual(await refused('POST /v1/cases', casePayload({ case_number })), taken)
  assert.deepEqual(await refused(`PUT /v1/cases/${second.id}`, casePayload({ case_number })), taken)
  const other = await api.company()
  await other.ok('POST /v1/cases', casePayload({ case_number }))
})

test('of two requests that want the same number at the same time one is refused, with the case that has it', async () => {
  const [a, b] = [await newCase(), await newCase()]
  for (let round = 0; round < 10; round++) {
    const payload = casePayload()
    const answers = await Promise.all([
      firm.call('POST /v1/cases', payload),
      firm.call('POST /v1/cases', payload),
      firm.call(`PUT /v1/cases/${a.id}`, payload),
      firm.call(`PUT /v1/cases/${b.id}`, payload),
      firm.call('POST /v1/cases/bulk', { cases: [payload] }),
    ])
    const winners = answers.filter(({ status }) => status < 300)
    assert.equal(winners.length, 1)
    const winner = winners[0]!.body.id ?? winners[0]!.body.cases[0].id
    for (const { status, body } of answers.filter((answer) => !winners.includes(answer))) {
      assert.equal(status, 400)
      assert.match(body.details[0].message, new RegExp(`is already the number of case ${winner}$`))
    }
  }
})

test('two replacements of one case at the same time both succeed, one after the other', async () => {
  const created = await newCase()
  const answers = await Promise.all(
    ['closed', 'open', 'pending'].map((status) => firm.call(`PUT /v1/cases/${created.id}`, { ...created, status })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
})

test('every broken rule is told at once', async () => {
  const taken = await newCase()
  const payload = casePayload({ case_number: taken.case_number, status: 'x', type: 'y', client_ids: [999_999] })
  const fields = (await refused('POST /v1/cases', payload)).map((line: string) => line.split(':')[0])
  assert.deepEqual(fields, ['case_number', 'status', 'type', 'client_ids'])
})

test('fine print: blanks become null, required text must not be blank, dates are real, unknown fields are named', async () => {
  const created = await newCase({ name: ' ', court_name: '', description: '  kept ' })
  assert.deepEqual([created.name, created.court_name, created.description], [null, null, '  kept '])
  assert.deepEqual(
    await refused('POST /v1/cases', casePayload({ case_number: ' ', court_date: '2026-02-30', descripton: 'x' })),
    [
      "descripton: unknown field; did you mean 'description'?",
      'case_number: must not be blank',
      'court_date: must be a real date, YYYY-MM-DD',
    ],
  )
  assert.deepEqual(await refused('POST /v1/cases', casePayload({ is_obo: 'yes', status: null, client_ids: ['1'] })), [
    'status: must not be null; it must be a string',
    'is_obo: must be a boolean',
    'client_ids[0]: must be an integer',
  ])
  assert.deepEqual(await refused('POST /v1/cases', casePayload({ name: 'a\0b' })), [
    'name: must not contain the NUL character',
  ])
})

test('external_source_data holds at most 64 KB and is replaced as a whole', async () => {
  const big = { text: 'é'.repeat(33_000) }
  assert.deepEqual(await refused('POST /v1/cases', casePayload({ external_source_data: big })), [
    'external_source_data: must be at most 64 KB as JSON',
  ])
  const created = await newCase({ external_source_data: { a: 1, b: 2 } })
  const replaced = await firm.ok(`PUT /v1/cases/${created.id}`, { ...created, external_source_data: { c: 3 } })
  assert.deepEqual(replaced.external_source_data, { c: 3 })
})

test("a case that does not exist, is deleted or is another company's is not found", async () => {
  const other = await api.company()
  const foreign = (await other.ok('POST /v1/cases', casePayload())).id
  const deleted = (await newCase()).id
  await firm.ok(`DELETE /v1/cases/${deleted}`)
  for (const id of [foreign, deleted, 987_654_321]) {
    for (const [route, body] of [
      [`GET /v1/cases/${id}`],
      [`PUT /v1/cases/${id}`, casePayload({ status: 'nonsense' })],
      [`DELETE /v1/cases/${id}`],
    ] as const) {
      const answer = await firm.call(route, body)
      assert.equal(answer.status, 404, route)
      assert.equal(answer.body.message, `case ${id} not found`)
    }
  }
  await other.ok(`GET /v1/cases/${foreign}`)
})
