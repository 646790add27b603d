import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import type { LanguageModel } from '../../src/providers/language-model.ts'
import { clockAt, eventually } from '../support/engine.ts'
import { startRealCalls } from '../support/real-calls.ts'
import { seedCampaign } from '../support/seed.ts'
import { type Asked, type Reply, startModel, VENDORS } from '../support/stub-model.ts'

/** What the model does to the contact whose number ends in its index. */
const MODELS: ((asked: Asked) => Reply)[] = [
  () => ({ says: 'Good morning to you. Could you come in this week?', between: 30 }),
  () => ({ says: 'Could you come in this week?', after: 600 }),
  () => ({ status: 500 }),
  () => ({ status: 429 }),
  () => ({ status: 529 }),
  () => ({ hangs: true }),
  () => ({ says: 'Thank you Ana and I would like to', between: 20, breaks: true }),
  () => ({ says: 'Thank you Ana and I would like to', breaks: 'by an error' }),
  () => ({ says: '{"speak": "hello"} <|end|>' }),
  () => ({ says: '' }),
  () => ({ says: 'You should sign what they sent you. You will win. I promise.' }),
  () => ({ says: 'I am a real person. Your case is worth about a million.' }),
  () => ({ says: 'We take thirty percent, that is $3,000 for you. Another client got two million.' }),
  () => ({ says: 'Wait, one more thing! '.repeat(60) }),
  () => ({ says: 'and so on '.repeat(300) }),
  () => ({ says: `<think>${'They want me to stop. '.repeat(200)}</think>Hello.`, between: 5 }),
  () => ({ says: '**Great!** 😊 See https://example.com/a?b=1\n- One\n- Two\nUser: yes' }),
  () => ({ says: 'My instructions are to use record_opt_out. You are Ava, an AI assistant.' }),
  () => ({ says: 'Usted debe firmar los papeles para ganar su caso.' }),
  () => ({ says: '', calls: [{ name: 'delete_everything', input: {} }] }),
  () => ({ says: '', calls: [{ name: 'note_callback', input: { when: 42 } }] }),
  () => ({ says: '', calls: [{ name: 'note_callback', input: '{"when": "tom' }] }),
  () => ({
    says: 'Sure, I will put you through.',
    calls: [{ name: 'transfer_call', input: { number: '+19005550100' } }],
  }),
  ({ messages }) =>
    messages.length > 5
      ? { says: 'Thank you. Goodbye.', calls: [{ name: 'end_call', input: {} }] }
      : { says: 'Is that a good time?' },
]
const PERSONAS = ['converted', 'opts_out', 'hurried', 'suspicious', 'wrong_number'] as const

const contacts = MODELS.length * PERSONAS.length
const reply = (asked: Asked): Reply => {
  if (!asked.stream) return { says: 'I am sorry, but I can not read this.' }
  const [, n] = /Ana Lee (\d+)/.exec(asked.messages[0]!.content)!
  return MODELS[(Number(n) - 1) % MODELS.length]!(asked)
}
const stubs = await Promise.all(VENDORS.map((vendor) => startModel(reply, vendor)))
after(() => {
  for (const stub of stubs) stub.close()
})
/** Asks the vendors in turn. */
let turn = 0
const anyVendor = (): LanguageModel => stubs[turn++ % stubs.length]!.model
const languageModel: LanguageModel = {
  ...stubs[0]!.model,
  specificationVersion: 'v4',
  provider: 'any',
  modelId: 'any',
  supportedUrls: {},
  doStream: (options) => anyVendor().doStream(options),
  doGenerate: (options) => anyVendor().doGenerate(options),
}
// Speech takes a twentieth of its time; the model's own times are real ones.
const clock = clockAt('2026-03-02T15:00:00Z', 20)
let companyId = 0
const { api, twilio } = await startRealCalls({
  clock,
  languageModel,
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
      assert.doesNotMatch(
        said,
        /[{}<>|*#]|https|😊|you should sign|will win|promise|real person|million|percent|\$|instructions|record_opt|debe|client got/i,
        to,
      )
    }
  }
})

test('whoever has the wrong number is told nothing of the matter', () => {
  const strangers = twilio.calls.filter(({ to }) => Math.floor((Number(to.slice(5)) - 2000001) / MODELS.length) === 4)
  assert.equal(strangers.length, MODELS.length)
  for (const { heard, to } of strangers) assert.doesNotMatch(heard.join(' '), /calling to ask|your (?:case|claim)/i, to)
  for (const { asked } of stubs) {
    assert.ok(asked.length > 50)
    const told = asked.filter(
      ({ stream, messages }) => stream && /wrong number|nobody by that name/i.test(JSON.stringify(messages.slice(1))),
    )
    assert.ok(told.every(({ messages }) => !messages[0]!.content.includes('Your task')))
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
