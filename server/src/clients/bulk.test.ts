import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'

const api = await startApi()
const firm = await api.company()

const newClient = (fields?: object) => firm.ok('POST /v1/clients', clientPayload(fields))
const newCase = async (fields?: object): Promise<number> => (await firm.ok('POST /v1/cases', casePayload(fields))).id
const bulk = (clients: unknown[]) => firm.ok('POST /v1/clients/bulk', { clients })
const optedOut = async (id: number): Promise<boolean> => (await firm.ok(`GET /v1/clients/${id}`)).voice_calls_opted_out
const remove = async (client_ids: number[], force?: boolean) =>
  (await firm.ok('POST /v1/clients/bulk_delete', { client_ids, force })).deleted_ids

test('entries without id are created, entries with id updated, all answered in input order', async () => {
  const about = await newCase()
  const old = await newClient({ city: 'Reno', mobile: '2125550123' })
  const answer = await bulk([
    clientPayload({ first_name: 'First' }),
    { id: old.id, state: 'NV' },
    clientPayload({ id: null, case_ids: [about] }),
  ])
  const [first, second, third] = answer.clients
  assert.deepEqual(answer.successful_ids, [first.id, old.id, third.id])
  assert.deepEqual(answer.failed, [])
  assert.deepEqual([first.first_name, first.update_origin, third.case_ids], ['First', null, [about]])
  assert.deepEqual(second, { ...old, state: 'NV', update_origin: 'public_api' })
  for (const client of answer.clients) assert.deepEqual(await firm.ok(`GET /v1/clients/${client.id}`), client)
})

test('rule 2: an entry with id is a partial update: no field is required', async () => {
  const old = await newClient({ city: 'Reno', meta: { a: 1 } })
  const { clients } = await bulk([{ id: old.id }, { id: (await newClient()).id, meta: null }])
  assert.deepEqual(clients[0], { ...old, update_origin: 'public_api' })
})

test('rule 2: outcomes are per entry: good ones are saved when others fail', async () => {
  const other = await api.company()
  const foreign = (await other.ok('POST /v1/clients', clientPayload())).id
  const old = await newClient()
  const answer = await firm.call('POST /v1/clients/bulk', {
    clients: [
      clientPayload(),
      { first_name: 'x', mobil: '1' },
      'text',
      { id: 987_654, city: 'x' },
      { id: foreign, city: 'x', case_ids: [987_654] },
      { id: 'one' },
      clientPayload({ case_ids: [987_654] }),
      { id: old.id, city: 'Reno' },
      { id: old.id, city: 'Elko' },
      clientPayload({ city: 'a\0' }),
      null,
    ],
  })
  assert.equal(answer.status, 200)
  const { clients, successful_ids, failed } = answer.body
  assert.deepEqual(successful_ids, [clients[0].id, old.id])
  assert.equal(clients[1].city, 'Reno')
  assert.deepEqual(
    failed.map(({ index, id, error, message }: any) => [index, id, error, message]),
    [
      [1, null, 'bad request', 'external_source: is required'],
      [2, null, 'bad request', 'clients[2]: must be an object'],
      [3, 987_654, 'not found', 'client 987654 not found'],
      [4, foreign, 'not found', `client ${foreign} not found`],
      [5, null, 'bad request', 'id: must be an integer'],
      [6, null, 'bad request', 'case_ids: no such case: 987654'],
      [8, old.id, 'bad request', `id: client ${old.id} is named by an earlier entry of this request`],
      [9, null, 'bad request', 'city: must not contain the NUL character'],
      [10, null, 'bad request', 'clients[10]: must be an object'],
    ],
  )
  assert.deepEqual(failed[0].details.map(({ field }: any) => field).sort(), [
    'external_source',
    'external_source_id',
    'last_name',
    'mobil',
  ])
})

test('the status is 200 also when every entry fails; an empty batch or one of more than 5,000 is refused', async () => {
  const answer = await firm.call('POST /v1/clients/bulk', { clients: [{}, 7] })
  assert.equal(answer.status, 200)
  assert.deepEqual([answer.body.clients, answer.body.successful_ids, answer.body.failed.length], [[], [], 2])
  for (const [clients, message] of [
    [[], 'must not be empty'],
    [Array.from({ length: 5001 }, () => ({})), 'must have at most 5000 entries'],
  ] as const) {
    const { status, body } = await firm.call('POST /v1/clients/bulk', { clients })
    assert.deepEqual([status, body.details], [400, [{ field: 'clients', message }]])
  }
})

test('rule 3: voice_calls_opted_out applies the opt-out across linked clients and cases', async () => {
  const [a, b, c, stranger] = [await newClient(), await newClient(), await newClient(), await newClient()]
  const [ab, bc] = [await newCase({ client_ids: [a.id, b.id] }), await newCase({ client_ids: [b.id, c.id] })]
  const fresh = await newCase({ client_ids: [stranger.id] })
  const { clients } = await bulk([
    { id: a.id, voice_calls_opted_out: true },
    clientPayload({ voice_calls_opted_out: true, case_ids: [fresh] }),
  ])
  assert.deepEqual(
    clients.map((client: any) => client.voice_calls_opted_out),
    [true, true],
  )
  assert.deepEqual([await optedOut(b.id), await optedOut(c.id), await optedOut(stranger.id)], [true, false, true])
  const flags = await Promise.all([ab, bc, fresh].map((id) => firm.ok(`GET /v1/cases/${id}`)))
  assert.deepEqual(
    flags.map(({ opt_out_voice_calls, call_opted_out }) => [opt_out_voice_calls, call_opted_out]),
    [
      [true, true],
      [null, false],
      [true, true],
    ],
  )
  const changed = await api.pool.many<{ activity: string; id: number }>(sql`
    select activity, coalesce(client_id, case_id) as id from audit_log
    where company_id = ${firm.id} and changes ?| array['voice_calls_opted_out', 'opt_out_voice_calls'] order by activity, id`)
  assert.deepEqual(changed, [
    { activity: 'case_updated', id: ab },
    { activity: 'case_updated', id: fresh },
    { activity: 'client_updated', id: a.id },
    { activity: 'client_updated', id: b.id },
    { activity: 'client_updated', id: stranger.id },
  ])
})

test("false clears the client's own flag only: it never undoes somebody else's opt-out", async () => {
  const [a, b] = [await newClient(), await newClient()]
  const about = await newCase({ client_ids: [a.id, b.id], opt_out_voice_calls: true })
  await bulk([{ id: a.id, voice_calls_opted_out: false }])
  assert.deepEqual([await optedOut(a.id), await optedOut(b.id)], [false, true])
  assert.equal((await firm.ok(`GET /v1/cases/${about}`)).opt_out_voice_calls, true)
})

test('a PUT of one client does not spread its opt-out', async () => {
  const [a, b] = [await newClient(), await newClient()]
  await newCase({ client_ids: [a.id, b.id] })
  await firm.ok(`PUT /v1/clients/${a.id}`, clientPayload({ voice_calls_opted_out: true }))
  assert.deepEqual([await optedOut(a.id), await optedOut(b.id)], [true, false])
})

test('bulk delete names only what was really deleted', async () => {
  const other = await api.company()
  const foreign = (await other.ok('POST /v1/clients', clientPayload())).id
  const [a, b] = [(await newClient()).id, (await newClient()).id]
  assert.deepEqual(await remove([b, foreign, 987_654, a, a]), [a, b])
  assert.deepEqual(await remove([a, b]), [])
  await other.ok(`GET /v1/clients/${foreign}`)
  assert.equal((await firm.call('POST /v1/clients/bulk_delete', { client_ids: [] })).status, 400)
})

test('a soft delete keeps the row, force erases it and the personal data, also of a client deleted before', async () => {
  const secret = 'Zebediah'
  const [soft, hard] = [await newClient({ first_name: secret }), await newClient({ first_name: secret })]
  const about = await newCase({ client_ids: [soft.id, hard.id] })
  await firm.ok(`PUT /v1/clients/${hard.id}`, clientPayload({ first_name: `${secret} II`, mobile: '2125550123' }))
  await firm.ok('POST /v1/cases/communication/sms', {
    case_id: about,
    client_id: hard.id,
    message: 'Hi {{first_name}}',
  })
  assert.deepEqual(await remove([soft.id]), [soft.id])
  assert.deepEqual(await remove([hard.id], true), [hard.id])
  const traces = async (id: number) =>
    api.pool.one(sql`
      select (select count(*)::int from clients where company_id = ${firm.id} and id = ${id}) as rows,
        (select count(*)::int from messages where company_id = ${firm.id} and client_id = ${id}) as messages,
        (select count(*)::int from audit_log where company_id = ${firm.id} and client_id = ${id}
          and changes::text like ${`%${secret}%`}) as audit`)
  assert.deepEqual(await traces(soft.id), { rows: 1, messages: 0, audit: 0 })
  assert.deepEqual(await traces(hard.id), { rows: 0, messages: 0, audit: 0 })
  assert.deepEqual(await remove([soft.id], true), [soft.id])
  assert.deepEqual(await traces(soft.id), { rows: 0, messages: 0, audit: 0 })
  assert.deepEqual((await firm.ok(`GET /v1/cases/${about}`)).client_ids, [])
})

test("force erases a client's notes with their attachments, but not one that another note shows", async () => {
  const [gone, kept] = [(await newClient()).id, (await newClient()).id]
  await api.pool.run(sql`
    insert into attachments (company_id, ulid, file_name, content_type, content)
    select ${firm.id}, ulid, 'a.txt', 'text/plain', 'x' from unnest(array['OWN', 'SHARED', 'OTHER']) as u (ulid)`)
  await api.pool.run(sql`
    insert into notes (company_id, ulid, body, type, client_id, attachment_ulids, origin) values
      (${firm.id}, 'N1', 'b', 'client', ${gone}, array['OWN', 'SHARED'], 'mcp'),
      (${firm.id}, 'N2', 'b', 'client', ${kept}, array['SHARED', 'OTHER'], 'mcp')`)
  await remove([gone], true)
  assert.deepEqual(await api.pool.many(sql`select ulid from notes where company_id = ${firm.id}`), [{ ulid: 'N2' }])
  assert.deepEqual(await api.pool.many(sql`select ulid from attachments where company_id = ${firm.id} order by ulid`), [
    { ulid: 'OTHER' },
    { ulid: 'SHARED' },
  ])
})

test('a client who is being called is not erased', async () => {
  const [client, about] = [(await newClient()).id, await newCase()]
  await api.pool.run(sql`
    insert into agents (company_id, id, name, voice_id, greeting, task) values (${firm.id}, 'agent_1', 'a', 'v', 'g', 't')`)
  await api.pool.run(sql`
    with list as (
      insert into case_lists (company_id, name, origin) values (${firm.id}, 'l', 'system') returning id
    ), campaign as (
      insert into campaigns (company_id, name, case_list_id, callback_delays, status, origin)
      select ${firm.id}, 'c', id, '[]', 'active', 'system' from list returning id
    )
    insert into calls (company_id, campaign_id, client_id, case_id, agent_id, attempt, state, provider, to_number, decision, created_at)
    select ${firm.id}, id, ${client}, ${about}, 'agent_1', 1, 'live', 'sandbox', '+12125550123', '{}', now() from campaign`)
  assert.deepEqual(await remove([client], true), [])
  await firm.ok(`GET /v1/clients/${client}`)
  await api.pool.run(sql`update calls set state = 'ended' where company_id = ${firm.id} and client_id = ${client}`)
  assert.deepEqual(await remove([client], true), [client])
})
