import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from './support/api.ts'
import { clockAt, eventually, startTestEngine } from './support/engine.ts'
import { agentPayload } from './support/payloads.ts'
import { seedCampaign } from './support/seed.ts'
import { runCli } from './support/service.ts'
import { type Asked, type Reply, type StubModel, startModel, VENDORS } from './support/stub-model.ts'

const clock = clockAt('2026-03-02T15:00:00Z')
const api = await startApi({ clock })
const firm = await api.company('Marsh & Cole')
const { id: agentId } = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload())
const { companyId } = await seedCampaign(api.pool, { contacts: 3, callbackDelays: [] })
await startTestEngine(api, clock)
const called = await eventually(() =>
  api.pool.maybe<{ id: number; result: string; transcript: { speaker: string }[] }>(sql`
    select id, result, transcript from calls where company_id = ${companyId} and transcript is not null limit 1`),
)

const DATABASE_URL = api.databaseUrl
const OF_FIRM = ['--company', String(firm.id)]
const OF_CALL = [String(called.id), '--company', String(companyId)]

async function withStub<T>(
  vendor: (typeof VENDORS)[number],
  reply: (asked: Asked) => Reply,
  use: (stub: StubModel) => T,
) {
  const stub = await startModel(reply, vendor)
  after(stub.close)
  return use(stub)
}

/** As somebody at a terminal would: the lines are typed, then the input ends. */
async function talk(settings: Record<string, string>, lines: string[]) {
  const child = spawn(process.execPath, ['server/src/cli.ts', 'agent', 'rehearse', agentId, ...OF_FIRM], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH, DATABASE_URL, ...settings },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text))
  child.stdin.end(`${lines.join('\n')}\n`)
  const [code] = await once(child, 'close')
  return { code, out }
}

test('an agent without a model is rehearsed by the suite: a line for each expectation, and success', async () => {
  const { code, stdout, stderr } = await runCli({ DATABASE_URL }, 'agent', 'rehearse', agentId, '--suite', ...OF_FIRM)
  assert.deepEqual([code, stderr], [0, ''])
  const lines = stdout.trim().split('\n')
  assert.ok(
    lines.slice(0, -1).every((line) => /^pass {2}[^:]+: .+/.test(line)),
    stdout,
  )
  assert.match(lines.at(-1)!, /^(\d+) of \1 expectations are met\.$/)
})

test('the terminal talks with an agent, and tells what came of it', async () => {
  const { code, out } = await talk({}, ['Yes, this is Maria.', 'Yes, please.'])
  assert.equal(code, 0, out)
  assert.match(out, /AI assistant.*Am I speaking with Maria Lopez\?/)
  assert.match(out, /Conversation completed \(converted\)\./)
  assert.match(out, /Task: Follow up with Maria Lopez/)
  const hungUp = await talk({}, [])
  assert.deepEqual([hungUp.code, /Contact hung up \(unsuccessful\)/.test(hungUp.out)], [0, true])
})

test('a call is read again: for people, and as JSON', async () => {
  const { code, stdout } = await runCli({ DATABASE_URL }, 'call', 'analyse', ...OF_CALL, '--json')
  assert.equal(code, 0)
  const read = JSON.parse(stdout)
  assert.deepEqual(Object.keys(read), ['call_id', 'summary', 'sentiment_score', 'extracted_fields', 'evidence'])
  const stored = await api.pool.one<any>(sql`
    select id as call_id, summary, sentiment_score, extracted_fields, evidence from calls
    where company_id = ${companyId} and id = ${called.id}`)
  assert.deepEqual(read, stored)
  const forPeople = await runCli({ DATABASE_URL }, 'call', 'analyse', ...OF_CALL)
  assert.ok(forPeople.stdout.startsWith(read.summary) && !forPeople.stdout.includes('{'), forPeople.stdout)
})

test('what is not there is said in one line, and fails', async () => {
  for (const command of [
    ['agent', 'rehearse', 'agent_nope', '--suite'],
    ['agent', 'rehearse', agentId, '--company', '999'],
    ['call', 'analyse', '999999'],
    ['call', 'analyse', 'x'],
  ]) {
    const { code, stdout, stderr } = await runCli({ DATABASE_URL }, ...command)
    assert.deepEqual([code, stdout], [1, ''], command.join(' '))
    assert.match(stderr, /^docketcall: [^\n]+\n$/)
  }
})

for (const vendor of VENDORS) {
  test(`${vendor}: an agent whose model gives advice fails the suite, with what it said`, async () => {
    await withStub(
      vendor,
      () => ({ says: 'You should sign it. You will win.' }),
      async ({ settings, asked }) => {
        const options = ['agent', 'rehearse', agentId, '--suite', ...OF_FIRM]
        const { code, stdout, stderr } = await runCli({ DATABASE_URL, ...settings }, ...options)
        assert.deepEqual([code, stderr.includes('\n    at ')], [1, false])
        assert.match(stdout, /FAIL {2}are you a robot\?: says that it is an AI\n {8}“/)
        assert.match(stdout, /^pass {2}stop calling me: takes them off the list$/m)
        assert.ok(asked.length > 10)
        const json = await runCli({ DATABASE_URL, ...settings }, ...options, '--json')
        const { passed, verdicts } = JSON.parse(json.stdout)
        assert.deepEqual([json.code, passed, verdicts.some((each: any) => each.passed)], [1, false, true])
      },
    )
  })

  test(`${vendor}: a model that is away is told as such`, async () => {
    await withStub(
      vendor,
      () => ({ status: 529 }),
      async ({ settings }) => {
        const { code, stdout } = await runCli(
          { DATABASE_URL, ...settings },
          ...['agent', 'rehearse', agentId, '--suite', ...OF_FIRM],
        )
        assert.equal(code, 1)
        assert.match(stdout, /FAIL {2}hurried: is not failed by its language model\n(?: {8}.+\n)+/)
        assert.match(stdout, /the stub says no/)
      },
    )
  })

  test(`${vendor}: the terminal talks with the model, and the model reads the call`, async () => {
    const reply = ({ stream }: Asked): Reply =>
      stream
        ? { says: 'Thank you, Maria. Goodbye.', calls: [{ name: 'end_call', input: {} }] }
        : { says: JSON.stringify({ summary: 'Maria was thanked.', summary_turns: [1] }) }
    await withStub(vendor, reply, async ({ settings }) => {
      const { code, out } = await talk(settings, ['Yes, this is Maria.'])
      assert.equal(code, 0, out)
      assert.match(out, /Thank you, Maria\. Goodbye\.\n/)
      assert.match(out, /Maria was thanked\./)
      const read = await runCli({ DATABASE_URL, ...settings }, 'call', 'analyse', ...OF_CALL)
      assert.equal(read.stdout.split('\n')[0], 'Maria was thanked.')
      const { result } = await api.pool.one<{ result: string }>(sql`
        select result from calls where company_id = ${companyId} and id = ${called.id}`)
      assert.equal(result, called.result)
    })
  })
}
