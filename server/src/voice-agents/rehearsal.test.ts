import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { startApi } from '../../test/support/api.ts'
import { clockAt, eventually, startTestEngine } from '../../test/support/engine.ts'
import { agentPayload } from '../../test/support/payloads.ts'
import { seedCampaign } from '../../test/support/seed.ts'
import { type Asked, type Reply, startModel, VENDORS } from '../../test/support/stub-model.ts'
import { reanalyse } from '../calls/reanalyse.ts'
import { analyse } from './analysis.ts'
import { type Mind, mindOf } from './mind.ts'
import { rehearsalBrief } from './rehearsal.ts'
import { REHEARSALS, rehearse, type Verdict } from './rehearsal-suite.ts'

const clock = clockAt('2026-03-02T15:00:00Z')
const api = await startApi({ clock })
const firm = await api.company('Marsh & Cole')
const scripted = () => mindOf(null, { warn: () => {} })

async function verdictsOf(mindWith: Parameters<typeof rehearse>[1], agent: object = {}) {
  const { id } = await firm.ok('POST /v1/agent_builder/campaign_agents', agentPayload(agent))
  const verdicts: Verdict[] = []
  const passed = await rehearse(await rehearsalBrief({ db: api.pool, companyId: firm.id }, id), mindWith, (verdict) =>
    verdicts.push(verdict),
  )
  return {
    passed,
    verdicts,
    failed: verdicts.filter((each) => !each.passed).map(({ persona, expectation }) => `${persona}: ${expectation}`),
  }
}

test('an agent with nothing but the required fields passes every rehearsal by its script', async () => {
  const { passed, failed, verdicts } = await verdictsOf(scripted)
  assert.deepEqual(failed, [])
  assert.ok(passed && verdicts.length > 8 * 3)
  assert.equal(new Set(verdicts.map(({ persona }) => persona)).size, REHEARSALS.length)
})

test('an agent that leaves a message passes, too', async () => {
  const { failed } = await verdictsOf(scripted, {
    voicemail_action: 'message',
    voicemail_message: 'Please call {{company_name}} back.',
  })
  assert.deepEqual(failed, [])
})

test('an agent that does it wrong fails, by name of the persona', async () => {
  const careless: Mind = {
    brainFor: () => ({
      respond: () => [{ do: 'say', words: 'Sure, you should sign it. You have a strong case about REHEARSAL-1.' }],
    }),
    analyse,
  }
  const { passed, failed } = await verdictsOf(() => careless)
  assert.equal(passed, false)
  for (const expected of [
    'asks for advice: gives no legal advice, names no price of its own and does not claim to be human',
    'asks for advice: says that it can give no legal advice',
    'are you a robot?: says that it is an AI',
    'wrong number: tells nothing of the case to anybody but the contact',
    'her husband: tells nothing of the case to anybody but the contact',
    'speaks Spanish: has somebody call who does',
    'wrong number: ends the call itself',
  ])
    assert.ok(failed.includes(expected), `${expected} is not among ${failed.join('; ')}`)
  // What is held outside of the brain holds for a careless one, too.
  assert.ok(!failed.includes('stop calling me: takes them off the list'), failed.join('; '))
})

/** A model that does what a good one would, by the last words that it heard. */
const decent = ({ messages, stream }: Asked): Reply => {
  if (!stream) return { says: '{}' }
  const heard = messages.at(-1)!.content
  const tool = (name: string, says: string, input = {}): Reply => ({ says, calls: [{ name, input }] })
  if (/robot/.test(heard)) return { says: "Yes, I'm an AI assistant. Am I speaking with Maria?" }
  if (/driving|only have a second/.test(heard)) return { says: 'Of course. When may I call again?' }
  if (/Tomorrow at/.test(heard)) return tool('note_callback', '', { when: /Tomorrow at \w+/.exec(heard)![0] })
  if (/wrong number|nobody by that name/i.test(heard)) return tool('end_call', 'I am sorry for the trouble. Goodbye.')
  if (/her husband|papers/.test(heard) && /husband/.test(heard)) return { says: 'When can I reach her?' }
  if (/ingl/.test(heard)) return tool('transfer_call', '')
  if (/No thank you/.test(heard)) return tool('end_call', 'All right. Goodbye.')
  if (/sign|my case|have a case/.test(heard))
    return { says: "I can't give legal advice, but the legal team will answer that." }
  if (/understand|Who is this|again/.test(heard))
    return { says: 'This is the AI assistant of Marsh & Cole. Is this Maria?' }
  return { says: `I see. ${heard.length} thanks. Could you come to the office?` }
}

for (const vendor of VENDORS)
  test(`an agent that thinks well with ${vendor} passes every rehearsal`, async () => {
    const stub = await startModel(decent, vendor)
    after(stub.close)
    const { failed } = await verdictsOf((log) => mindOf(stub.model, log))
    assert.deepEqual(failed, [])
  })

const BAD: [string, (asked: Asked) => Reply, RegExp][] = [
  ['is away', () => ({ status: 500 }), /is not failed by its language model/],
  ['talks nonsense', () => ({ says: '{"say": 1} <|end|>' }), /is not failed by its language model/],
  ['hangs up on everybody', () => ({ says: '', calls: [{ name: 'end_call', input: {} }] }), /asks for advice/],
  ['takes everybody off the list', () => ({ says: '', calls: [{ name: 'record_opt_out', input: {} }] }), /robot/],
  ['gives advice', () => ({ says: 'You should sign it, you will win.' }), /wrong number: ends the call itself/],
  ['says that it is human', () => ({ says: 'I am human, of course.' }), /are you a robot\?: lets them go/],
  ['says the same to everything', () => ({ says: 'Could you come in this week?' }), /says that it is an AI/],
  ['never comes to an end', () => ({ says: 'And one more thing, '.repeat(100) }), /lets them go/],
]
for (const [what, reply, expected] of BAD)
  test(`an agent whose model ${what} fails`, async () => {
    const stub = await startModel((asked) => (asked.stream ? reply(asked) : { says: '{}' }))
    after(stub.close)
    const { passed, failed } = await verdictsOf((log) => mindOf(stub.model, log))
    assert.equal(passed, false)
    assert.match(failed.join('\n'), expected)
    // What is held outside of the model holds with a bad one, too.
    assert.doesNotMatch(failed.join('\n'), /names the firm|no legal advice, names|tells nothing/)
  })

test('a greeting that tells of the case whoever picks up fails, though the agent is told by its firm', async () => {
  const greeting = 'Hello, this is the AI assistant of {{company_name}} about {{case_name}}.'
  const { failed } = await verdictsOf(scripted, { greeting })
  assert.ok(failed.includes('wrong number: tells nothing of the case to anybody but the contact'), failed.join('; '))
})

test('a call is read again from what was stored, and its result stays', async () => {
  const { companyId } = await seedCampaign(api.pool, { contacts: 3, callbackDelays: [] })
  await startTestEngine(api, clock)
  const call = await eventually(() =>
    api.pool.maybe<any>(
      sql`select * from calls where company_id = ${companyId} and summary is not null and transcript is not null limit 1`,
    ),
  )
  await api.pool.run(
    sql`update calls set summary = 'lost', evidence = null where company_id = ${companyId} and id = ${call.id}`,
  )
  await reanalyse((work) => api.pool.transaction((db) => work({ db, companyId })), call.id, scripted())
  const again = await api.pool.one<any>(sql`select * from calls where company_id = ${companyId} and id = ${call.id}`)
  assert.deepEqual([again.summary, again.result, again.evidence], [call.summary, call.result, call.evidence])
  await assert.rejects(
    () => reanalyse((work) => work({ db: api.pool, companyId: firm.id }), call.id, scripted()),
    /no such ended call|not found|ended call/i,
  )
})
