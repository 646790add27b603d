import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { type Company, startApi } from '../../test/support/api.ts'
import { casePayload, clientPayload } from '../../test/support/payloads.ts'
import { consentAddresses, optOutAddresses } from './opt-out.ts'
import { type PermissionChannel, type PermissionPurpose, type PermissionSource, permissionOf } from './permissions.ts'

const api = await startApi()
const firm = await api.company()
let last = 100

const number = () => `+1212555${String(++last).padStart(4, '0')}`
const scope = (of: Company) => ({ db: api.pool, companyId: of.id })
const entry = (address: string, channel: PermissionChannel = 'call', purpose: PermissionPurpose = 'all') => ({
  address,
  channel,
  purpose,
  source: 'keyword' as PermissionSource,
})

async function person(fields: object = {}, of = firm): Promise<{ id: number; mobile: string }> {
  const mobile = number()
  const { id } = await of.ok('POST /v1/clients', clientPayload({ mobile, email: `p${last}@example.com`, ...fields }))
  return { id, mobile }
}

/** What the gate hears of a contact. */
async function judged(id: number, channel: 'call' | 'sms' | 'email' = 'call', purpose = 'case_update', of = firm) {
  const permission = permissionOf({
    channel: sql`${channel}::text`,
    address: sql`case ${channel} when 'email' then c.email else c.mobile_e164 end`,
    purpose: sql`${purpose}::text`,
  })
  const { suppressed, consented } = await api.pool.one<{ suppressed: boolean; consented: boolean }>(sql`
    select ${permission.columns} from clients c join companies co on co.id = c.company_id ${permission.join}
    where c.company_id = ${of.id} and c.id = ${id}`)
  return suppressed ? 'suppressed' : consented ? 'consented' : 'nothing'
}

const rowsOf = (address: string) =>
  api.pool.many<any>(sql`select * from permissions where company_id = ${firm.id} and address = ${address} order by id`)

test('of whom nothing is on record, nothing is known', async () => {
  const { id } = await person()
  assert.equal(await judged(id), 'nothing')
})

test('a suppression holds for its channel and purpose, "all" for every one', async () => {
  const { id, mobile } = await person()
  await optOutAddresses(scope(firm), [entry(mobile, 'sms', 'marketing')], 'system')
  assert.equal(await judged(id, 'sms', 'marketing'), 'suppressed')
  assert.equal(await judged(id, 'sms', 'case_update'), 'nothing')
  assert.equal(await judged(id, 'call', 'marketing'), 'nothing')
  await optOutAddresses(scope(firm), [entry(mobile, 'all')], 'system')
  for (const channel of ['call', 'sms'] as const)
    for (const purpose of ['case_update', 'marketing', 'survey'])
      assert.equal(await judged(id, channel, purpose), 'suppressed')
  assert.equal(await judged(id, 'email'), 'nothing')
})

test('the last word counts: a consent after a suppression lifts it for its channel and purpose, and no others', async () => {
  const { id, mobile } = await person()
  await optOutAddresses(scope(firm), [entry(mobile, 'all')], 'system')
  await consentAddresses(scope(firm), [entry(mobile, 'sms', 'case_update')], 'system')
  assert.equal(await judged(id, 'sms', 'case_update'), 'consented')
  assert.equal(await judged(id, 'sms', 'survey'), 'suppressed')
  assert.equal(await judged(id, 'call', 'case_update'), 'suppressed')
  await optOutAddresses(scope(firm), [entry(mobile, 'sms')], 'system')
  assert.equal(await judged(id, 'sms', 'case_update'), 'suppressed')
})

test('a STOP that arrives while consents are being written is the last word', async () => {
  const { id, mobile } = await person()
  await optOutAddresses(scope(firm), [entry(mobile)], 'system')
  const written = Promise.withResolvers<void>()
  const committing = Promise.withResolvers<void>()
  const consents = api.pool.transaction(async (db) => {
    await consentAddresses({ db, companyId: firm.id }, [{ ...entry(mobile), source: 'import' }], 'system')
    written.resolve()
    await committing.promise
  })
  await written.promise
  const stop = api.pool.transaction((db) => optOutAddresses({ db, companyId: firm.id }, [entry(mobile)], 'system'))
  await new Promise((resolve) => setTimeout(resolve, 200))
  committing.resolve()
  await Promise.all([consents, stop])
  assert.equal(await judged(id), 'suppressed')
  assert.equal((await firm.ok(`GET /v1/clients/${id}`)).voice_calls_opted_out, true)
})

test('a consent that is informational is none to marketing', async () => {
  const { id, mobile } = await person()
  await consentAddresses(scope(firm), [entry(mobile, 'call', 'informational')], 'system')
  assert.equal(await judged(id, 'call', 'intake'), 'consented')
  assert.equal(await judged(id, 'call', 'marketing'), 'nothing')
  await consentAddresses(scope(firm), [entry(mobile, 'call', 'marketing')], 'system')
  assert.equal(await judged(id, 'call', 'marketing'), 'consented')
})

test('what one firm was told says nothing to another, and its hashes are other hashes', async () => {
  const other = await api.company('Other firm')
  const { mobile } = await person()
  const { id } = await person({ mobile }, other)
  await optOutAddresses(scope(firm), [entry(mobile)], 'system')
  assert.equal(await judged(id, 'call', 'case_update', other), 'nothing')
  await optOutAddresses(scope(other), [entry(mobile)], 'system')
  const hashes = await api.pool.many(sql`select distinct address_hash from permissions where address = ${mobile}`)
  assert.equal(hashes.length, 2)
})

test('an opted-out address flags every contact that has it, and the audit log says so', async () => {
  const [one, same] = [await person(), await person()]
  await firm.ok(`PUT /v1/clients/${same.id}`, clientPayload({ mobile: one.mobile }))
  const { added, changes } = await optOutAddresses(scope(firm), [entry(one.mobile, 'sms')], 'system')
  assert.equal(added, 1)
  assert.deepEqual(
    changes.map((change) => [change.record_id, change.changes]).sort(),
    [one.id, same.id].map((id) => [id, { sms_opted_out: { from: false, to: true } }]),
  )
  const again = await optOutAddresses(scope(firm), [entry(one.mobile, 'sms'), entry(one.mobile, 'sms')], 'system')
  assert.deepEqual(again, { added: 0, changes: [] })
})

test('e-mail addresses are compared without regard to case', async () => {
  const { id } = await person({ email: 'Ana.Lee@Example.com' })
  await optOutAddresses(scope(firm), [entry(' ana.lee@EXAMPLE.com ', 'email')], 'system')
  assert.equal(await judged(id, 'email'), 'suppressed')
  assert.equal((await firm.ok(`GET /v1/clients/${id}`)).email_opted_out, true)
})

test('a flag set over the API suppresses the address of that contact, not of others who have it', async () => {
  const { id, mobile } = await person()
  const { id: partner } = await person({ mobile })
  await firm.ok('POST /v1/clients/bulk', { clients: [{ id, voice_calls_opted_out: true }] })
  assert.equal(await judged(id), 'suppressed')
  assert.equal(await judged(partner), 'nothing')
  const [row] = await rowsOf(mobile)
  assert.deepEqual(
    [row.kind, row.channel, row.purpose, row.source, row.origin, row.address_ending],
    [...['suppression', 'call', 'all', 'flag', 'public_api', mobile.slice(-4)]],
  )
})

for (const [how, remove] of Object.entries({
  'is deleted': (id: number) => firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id] }),
  'is erased': (id: number) => firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id], force: true }),
}))
  test(`once the contact ${how}, whoever comes with the address is suppressed`, async () => {
    const { id, mobile } = await person({ voice_calls_opted_out: true })
    await remove(id)
    const { id: back } = await person({ mobile })
    assert.equal(await judged(back), 'suppressed')
    assert.equal((await firm.ok(`GET /v1/clients/${back}`)).voice_calls_opted_out, false)
  })

test('an erased contact leaves a hash and the last digits, and neither address nor evidence', async () => {
  const { id, mobile } = await person({ sms_opted_out: true })
  const email = `p${last}@example.com`
  const proof = { ...entry(mobile, 'all'), evidence: { words: 'stop calling me, Ana Lee' } }
  await optOutAddresses(scope(firm), [proof, entry(email, 'email')], 'system')
  const before = await api.pool.one<{ n: number }>(sql`select count(*)::int as n from permissions`)
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id], force: true })
  const after = await api.pool.one<{ n: number; text: string }>(
    sql`select count(*)::int as n, string_agg(p::text, ' ') as text from permissions p`,
  )
  assert.equal(after.n, before.n)
  assert.ok(!after.text.includes(mobile) && !after.text.includes(email) && !after.text.includes('stop calling'))
  const { id: back } = await person({ mobile, email })
  for (const channel of ['call', 'sms', 'email'] as const) assert.equal(await judged(back, channel), 'suppressed')
})

test('an opt-out of a case is on record for its clients', async () => {
  const { id } = await person()
  await firm.ok('POST /v1/cases', casePayload({ client_ids: [id], opt_out_voice_calls: true }))
  assert.equal(await judged(id), 'suppressed')
  const later = await person()
  const filed = await firm.ok('POST /v1/cases', casePayload({ client_ids: [later.id] }))
  await firm.ok(`PUT /v1/cases/${filed.id}`, {
    ...casePayload(),
    case_number: filed.case_number,
    client_ids: [later.id],
    opt_out_voice_calls: true,
  })
  assert.equal(await judged(later.id), 'suppressed')
})

test('a flag that is cleared is a consent, except to marketing', async () => {
  const { id } = await person({ voice_calls_opted_out: true })
  await firm.ok(`PUT /v1/clients/${id}`, { ...clientPayload(), voice_calls_opted_out: false })
  assert.equal(await judged(id), 'consented')
  assert.equal(await judged(id, 'call', 'marketing'), 'suppressed')
})

for (const source of ['spoken', 'keyword', 'unsubscribe', 'carrier', 'import', 'person'] as const)
  test(`a record that is sent again with its flags cleared lifts nothing that came by ${source}; a consent does`, async () => {
    const { id, mobile } = await person()
    await optOutAddresses(scope(firm), [{ ...entry(mobile), source }], 'system')
    const before = await firm.ok(`GET /v1/clients/${id}`)
    assert.equal(before.voice_calls_opted_out, true)
    const stale = { ...before, voice_calls_opted_out: false, sms_opted_out: false, email_opted_out: false }
    await firm.ok(`PUT /v1/clients/${id}`, stale)
    await firm.ok('POST /v1/clients/bulk', { clients: [{ id, voice_calls_opted_out: false }] })
    assert.equal(await judged(id), 'suppressed')
    await consentAddresses(scope(firm), [entry(mobile, 'call', 'informational')], 'system')
    assert.equal(await judged(id), 'consented')
  })

test('clearing the flag of one contact lifts nobody else from the number: not who said so, and not who was deleted', async () => {
  const { id, mobile } = await person({ voice_calls_opted_out: true })
  const gone = await person({ voice_calls_opted_out: true })
  await firm.ok(`DELETE /v1/clients/${gone.id}`)
  const heard = number()
  await optOutAddresses(scope(firm), [{ ...entry(heard), source: 'spoken' }], 'system')
  for (const mobile of [gone.mobile, heard]) {
    await firm.ok(`PUT /v1/clients/${id}`, { ...clientPayload(), voice_calls_opted_out: true })
    await firm.ok(`PUT /v1/clients/${id}`, { ...clientPayload(), mobile, voice_calls_opted_out: false })
    assert.equal(await judged(id), 'suppressed')
  }
  await firm.ok(`PUT /v1/clients/${id}`, { ...clientPayload(), mobile })
  assert.equal(await judged(id), 'suppressed', 'what the flag said of the old number stands')
})

test('a flag that is sent again as it was lifts no suppression', async () => {
  const mobile = number()
  await optOutAddresses(scope(firm), [{ ...entry(mobile), source: 'import' }], 'system')
  const { id } = await person({ mobile, voice_calls_opted_out: false })
  await firm.ok(`PUT /v1/clients/${id}`, { ...clientPayload(), voice_calls_opted_out: false })
  await firm.ok(`PUT /v1/clients/${id}`, { ...clientPayload(), voice_calls_opted_out: null })
  assert.equal(await judged(id), 'suppressed')
})

test('nobody is written to at a suppressed address, over the API either', async () => {
  const mobile = number()
  await optOutAddresses(scope(firm), [{ ...entry(mobile, 'sms'), source: 'import' }], 'system')
  const { id: client_id } = await person({ mobile })
  const { id: case_id } = await firm.ok('POST /v1/cases', casePayload({ client_ids: [client_id] }))
  const answer = await firm.call('POST /v1/cases/communication/sms', { case_id, client_id, message: 'Hello' })
  assert.equal(answer.status, 400)
  assert.match(answer.body.message, /suppression list/)
  await firm.ok('POST /v1/cases/communication/email', { case_id, client_id, subject: 'Hello', message: 'Hello' })
})

test('PostgreSQL itself refuses to change or delete what is on record', async () => {
  const { mobile } = await person({ sms_opted_out: true })
  for (const statement of [
    sql`update permissions set purpose = 'marketing' where address = ${mobile}`,
    sql`update permissions set address = null, evidence = null, kind = 'consent' where address = ${mobile}`,
    sql`delete from permissions where address = ${mobile}`,
    sql`truncate permissions`,
  ])
    await assert.rejects(api.pool.run(statement), /append-only/)
  assert.equal((await rowsOf(mobile)).length, 1)
})

test('the record is append-only: no statement of the service changes or deletes a permission, but for erasing', () => {
  const root = new URL('../', import.meta.url)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const changing = files.flatMap((file) =>
    [...readFileSync(new URL(file, root), 'utf8').matchAll(/(update|delete from|truncate)\s+permissions\b.*/g)].map(
      ([statement]) => `${file}: ${statement}`,
    ),
  )
  assert.deepEqual(changing, [
    'compliance/permissions.ts: update permissions q set address = null, evidence = null, evidence_nonce = null',
  ])
})
