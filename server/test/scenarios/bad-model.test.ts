import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { clockAt, eventually } from '../support/engine.ts'
import { startRealCalls } from '../support/real-calls.ts'
import { seedCampaign } from '../support/seed.ts'
import { type Asked, type Reply, startModel } from '../support/stub-model.ts'

/** What the model does to the contact whose number ends in its index. */
const MODELS: ((asked: Asked) => Reply)[] = [
  () => ({ says: 'Good morning to you. Could you come in this week?', between: 30 }),
  () => ({ says: 'Could you come in this week?', after: 600 }),
  () => ({ status: 500 }),
  () => ({ status: 429 }),
  () => ({ hangs: true }),
  () => ({ says: 'Thank you Ana and I would like to', between: 20, breaks: true }),
  () => ({ says: '{"speak": "hello"} <|end|>' }),
  () => ({ says: '' }),
  () => ({ says: 'You should sign what they sent you. You will win. I promise.' }),
  () => ({ says: 'I am a real person. Your case is worth about a million.' }),
  () => ({ says: 'Wait, one more thing! '.repeat(60) }),
  () => ({ says: '', calls: [{ name: 'delete_everything', input: {} }] }),
  () => ({ says: '', calls: [{ name: 'note_callback', input: { when: 42 } }] }),
  ({ messages }) =>
    messages.length > 5
      ? { says: 'Thank you. Goodbye.', calls: [{ name: 'end_call', input: {} }] }
      : { says: 'Is that a good time?' },
]
const PERSONAS = ['converted', 'opts_out', 'hurried', 'suspicious', 'not_interested'] as const

const contacts = MODELS.length * PERSONAS.length
const model = await startModel((asked) => {
  if (!asked.stream) return { says: 'I am sorry, but I can not read this.' }
  const [, n] = /Ana Lee (\d+)/.exec(asked.messages[0]!.content)!
  return MODELS[(Number(n) - 1) % MODELS.length]!(asked)
})
after(model.close)
// Speech takes a twentieth of its time; the model's own times are real ones.
const clock = clockAt('2026-03-02T15:00:00Z', 20)
let companyId = 0
const { api, twilio } = await startRealCalls({
  clock,
  languageModel: model.model,
  behaviour: (to) => ({
    pickup: 'answers',
    persona: PERSONAS[Math.floor((Number(to.slice(5)) - 2000001) / MODELS.length)]!,
  }),
  async seed({ pool }) {
    companyId = (await seedCampaign(pool, { contacts, callbackDelays: [] })).companyId
  },
})

test('every call ends properly, whatever the model does', async () => {
  await eventually(async () => {
    // A contact that was promised another call is due again; everybody else is settled.
    const { ended } = await api.pool.one<{ ended: number }>(sql`
      select count(*)::int as ended from calls where company_id = ${companyId} and state = 'ended'`)
    return ended === contacts
  }, 150)
  const rows = await api.pool.many<any>(sql`select * from calls where company_id = ${companyId}`)
  assert.equal(rows.length, contacts)
  const failed = rows.filter(({ result }) => result === 'failed')
  assert.deepEqual(
    failed.map(({ to_number, end_reason }) => [to_number, end_reason]),
    [],
  )
  assert.ok(
    rows.every(({ disconnection_reason }) =>
      ['agent_hangup', 'user_hangup', 'inactivity', 'max_duration_reached'].includes(disconnection_reason),
    ),
  )
})

test('the contact hears decent sentences only: no advice, no markup, no claim to be human', () => {
  for (const { heard, to } of twilio.calls) {
    assert.match(heard[0]!, /AI assistant/)
    for (const said of heard) {
      assert.ok(said.trim().split(/\s+/).length < 90, `${to}: ${said}`)
      assert.doesNotMatch(said, /[{}<>|]|you should sign|will win|promise|real person|million/i, to)
    }
    const after = heard.slice(1)
    assert.ok(after.length > 0 || heard.length === 1, to)
  }
})

test('an opt-out is the last thing in every call in which it was spoken', async () => {
  const calls = twilio.calls.filter(({ to }) => Math.floor((Number(to.slice(5)) - 2000001) / MODELS.length) === 1)
  const rows = await api.pool.many<{ transcript: { speaker: string; text: string }[]; result: string }>(sql`
    select transcript, result from calls where company_id = ${companyId} and to_number = any(${calls.map(({ to }) => to)})`)
  const asked = /off your list|stop calling|don't call|any more calls|remove my number/i
  const spoken = rows.filter(({ transcript }) =>
    transcript.some(({ speaker, text }) => speaker === 'contact' && asked.test(text)),
  )
  assert.ok(spoken.length >= 3, `${spoken.length} opt-outs`)
  for (const { transcript, result } of spoken) {
    const at = transcript.findIndex(({ speaker, text }) => speaker === 'contact' && asked.test(text))
    assert.equal(result, 'opted_out')
    assert.match(transcript[at + 1]!.text, /will not call you again/)
    assert.equal(transcript.length, at + 2)
  }
})
