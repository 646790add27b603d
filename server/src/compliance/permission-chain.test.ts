import assert from 'node:assert/strict'
import { test } from 'node:test'
import sql, { raw, type Sql } from 'sql-template-tag'
import { type Company, startApi } from '../../test/support/api.ts'
import { clientPayload } from '../../test/support/payloads.ts'
import { consentAddresses, optOutAddresses } from './opt-out.ts'
import { checkChain } from './permission-chain.ts'
import { selectHistory } from './permission-history.ts'
import { historyPage, historyText } from './permission-page.ts'
import type { PermissionSource } from './permissions.ts'

const api = await startApi()
let last = 100
const number = () => `+1212555${String(++last).padStart(4, '0')}`
const scope = (of: Company, db: typeof api.pool | any = api.pool) => ({ db, companyId: of.id })
const entry = (address: string, evidence: Record<string, unknown> | null = null) => ({
  address,
  channel: 'call' as const,
  purpose: 'all',
  source: 'person' as PermissionSource,
  evidence,
})
const idOf = async (firm: Company, address: string) =>
  (
    await api.pool.one<{ id: number }>(sql`
    select max(id) as id from permissions where company_id = ${firm.id} and address = ${address}`)
  ).id

/** As somebody who owns the database could. */
async function tamper(...statements: Sql[]) {
  await api.pool.transaction(async (db) => {
    const guards = (state: string) =>
      db.run(sql`
        do ${raw(`$$ begin
          alter table permissions ${state} trigger user;
          alter table permission_links ${state} trigger user;
        end $$`)}`)
    await guards('disable')
    for (const statement of statements) await db.run(statement)
    await guards('enable')
  })
}

async function firmWith(records: number): Promise<{ firm: Company; numbers: string[] }> {
  const firm = await api.company()
  const numbers = Array.from({ length: records }, number)
  for (const each of numbers)
    await optOutAddresses(scope(firm), [entry(each, { words: `no more to ${each}` })], 'system')
  return { firm, numbers }
}

test('every consent and every opt-out is a link of its company, each naming the one before it', async () => {
  const { firm, numbers } = await firmWith(2)
  await consentAddresses(scope(firm), [entry(numbers[0]!)], 'system')
  await firm.ok('POST /v1/clients', clientPayload({ mobile: number(), sms_opted_out: true }))
  const links = await api.pool.many<{ position: number; kind: string; chained: boolean }>(sql`
    select l.position, p.kind, l.hash = sha256(coalesce(b.hash, '') || permission_content(p, l.evidence_hash)) as chained
    from permission_links l
    join permissions p on p.company_id = l.company_id and p.id = l.permission_id
    left join permission_links b on b.company_id = l.company_id and b.position = l.position - 1
    where l.company_id = ${firm.id} order by l.position`)
  assert.deepEqual(links, [
    { position: 1, kind: 'suppression', chained: true },
    { position: 2, kind: 'suppression', chained: true },
    { position: 3, kind: 'consent', chained: true },
    { position: 4, kind: 'suppression', chained: true },
  ])
  const { records, broken, head } = await checkChain(scope(firm))
  assert.deepEqual([records, broken, head.position], [4, null, 4])
})

for (const [what, problem, change] of [
  [
    'says something else',
    'it is not what was written',
    (id) => sql`update permissions set purpose = 'marketing' where id = ${id}`,
  ],
  [
    'is dated back',
    'it is not what was written',
    (id) => sql`update permissions set created_at = created_at - interval '1 day' where id = ${id}`,
  ],
  [
    'is another number',
    'its address was changed',
    (id) => sql`update permissions set address = '+12125559999' where id = ${id}`,
  ],
  [
    'has other evidence',
    'its evidence was changed',
    (id) => sql`update permissions set evidence = '{"words": "yes"}' where id = ${id}`,
  ],
  ['is deleted', 'the record is missing', (id) => sql`delete from permissions where id = ${id}`],
  [
    'is deleted with its link',
    'the link is missing',
    (id) =>
      sql`with gone as (delete from permissions where id = ${id} returning id) delete from permission_links l using gone where l.permission_id = gone.id`,
  ],
] as [string, string, (id: number) => Sql][])
  test(`the check names the first record that ${what}`, async () => {
    const { firm, numbers } = await firmWith(5)
    const ids = await Promise.all(numbers.map((each) => idOf(firm, each)))
    await tamper(change(ids[2]!), sql`update permissions set source = 'import' where id = ${ids[3]!}`)
    const { broken, records } = await checkChain(scope(firm))
    assert.deepEqual(broken, { position: 3, permission_id: problem === 'the link is missing' ? null : ids[2], problem })
    assert.equal(records, 2)
  })

test('the check notices an end that was cut off, and a record that was slipped in', async () => {
  const { firm, numbers } = await firmWith(3)
  const id = await idOf(firm, numbers[2]!)
  await tamper(
    sql`delete from permissions where id = ${id}`,
    sql`delete from permission_links where permission_id = ${id}`,
  )
  assert.equal((await checkChain(scope(firm))).broken?.problem, 'the link is missing')
  const other = await firmWith(2)
  await tamper(sql`
    insert into permissions (company_id, kind, channel, purpose, address_hash, address, source, origin)
    select company_id, 'consent', channel, purpose, address_hash, address, source, origin from permissions
    where id = ${await idOf(other.firm, other.numbers[0]!)}`)
  assert.equal((await checkChain(scope(other.firm))).broken?.problem, 'the record is not part of the chain')
})

test('a link that somebody noted tells a chain that was forged as a whole', async () => {
  const { firm, numbers } = await firmWith(3)
  const noted = (await checkChain(scope(firm))).head
  await optOutAddresses(scope(firm), [entry(number())], 'system')
  assert.equal((await checkChain(scope(firm), noted)).broken, null)
  const id = await idOf(firm, numbers[1]!)
  const mine = sql`company_id = ${firm.id}`
  await tamper(
    sql`update permissions set kind = 'consent' where id = ${id}`,
    sql`update permission_links l set hash = f.hash from (
      select l.position, chained(permission_content(p, l.evidence_hash), '') over (order by l.position) as hash
      from permission_links l join permissions p on p.company_id = l.company_id and p.id = l.permission_id where l.${mine}
    ) f where l.${mine} and l.position = f.position`,
    sql`update permission_chains h set hash = l.hash from permission_links l where h.${mine} and l.${mine} and l.position = h.position`,
  )
  assert.equal((await checkChain(scope(firm))).broken, null, 'in itself it is a chain')
  const { broken } = await checkChain(scope(firm), noted)
  assert.equal(broken?.problem, 'its hash is not the one that was noted')
  const beyond = await checkChain(scope(firm), { position: 99, hash: noted.hash })
  assert.equal(beyond.broken?.problem, 'the link that was noted is missing')
})

test('opt-outs at the same moment, on many connections and of several companies, make one chain each', async () => {
  const firms = await Promise.all([api.company(), api.company(), api.company()])
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      api.pool.transaction(async (db) => {
        // Two companies in one transaction, in either order.
        const [one, other] = n % 2 ? [firms[n % 3]!, firms[(n + 1) % 3]!] : [firms[(n + 1) % 3]!, firms[n % 3]!]
        await optOutAddresses(scope(one, db), [entry(number())], 'system')
        await optOutAddresses(scope(other, db), [entry(number()), entry(number())], 'system')
      }),
    ),
  )
  const checked = await Promise.all(firms.map((firm) => checkChain(scope(firm))))
  assert.deepEqual(
    checked.map(({ broken }) => broken),
    [null, null, null],
  )
  assert.equal(
    checked.reduce((sum, { records }) => sum + records, 0),
    180,
  )
})

test('a long import holds up nobody who opts out meanwhile, and what is rolled back leaves no gap', async () => {
  const { firm } = await firmWith(1)
  await assert.rejects(
    api.pool.transaction(async (db) => {
      await optOutAddresses(scope(firm, db), [entry(number())], 'system')
      // On another connection, while the first has written and not committed.
      await optOutAddresses(scope(firm), [entry(number())], 'system')
      throw new Error('stopped')
    }),
    /stopped/,
  )
  const { records, broken, head } = await checkChain(scope(firm))
  assert.deepEqual([records, broken, head.position], [2, null, 2])
  const { n } = await api.pool.one<{ n: number }>(sql`select count(*)::int as n from permission_batches`)
  assert.equal(n, 0)
})

test('erasing a contact keeps the chain whole, and takes what could tell who it was', async () => {
  const { firm } = await firmWith(1)
  const mobile = number()
  const { id } = await firm.ok('POST /v1/clients', clientPayload({ mobile, email: null, sms_opted_out: true }))
  await optOutAddresses(scope(firm), [entry(mobile, { words: 'stop, says Ana', ip: '192.0.2.7' })], 'system')
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id], force: true })
  const { records, erased, broken } = await checkChain(scope(firm))
  assert.deepEqual([records, erased, broken], [3, 2, null])
  const { text } = await api.pool.one<{ text: string }>(sql`
    select string_agg(p::text, ' ') as text from permissions p where company_id = ${firm.id} and address is null`)
  assert.ok(!text.includes(mobile) && !text.includes('Ana') && !text.includes('192.0.2.7'))
  const history = await selectHistory(scope(firm), { address: mobile }, new Date())
  assert.deepEqual(
    history.records.map(({ address, evidence, source }) => [address, evidence, source]),
    [
      [null, null, 'flag'],
      [null, null, 'person'],
    ],
  )
  assert.ok(history.records[1]!.wording_sha256, 'the hash of the words goes on proving which they were')
})

test('what is on record about a number that two contacts share stays when one of them is erased', async () => {
  const firm = await api.company()
  const mobile = number()
  const [ana, ben] = await Promise.all(
    [1, 2].map(() => firm.ok('POST /v1/clients', clientPayload({ mobile, email: null }))),
  )
  await consentAddresses(scope(firm), [entry(mobile, { words: 'I agree' })], 'system')
  const held = async () => (await selectHistory(scope(firm), { client_id: ben.id }, new Date())).records[0]?.evidence
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [ana.id], force: true })
  assert.deepEqual(await held(), { words: 'I agree' })
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [ben.id], force: true })
  assert.equal((await selectHistory(scope(firm), { address: mobile }, new Date())).records[0]?.evidence, null)
})

test('PostgreSQL itself refuses to change or delete a link', async () => {
  const { firm } = await firmWith(1)
  for (const statement of [
    sql`update permission_links set position = 9 where company_id = ${firm.id}`,
    sql`delete from permission_links where company_id = ${firm.id}`,
    sql`truncate permission_links`,
    sql`delete from permission_chains where company_id = ${firm.id}`,
  ])
    await assert.rejects(api.pool.run(statement), /append-only/)
})

test("a contact's page holds every consent and opt-out with who, when, how, wording, version and evidence", async () => {
  const firm = await api.company('Marsh & Cole')
  const { id } = await firm.ok(
    'POST /v1/clients',
    clientPayload({ first_name: 'Ana', last_name: '<Lee>', mobile: '+12125550188', email: 'ana@example.com' }),
  )
  const evidence = {
    form_version: 'intake-7',
    box: 'ticked',
    ip: '192.0.2.9',
    user_agent: 'Mozilla/5.0',
    url: 'https://marshcole.example/form',
    proof: 'form-7.pdf',
  }
  const words = 'I agree that Marsh & Cole may call me, also by <AI>.'
  await firm.tool('record_permission', {
    kind: 'consent',
    addresses: ['+12125550188'],
    channel: 'call',
    purpose: 'marketing',
    words,
    obtained_at: '2026-01-05T09:00:00-05:00',
    evidence,
  })
  await firm.tool('update_client', { id, voice_calls_opted_out: true })
  const { record } = await firm.tool('explain_contact', { client_id: id, channel: 'call', record: true })
  const [consent, flag] = record.records
  assert.deepEqual(consent.evidence, { ...evidence, words, obtained_at: '2026-01-05T09:00:00-05:00' })
  assert.deepEqual(
    [
      consent.recorded_by,
      consent.origin,
      consent.firm,
      consent.form_version,
      consent.obtained_at,
      consent.superseded_by,
    ],
    ['test', 'mcp', 'Marsh & Cole', 'intake-7', '2026-01-05T14:00:00.000Z', { id: flag.id, in_part: false }],
  )
  assert.equal(consent.wording_sha256.length, 64)
  assert.deepEqual(
    [flag.kind, flag.is_flag, flag.source, flag.recorded_by, flag.origin],
    ['suppression', true, 'flag', 'test', 'mcp'],
  )
  assert.equal(flag.previous_hash, consent.hash)
  assert.deepEqual(
    record.standing.map(
      ({ address, channel, purpose, standing }: any) => `${address} ${channel} ${purpose} ${standing}`,
    ),
    [
      '+12125550188 call case_update suppressed',
      '+12125550188 call marketing suppressed',
      '+12125550188 sms case_update nothing',
      '+12125550188 sms marketing nothing',
      'ana@example.com email case_update nothing',
      'ana@example.com email marketing nothing',
    ],
  )
  const history = await selectHistory(scope(firm), { client_id: id }, new Date('2026-11-20T12:00:00Z'))
  const text = historyText(history)
  for (const part of [
    'Ana <Lee> (client',
    'Consent to calls, marketing',
    words,
    'intake-7',
    '192.0.2.9',
    'Mozilla/5.0',
    'by record',
    consent.hash,
  ])
    assert.ok(text.includes(part), part)
  const html = historyPage(history)
  assert.ok(html.includes('Ana &lt;Lee&gt;') && html.includes('&lt;AI&gt;') && !html.includes('<AI>'))
})

test('a box that was ticked beforehand is no consent', async () => {
  const firm = await api.company()
  const given = { kind: 'consent', addresses: [number()], channel: 'call', words: 'I agree' }
  const { details } = await firm.refusal('record_permission', { ...given, evidence: { box: 'pre_ticked', ip: 5 } })
  assert.deepEqual(
    details.map(({ field }) => field),
    ['evidence.ip', 'evidence.box'],
  )
  await firm.tool('record_permission', { ...given, kind: 'suppression', evidence: { box: 'pre_ticked' } })
})
