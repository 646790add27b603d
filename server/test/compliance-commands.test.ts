import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import sql from 'sql-template-tag'
import { explainContact } from '../src/campaigns/explain-contact.ts'
import { startApi } from './support/api.ts'
import { clientPayload } from './support/payloads.ts'
import { runCli } from './support/service.ts'

const api = await startApi()
const firm = await api.company()
const settings = { DATABASE_URL: api.pool.pg.options.connectionString! }
const folder = await mkdtemp(path.join(tmpdir(), 'lists-'))

async function file(name: string, text: string): Promise<string> {
  const where = path.join(folder, name)
  await writeFile(where, text)
  return where
}

async function answer(...args: string[]) {
  const { code, stdout, stderr } = await runCli(settings, ...args, '--company', String(firm.id), '--json')
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout)
}

const export_ = async () => (await runCli(settings, 'suppression', 'export', '--company', String(firm.id))).stdout

const ctx = () => ({ db: api.pool, companyId: firm.id, clock: { now: () => new Date() } }) as never
const explained = async (id: number, at: string, channel: 'call' | 'sms' = 'call') => {
  const { reasons } = await explainContact(ctx(), id, { channel, purpose: 'case_update', at: new Date(at) })
  return reasons.map(({ rule, law }) => [rule, ...(law ?? [])].join(' '))
}

test('a list is imported, whoever the numbers belong to, and exported as it can be imported again', async () => {
  const { id } = await firm.ok('POST /v1/clients', clientPayload({ mobile: '(212) 555-0141', state: 'NY' }))
  const list = await file(
    'dnc.csv',
    'Name,Phone\nAna,(212) 555-0141\nNobody,+1 212 555 0142\nWrong,12345\nAgain,2125550142\n',
  )
  assert.deepEqual(await answer('suppression', 'import', list, '--channel', 'call'), {
    added: 2,
    known: 0,
    unreadable: [4],
  })
  assert.deepEqual(await answer('suppression', 'import', list, '--channel', 'call'), {
    added: 0,
    known: 2,
    unreadable: [4],
  })
  assert.deepEqual(await explained(id, '2026-03-02T17:00:00Z'), ['opted_out', 'suppressed'])
  assert.deepEqual(await explained(id, '2026-03-02T17:00:00Z', 'sms'), [])
  const exported = await export_()
  assert.match(
    exported,
    /^address,address_ending,channel,purpose,source,created_at,hash\n[\s\S]*\+12125550141,0141,call,all,import,/,
  )
  const again = await file('again.csv', exported)
  assert.deepEqual(await answer('suppression', 'import', again, '--channel', 'sms'), {
    added: 0,
    known: 2,
    unreadable: [],
  })
})

test('a plain list of e-mail addresses is one, too; of an erased contact the export knows the hash', async () => {
  const { id } = await firm.ok('POST /v1/clients', clientPayload({ mobile: '212-555-0143', sms_opted_out: true }))
  await answer(
    'suppression',
    'import',
    await file('mails.txt', 'one@example.com\ntwo@example.com\n'),
    '--channel',
    'email',
  )
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id], force: true })
  const exported = await export_()
  assert.match(exported, /\none@example.com,,email,all,import,/)
  assert.match(exported, /\n,0143,sms,all,flag,[^,]+,[0-9a-f]{64}\n/)
})

test('a waiver needs a named person and a reason, is in the audit log, and holds at once', async () => {
  const { id } = await firm.ok(
    'POST /v1/clients',
    clientPayload({ mobile: '305-555-0144', state: 'FL', postal_code: '33101' }),
  )
  const evening = '2027-03-03T01:30:00Z' // 20:30 in Miami
  assert.deepEqual(await explained(id, evening), ['legal_hours us-fl-hours@1'])
  const nobody = await runCli(settings, 'rule', 'waive', 'us-fl-hours', '--person', ' ', '--reason', 'because')
  assert.match(nobody.stderr, /person/)
  const federal = await runCli(
    settings,
    'rule',
    'waive',
    'us-federal-hours',
    '--person',
    'Dana Cole',
    '--reason',
    'because',
  )
  assert.match(federal.stderr, /cannot be waived/)
  const by = ['--person', 'Dana Cole', '--reason', 'clients of the firm asked for it']
  const waiver = await answer('rule', 'waive', 'us-fl-hours', ...by, '--purposes', 'case_update')
  assert.deepEqual(await explained(id, evening), [])
  const [entry] = await api.pool.many<any>(
    sql`select activity, actor, changes from audit_log where activity = 'legal_rule_waived'`,
  )
  assert.equal(entry.actor, 'command line')
  const { person, reason, rule_id, purposes } = entry.changes.waiver.to
  assert.deepEqual([person, reason, rule_id, purposes], ['Dana Cole', by[3], 'us-fl-hours', ['case_update']])
  const { waivers } = await answer('rule', 'list', '--jurisdiction', 'US-FL')
  assert.deepEqual([waivers[0].id, waivers[0].person], [waiver.id, 'Dana Cole'])
  await answer('rule', 'end', String(waiver.id))
  assert.deepEqual(await explained(id, evening), ['legal_hours us-fl-hours@1'])
})

test('a stricter rule needs nobody, but whoever takes it back does', async () => {
  const { id } = await firm.ok('POST /v1/clients', clientPayload({ mobile: '212-555-0145', state: 'NY' }))
  const noon = '2027-03-03T17:00:00Z'
  const rule = await answer(
    'rule',
    'add',
    await file('rule.json', '{"hours": {"default": [["08:00", "11:00"]]}, "reason": "quiet noons"}'),
  )
  assert.deepEqual(await explained(id, noon), [`legal_hours company-rule-${rule.id}@1`])
  const broken = await runCli(
    settings,
    'rule',
    'add',
    await file('no.json', '{"hours": {"default": [["11:00", "08:00"]]}}'),
  )
  assert.match(broken.stderr, /hours must end after they begin/)
  const anonymous = await runCli(settings, 'rule', 'end', String(rule.id), '--company', String(firm.id))
  assert.match(anonymous.stderr, /person/)
  assert.deepEqual(await explained(id, noon), [`legal_hours company-rule-${rule.id}@1`])
  await answer('rule', 'end', String(rule.id), '--person', 'Dana Cole', '--reason', 'not needed any more')
  assert.deepEqual(await explained(id, noon), [])
})

test('the chain is checked and a contact is written on one page, over the command line', async () => {
  const words = 'Call me about my case'
  const { id } = await firm.ok('POST /v1/clients', clientPayload({ mobile: '212-555-0146', email: 'page@example.com' }))
  const consent = { kind: 'consent', addresses: ['+12125550146'], channel: 'call', words }
  await firm.tool('record_permission', { ...consent, evidence: { form_version: 'f-3', url: 'https://firm.example/f' } })
  const before = await answer('consent', 'check')
  assert.equal(before.broken, null)
  const of = ['--company', String(firm.id)]
  const text = await runCli(settings, 'consent', 'export', String(id), ...of)
  for (const part of [words, 'f-3', 'https://firm.example/f', 'Who recorded it: test, over mcp', before.head.hash])
    assert.ok(text.stdout.includes(part), part)
  const html = await runCli(settings, 'consent', 'export', String(id), '--format', 'html', ...of)
  assert.match(html.stdout, /^<!doctype html>[\s\S]*Call me about my case/)
  await firm.ok('POST /v1/clients/bulk_delete', { client_ids: [id], force: true })
  const erased = await runCli(settings, 'consent', 'export', '--address', '(212) 555-0146', '--format', 'json', ...of)
  const [record] = JSON.parse(erased.stdout).records
  assert.deepEqual([record.kind, record.address, record.evidence, record.form_version], ['consent', null, null, 'f-3'])
  const nobody = await runCli(settings, 'consent', 'export', ...of)
  assert.deepEqual([nobody.code, /give either/.test(nobody.stderr)], [1, true])

  const noted = `${before.head.position}:${before.head.hash}`
  assert.equal((await answer('consent', 'check', '--noted', noted)).broken, null)
  await api.pool.run(sql`alter table permissions disable trigger user`)
  await api.pool.run(sql`update permissions set channel = 'sms' where company_id = ${firm.id} and id = ${record.id}`)
  await api.pool.run(sql`alter table permissions enable trigger user`)
  const broken = await runCli(settings, 'consent', 'check', ...of)
  assert.equal(broken.code, 1)
  assert.match(broken.stdout, new RegExp(`^Broken at record ${record.id}: it is not what was written`))
})

test('a national list is imported with its day, and a marketing campaign warns where it is missing or older than 31 days', async () => {
  const { id: list } = await firm.ok('POST /v1/case_lists', { name: 'All', filter: {} })
  const campaign = (purpose: string) =>
    api.pool.one<{ id: number }>(sql`
      with made as (
        insert into campaigns (company_id, name, case_list_id, concurrency_limit, callback_delays, status, purpose, origin)
        values (${firm.id}, ${purpose}, ${list}, 0, '[]', 'paused', ${purpose}, 'public_api') returning id
      ), counted as (
        insert into campaign_stats (company_id, campaign_id) select ${firm.id}, id from made
      )
      select id from made`)
  const [marketing, update] = [await campaign('marketing'), await campaign('case_update')]
  const warnings = async ({ id }: { id: number }) => (await firm.tool('get_campaign_stats', { id })).warnings
  assert.match((await warnings(marketing))[0], /^no national do-not-call list has been imported/)
  assert.deepEqual(await warnings(update), [])

  const numbers = await file('national.txt', '+12125550171\n+12125550172\n')
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const national = (...more: string[]) =>
    [
      'suppression',
      'import',
      numbers,
      '--channel',
      'call',
      '--purpose',
      'marketing',
      '--list',
      'national',
      ...more,
    ] as const
  const undated = await runCli(settings, ...national(), '--company', String(firm.id))
  assert.match(undated.stderr, /--as-of/)
  const ahead = await runCli(settings, ...national('--as-of', day(-2)), '--company', String(firm.id))
  assert.match(ahead.stderr, /lies ahead/)

  assert.equal((await answer(...national('--as-of', day(32)))).added, 2)
  assert.match((await warnings(marketing))[0], /32 days old/)
  assert.equal((await answer(...national('--as-of', day(31)))).known, 2)
  assert.deepEqual(await warnings(marketing), [])
  const { lists, warnings: none } = await answer('suppression', 'lists')
  assert.deepEqual(none, [])
  assert.deepEqual(lists.map(({ kind, as_of, addresses }: any) => [kind, as_of, addresses]).at(-1), [
    'national',
    day(31),
    2,
  ])
  const { evidence } = await api.pool.one<{ evidence: object }>(
    sql`select evidence from permissions where address = '+12125550171'`,
  )
  assert.deepEqual(evidence, { file: 'national.txt', list: 'national', as_of: day(32) })
})
