import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ANSWERED, brief, lineWith, openRelay } from '../../test/support/phone.ts'
import { pause } from '../core/clock.ts'
import type { PostCallField } from '../providers/call-brief.ts'
import { ConversationLost } from '../providers/voice.ts'
import { analyse } from './analysis.ts'
import type { AgentAction, BrainFor } from './brain.ts'
import { converse, hold } from './conversation.ts'

const FIELDS: PostCallField[] = [
  { name: 'incident_date', type: 'text', description: 'Date of the accident' },
  { name: 'still_in_pain', type: 'boolean', description: 'Whether the client still has pain' },
  { name: 'people_hurt', type: 'number', description: 'Number of people injured' },
  { name: 'contact_method', type: 'selector', description: 'Preferred contact method', choices: ['phone', 'email'] },
]
const withFields = brief({ post_call_fields: FIELDS })
const withTransfer = brief({ is_transfer_enabled: true, transfer_number: '+12125550101' })

/** What the agent says and what comes of it, when the contact says these things. */
async function call(
  contact: Parameters<typeof lineWith>[0],
  about = withFields,
  options: Parameters<typeof lineWith>[1] = {},
) {
  const line = lineWith(contact, options)
  const outcome = await converse(line, about)
  return { line, outcome, said: line.heard, agent: line.heard.join(' ') }
}

test('the first sentence names the firm and says that an AI is calling, whatever the greeting', async () => {
  for (const [greeting, opening] of [
    [
      'Hello {{first_name}}, this is Ava from Marsh & Cole.',
      'This is an AI assistant calling from Marsh & Cole. Hello Maria, this is Ava from Marsh & Cole. Am I speaking with Maria López?',
    ],
    [
      'Hello, this is Ava, the AI assistant of Marsh & Cole. Is this Maria?',
      'Hello, this is Ava, the AI assistant of Marsh & Cole. Is this Maria?',
    ],
    [
      "It's about your case.",
      "Hello, this is an AI assistant calling from Marsh & Cole. It's about your case. Am I speaking with Maria López?",
    ],
  ] as const) {
    const { said } = await call([], brief({ greeting }))
    assert.equal(said[0], opening)
  }
})

test('a full talk asks for the person, says why, puts every field as a question and offers a next step', async () => {
  const { said, outcome } = await call([
    'Speaking.',
    'Sure.',
    'It was in March of last year.',
    'Yes, still.',
    'About two.',
    'Email, please.',
    'Yes, please.',
  ])
  assert.deepEqual(said.slice(1), [
    "Thank you, Maria. I'm calling to ask you whether you still want to pursue your claim. I have four short questions for you. Is now a good time?",
    'Thank you. Could you tell me the date of the accident?',
    'Got it, thank you. Could you tell me whether you still have pain?',
    "Thanks, I've noted that. Could you tell me the number of people injured?",
    'All right, thank you. Could you tell me your preferred contact method: phone or email?',
    'Understood. Would you like someone at Marsh & Cole to follow up with you on this?',
    "Very good. I'll pass that on, and someone at Marsh & Cole will follow up with you. Thank you for your time, Maria. Goodbye.",
  ])
  assert.deepEqual(outcome.extracted_fields, {
    incident_date: 'It was in March of last year.',
    still_in_pain: true,
    people_hurt: 2,
    contact_method: 'email',
  })
  assert.equal(outcome.result, 'converted')
  assert.equal(outcome.disconnection_reason, 'agent_hangup')
  assert.equal(outcome.duration_seconds, 70)
  assert.equal(
    outcome.summary,
    "Ava reached Maria López and said: “I'm calling to ask you whether you still want to pursue your claim”. " +
      'Answers given: incident date: “It was in March of last year”; still in pain: yes; people hurt: 2; contact method: email. Agreed to the next step (“Yes, please”).',
  )
  assert.deepEqual(outcome.follow_ups, ['Follow up with Maria López, who agreed to the next step.'])
})

test('nothing of the matter is said before somebody has said to be the contact', async () => {
  for (const contact of [
    ['Who is this?', 'What is this about?'],
    ['Hello?', 'What?'],
    ["She's not home.", 'Tomorrow at five.'],
    ['Are you a robot?'],
    ['This is Robert.', 'Sure.', 'Okay.'],
    ['No.', 'What is this about?'],
    ['No.', 'Yes.', 'Why are you calling?'],
    ['Yes?', 'Sure?', 'Okay.'],
    ["I'd like to know who this is."],
    ['I was asleep.', 'I can hardly hear you.'],
  ]) {
    const { agent } = await call(contact)
    assert.doesNotMatch(agent, /claim|accident/)
  }
})

test('an answer that is unclear is asked for once more and then left empty', async () => {
  const { said, outcome } = await call([
    'Yes.',
    'Yes.',
    "I don't know.",
    'Well, that depends.',
    'It comes and goes.',
    'A few.',
    'Hard to say.',
    'A pigeon.',
    'The second one.',
    'No.',
  ])
  assert.deepEqual(outcome.extracted_fields, {
    incident_date: null,
    still_in_pain: null,
    people_hurt: null,
    contact_method: 'email',
  })
  assert.equal(said[4], 'Just so that I note it correctly: would you say yes or no?')
  assert.equal(said[6], 'Could you give me that as a number?')
  assert.equal(said[8], 'Which of these fits best: phone or email?')
  assert.match(outcome.summary, /No clear answer on incident date, still in pain, people hurt\./)
  assert.equal(outcome.result, 'successful')
})

test('a spoken opt-out ends the call with one sentence, at any point and whatever the brain would say', async () => {
  const chatty: BrainFor = () => ({ respond: () => [{ do: 'say', words: 'But wait, there is more!' }] })
  for (const before of [[], ['Yes.'], ['Yes.', 'Sure.'], ['Yes.', 'Sure.', 'In March.']]) {
    for (const brain of [undefined, chatty]) {
      const line = lineWith([...before, 'Take me off your list!', 'Hello?'])
      const outcome = await converse(line, withFields, brain)
      assert.equal(line.heard.length, before.length + 2)
      assert.equal(
        line.heard.at(-1),
        "I understand. I'm taking you off our calling list now, and Marsh & Cole will not call you again. Goodbye.",
      )
      assert.ok(line.state.ended)
      assert.deepEqual([outcome.result, outcome.opted_out, outcome.callback_at], ['opted_out', true, null])
    }
  }
})

test('somebody who is angry is asked whether to be left alone, and any answer but a plain no counts', async () => {
  const yes = await call(['Yes.', 'How dare you, you crooks!', 'What do you think?'])
  assert.equal(yes.outcome.result, 'opted_out')
  const no = await call(['Yes.', 'How dare you, you crooks!', 'No, just not today.'])
  assert.deepEqual([no.outcome.result, no.outcome.opted_out], ['unsuccessful', false])
})

test('a wrong number is apologised to and noted', async () => {
  for (const contact of [["There's no Maria here, wrong number."], ['No.', 'No.']]) {
    const { outcome, agent } = await call(contact)
    assert.equal(outcome.result, 'wrong_number')
    assert.match(agent, /I'm sorry for the trouble/)
  }
})

test("a callback is agreed on the contact's own clock and said back", async () => {
  const { outcome, said } = await call(["I'm driving, can you call me tomorrow at three?"])
  assert.equal(said.at(-1), "Of course. I'll call again tomorrow at 3 PM. Thank you. Goodbye.")
  assert.deepEqual(
    [outcome.result, outcome.callback_at?.toISOString()],
    ['callback_requested', '2026-03-03T20:00:00.000Z'],
  )
  const pacific = await call(['Call me tomorrow at three.'], { ...withFields, zones: ['America/Los_Angeles'] })
  assert.equal(pacific.outcome.callback_at?.toISOString(), '2026-03-03T23:00:00.000Z')
})

test('a time that is too far off or at night is negotiated, and none is made up', async () => {
  const far = await call(['Yes.', 'Call me back next week.', 'Then tomorrow at ten.'])
  assert.match(far.agent, /I can only note a time within the next two days/)
  assert.equal(far.outcome.callback_at?.toISOString(), '2026-03-03T15:00:00.000Z')
  const night = await call(['Yes.', 'Call me tonight at 11 pm.', 'I said eleven at night.'])
  assert.match(night.agent, /between 8 in the morning and 9 in the evening/)
  assert.deepEqual([night.outcome.result, night.outcome.callback_at], ['callback_requested', null])
  assert.match(night.outcome.follow_ups[0]!, /Agree on a time with Maria López/)
})

test('a wish for a person is followed by a transfer where that is allowed', async () => {
  const { outcome, line } = await call(['Yes.', 'I want to talk to a real person.'], withTransfer)
  assert.deepEqual(line.state.transferred, ['+12125550101'])
  assert.deepEqual(
    [outcome.result, outcome.disconnection_reason, outcome.transferred_to],
    ['transferred', 'call_transfer', '+12125550101'],
  )
})

test('a transfer that fails comes back to the agent, who promises a call by a person', async () => {
  const { outcome, agent } = await call(
    ['Yes.', 'I want to talk to a real person.', 'Tomorrow morning.'],
    withTransfer,
    { transfer: 'failed' },
  )
  assert.match(agent, /nobody is free to take your call at the moment/)
  assert.deepEqual([outcome.result, outcome.transferred_to, outcome.callback_at], ['callback_requested', null, null])
  assert.deepEqual(outcome.follow_ups, [
    'Call Maria López back in person (when asked for a good time: “Tomorrow morning.”).',
  ])
})

test('without transfers nobody is put through, even if a number is stored', async () => {
  const { outcome, line, agent } = await call(
    ['Yes.', 'I want to talk to a real person.', 'Any time.'],
    brief({ transfer_number: '+12125550101' }),
  )
  assert.deepEqual(line.state.transferred, [])
  assert.match(agent, /I can't connect you directly/)
  assert.equal(outcome.result, 'callback_requested')
})

test('the agent gives no legal advice and passes the question on', async () => {
  const { agent, outcome } = await call([
    'Yes.',
    'Sure.',
    'Do I have a case?',
    'In March.',
    'Should I sign the release?',
  ])
  assert.equal(agent.match(/I'm not able to give legal advice/g)?.length, 2)
  assert.equal(outcome.extracted_fields.incident_date, 'In March.')
  assert.match(outcome.follow_ups.join(), /“Do I have a case\?”/)
})

test('"are you a robot?" is answered truthfully and the question is asked again', async () => {
  const { said } = await call(['Yes.', 'Are you a robot?'])
  assert.equal(said.at(-1), "Yes, I'm an AI assistant calling for Marsh & Cole, not a person. Is now a good time?")
})

test('a matter that is taken care of disqualifies', async () => {
  for (const text of ['I already have a lawyer for that.', 'That was settled last year.']) {
    const { outcome } = await call(['Yes.', text])
    assert.deepEqual([outcome.result, outcome.is_disqualified], ['disqualified', true])
  }
  const { outcome, agent } = await call(['He passed away in May.'])
  assert.match(agent, /very sorry for your loss/)
  assert.deepEqual([outcome.result, outcome.follow_ups.length], ['disqualified', 1])
})

test('who declines is thanked and let go', async () => {
  const { outcome, said } = await call(['Yes.', "I'm not interested."])
  assert.equal(said.at(-1), 'I understand. Thank you for your time, Maria. Goodbye.')
  assert.deepEqual([outcome.result, outcome.end_reason], ['unsuccessful', 'Contact declined'])
})

test('who has not decided is a success; a no is one only after answers', async () => {
  const outcomes = [
    await call(['Yes.', "I'd have to think about it."], brief()),
    await call(['Yes.', 'No, thank you.'], brief()),
    await call(['Yes.', 'Sure.', 'In March.', 'Yes.', 'Two.', 'Phone.', 'No, that is all.']),
  ]
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome.result),
    ['successful', 'unsuccessful', 'successful'],
  )
  assert.match(outcomes[1]!.outcome.summary, /Said no to the next step \(“No, thank you”\)\.$/)
})

test('with appointments enabled the next step is one, and what was suggested is kept', async () => {
  const { said, outcome } = await call(
    ['Yes.', 'Yes.', 'Thursday at ten.'],
    brief({ is_appointment_booking_enabled: true }),
  )
  assert.match(said[1]!, /Would you like to book an appointment with Marsh & Cole\?$/)
  assert.equal(outcome.result, 'converted')
  assert.deepEqual(outcome.follow_ups, ['Confirm an appointment with Maria López, who suggested: “Thursday at ten.”.'])
})

test('a machine is hung up on: by its own words, or by the verdict of the carrier', async () => {
  for (const contact of [
    ['You have reached Bob. Please leave a message after the tone.'],
    [{ type: 'machine' } as const, 'Hello, this is the home of the López family.'],
    [{ type: 'machine' } as const, { type: 'silence', seconds: 8 } as const],
  ]) {
    const { outcome, said, line } = await call(contact)
    assert.deepEqual(
      [outcome.result, outcome.disconnection_reason, outcome.sentiment_score],
      ['voicemail', 'voicemail_reached', null],
    )
    assert.equal(said.length, 1)
    assert.ok(line.state.ended)
  }
})

test('a late verdict of "machine" about somebody who is talking is ignored', async () => {
  const { outcome } = await call(['Yes.', 'Sure.', { type: 'machine' }, 'In March.'])
  assert.equal(outcome.extracted_fields.incident_date, 'In March.')
})

test('a phone that screens its calls is told who calls and for whom, in one sentence, and nothing of the matter', async () => {
  const { said } = await call([
    "Please say your name and why you're calling, and I'll see if this person is available.",
    'Hello?',
    'Yes.',
  ])
  assert.equal(
    said[1],
    'This is Ava, an AI assistant from Marsh & Cole, calling Maria López about a matter with the firm.',
  )
  assert.equal(said[2], said[0])
  assert.match(said[3]!, /^Thank you, Maria/)
})

const SCREEN = 'Hi, if you record your name and reason for calling, I will see if this person is available.'
const HOLD_ON = 'Thank you. Please stay on the line.'
const silence = { type: 'silence', seconds: 8 } as const

test('a phone that screens its calls gets almost a minute, whatever machine detection says of it', async () => {
  for (const contact of [
    [{ type: 'machine' } as const, SCREEN, HOLD_ON, silence, silence, silence, 'Hello?', 'Yes.'],
    [SCREEN, { type: 'machine' } as const, silence, silence, silence, 'Hello?', 'Yes.'],
  ]) {
    const { said, outcome } = await call(contact)
    assert.equal(said.length, 4, said.join('\n'))
    assert.match(said[3]!, /^Thank you, Maria/)
    assert.equal(outcome.result, 'unsuccessful')
  }
})

test('a phone that screens its calls and that nobody comes to counts as not answered, and nobody is told of the matter', async () => {
  const waits = Array.from({ length: 8 }, () => silence)
  for (const contact of [[SCREEN, ...waits], [SCREEN, HOLD_ON, ...waits], [SCREEN]]) {
    const { said, outcome } = await call(contact)
    assert.equal(said.length, 2)
    assert.deepEqual(
      [outcome.result, outcome.end_reason, outcome.sentiment_score],
      ['no_answer', 'Call screen answered, and nobody picked up', null],
    )
    assert.match(outcome.summary, /call screen answered the call to Maria López/)
  }
})

test('a phone that screens its calls and then takes a message is a machine', async () => {
  const { outcome } = await call([SCREEN, HOLD_ON, 'Nobody is available. Please record your message after the tone.'])
  assert.equal(outcome.result, 'voicemail')
})

test('silence is asked about once and then ends the call', async () => {
  const { outcome, said } = await call([
    { type: 'silence', seconds: 8 },
    { type: 'silence', seconds: 8 },
  ])
  assert.equal(said[1], 'Hello? Are you still there? Am I speaking with Maria López?')
  assert.deepEqual(
    [outcome.result, outcome.disconnection_reason, outcome.sentiment_score],
    ['unsuccessful', 'inactivity', null],
  )
})

test('after an interruption the transcript holds only what was heard', async () => {
  const { outcome } = await call([{ type: 'interrupted', heard: 'This is an AI assistant calling' }, 'Who is this?'])
  assert.deepEqual(outcome.transcript[0], {
    speaker: 'agent',
    text: 'This is an AI assistant calling',
    at: 0,
    asks: 'identity',
    interrupted: true,
  })
})

test('a call that the carrier cuts off at its longest time says so', async () => {
  const { outcome } = await call(['Yes.', { type: 'ended', reason: 'max_duration_reached' }])
  assert.deepEqual([outcome.result, outcome.disconnection_reason], ['unsuccessful', 'max_duration_reached'])
})

test('a brain that fails leaves a decent sentence and a failed call', async () => {
  const broken: BrainFor = () => ({
    respond: () => {
      throw new Error('model timed out')
    },
  })
  const line = lineWith(['Yes.'])
  const outcome = await converse(line, withFields, broken)
  assert.match(line.heard.at(-1)!, /something has gone wrong on our side.*Goodbye\.$/)
  assert.ok(line.state.ended)
  assert.deepEqual(
    [outcome.result, outcome.disconnection_reason, outcome.end_reason],
    ['failed', 'error_unknown', 'Technical error'],
  )
})

test('a brain that streams its words is heard word by word and kept whole', async () => {
  async function* words() {
    yield 'One '
    yield 'moment.'
  }
  const streaming: BrainFor = () => ({
    async *respond(): AsyncIterable<AgentAction> {
      yield { do: 'say', words: words() }
      yield { do: 'end' }
    },
  })
  const line = lineWith(['Yes.'])
  const outcome = await converse(line, withFields, streaming)
  assert.equal(line.heard.at(-1), 'One moment.')
  assert.equal(outcome.transcript.at(-1)?.text, 'One moment.')
})

/** A brain that thinks until nobody listens any more. */
function hanging() {
  const state = { asked: 0, left: 0 }
  const brain: BrainFor = () => ({
    async *respond(): AsyncIterable<AgentAction> {
      state.asked++
      const never = new Promise<IteratorResult<string>>(() => {})
      const words = {
        next: () => never,
        async return() {
          state.left++
          return { done: true as const, value: undefined }
        },
      }
      yield { do: 'say', words: { [Symbol.asyncIterator]: () => words } }
    },
  })
  return { state, brain }
}

/** A conversation over the frames of a relay, in real time. */
function relayed(brain: BrainFor, about = withFields) {
  const { line, sent } = openRelay()
  const optOuts: number[] = []
  const held = hold(line, about, brain, { onOptOut: () => void optOuts.push(Date.now()) })
  const says = (voicePrompt: string) => line.hear({ type: 'prompt', voicePrompt, lang: 'en-US', last: true })
  const hushed = () => line.hear({ type: 'info', name: 'agentSpeaking', value: 'off' })
  return { line, sent, held, optOuts, says, hushed }
}

test('a spoken opt-out ends the call at once, while the brain still thinks, and the brain is left', async () => {
  const { state, brain } = hanging()
  const { held, says, hushed, sent, optOuts } = relayed(brain)
  await pause(5)
  says('Yes, speaking.')
  await pause(20)
  assert.equal(state.asked, 1)
  const asked = Date.now()
  says('Stop calling me.')
  await pause(20)
  hushed()
  const { disconnection_reason, transcript } = await held
  assert.ok(Date.now() - asked < 1000)
  assert.deepEqual([disconnection_reason, optOuts.length, state.left], ['agent_hangup', 1, 1])
  assert.match(transcript.at(-1)!.text, /will not call you again/)
  assert.equal(sent.at(-1)!.type, 'end')
})

test('however it is said, and whatever was being asked, nobody waits for a brain that hangs', async () => {
  await Promise.all(
    [
      'Stop.',
      'Take me off your list!',
      "Please don't contact me anymore.",
      'How many times do I have to tell you to stop?',
      'Lose this number.',
      'I revoke my consent.',
      'No me llame más.',
      "That's the last time you call me.",
      "I don't wanna be called.",
      'Unsubscribe.',
    ].map(async (words) => {
      const { brain } = hanging()
      const { held, says, hushed, optOuts } = relayed(brain)
      await pause(5)
      says('Not interested.')
      await pause(10)
      const asked = Date.now()
      says(words)
      await pause(10)
      hushed()
      const talk = await held
      assert.ok(Date.now() - asked < 2000, words)
      assert.deepEqual([optOuts.length, analyse(talk, withFields).result], [1, 'opted_out'], words)
    }),
  )
})

test('an opt-out that is spoken into the goodbye counts', async () => {
  const leaving: BrainFor = () => ({ respond: () => [{ do: 'say', words: 'Goodbye then.' }, { do: 'end' }] })
  const { held, says, hushed, optOuts } = relayed(leaving)
  await pause(5)
  says('Yes, speaking.')
  await pause(20)
  says("And don't call me again.")
  hushed()
  const talk = await held
  assert.equal(optOuts.length, 1)
  assert.deepEqual(talk.notes, [{ type: 'opt_out', quote: "And don't call me again." }])
  const { result, opted_out, evidence } = analyse(talk, withFields)
  assert.deepEqual([result, opted_out, evidence.result], ['opted_out', true, [3]])
})

test('an opt-out that only the brain understood is the result of the call, with the words it rests on', async () => {
  const understands: BrainFor = () => ({ respond: () => [{ do: 'opt_out' }] })
  const outcome = await converse(lineWith(['This phone is for family only.']), withFields, understands)
  assert.deepEqual([outcome.result, outcome.opted_out, outcome.evidence.result], ['opted_out', true, [1]])
})

test('what was drowned out of several sentences in a row is gone, whichever of them it begins in', async () => {
  const talkative: BrainFor = () => ({
    respond: () => [
      { do: 'say', words: 'I see, that is good.' },
      { do: 'say', words: 'When did it happen?' },
    ],
  })
  for (const [heard, kept] of [
    ['I see,', ['I see,']],
    ['When did', ['I see, that is good.', 'When did']],
    ['', ['I see, that is good.']],
  ] as const) {
    const outcome = await converse(lineWith(['Yes.', { type: 'interrupted', heard }]), withFields, talkative)
    assert.deepEqual(
      outcome.transcript.slice(2).map(({ text }) => text),
      kept,
      heard,
    )
  }
})

test('a greeting heard late is a machine, too', async () => {
  const pieces = ['You have reached the Lopez family.', 'We are out.', 'Please leave a message after the tone.']
  const { outcome, line } = await call(pieces)
  assert.deepEqual([outcome.result, line.state.ended], ['voicemail', true])
})

test('whoever picks up while their machine talks is greeted anew, and asked who they are', async () => {
  const leaves = brief({ voicemail_action: 'message', voicemail_message: 'Please call us back.' })
  const { said, outcome } = await call(
    ["You've reached Maria, leave a message after the tone.", "Hello? I'm here.", 'Yes, this is Maria.'],
    leaves,
  )
  assert.equal(said[1], said[0])
  assert.match(said[2]!, /^Thank you, Maria/)
  assert.notEqual(outcome.result, 'voicemail')
  const machine = await call(
    ["You've reached Maria, leave a message after the tone.", 'We are back on Monday.', { type: 'machine' }],
    leaves,
  )
  assert.match(machine.said.at(-1)!, /Please call us back\.$/)
  assert.equal(machine.outcome.result, 'voicemail')
  const optedOut = await call(["Leave a message after the tone. If you're selling, take me off your list."], leaves)
  assert.equal(optedOut.outcome.result, 'opted_out')
})

test('whoever takes over the phone is told who calls and asked who they are, before anything of the matter', async () => {
  for (const [first, ...rest] of [
    ['Hold on, let me get her.', 'Hello?', "Yes, I'm her husband.", 'Tomorrow at five.'],
    ['Yes, speaking.', 'Sure.', 'Let me put my husband on, he knows.', 'Hello?', 'Sure.', 'What is it about?'],
  ] as const) {
    const { said, outcome } = await call([first, ...rest])
    const held = said.indexOf("Thank you, I'll hold.")
    assert.ok(held > 0, JSON.stringify(said))
    assert.equal(said[held + 1], said[0])
    for (const words of said.slice(held)) assert.doesNotMatch(words, /claim|accident|pain/)
    assert.notEqual(outcome.result, 'converted')
  }
  const { said } = await call([
    'Hold on, let me get her.',
    { type: 'silence', seconds: 8 },
    'Hi.',
    'Yes, this is Maria.',
  ])
  assert.match(said.at(-1)!, /^Thank you, Maria/)
})

test('a child is not talked with, and a person is asked to find another time', async () => {
  const { said, outcome } = await call(["My mom isn't home.", 'What?'])
  assert.equal(said.at(-1), "Thank you. I'll call again another time. Goodbye.")
  assert.equal(said.length, 2)
  assert.deepEqual([outcome.result, outcome.callback_at, outcome.follow_ups.length], ['callback_requested', null, 1])
})

test('"are you still there?" is no question that a yes to tells who is on the line', async () => {
  const { said } = await call(['Who is this?', { type: 'silence', seconds: 8 }, 'Yes?'])
  assert.doesNotMatch(said.join(' '), /claim/)
  assert.match(said[2]!, /Am I speaking with Maria López\?$/)
})

test('a conversation that this process has let go of is not settled', async () => {
  const line = { ...lineWith([]), say: () => Promise.reject(new ConversationLost()) }
  await assert.rejects(converse(line, withFields), ConversationLost)
})

test('times in the transcript are seconds since the call was answered, never falling', async () => {
  const { outcome } = await call(['Yes.', 'Sure.', 'In March.'])
  const times = outcome.transcript.map(({ at }) => at)
  assert.deepEqual(times, [0, 10, 10, 20, 20, 30, 30])
  assert.equal(ANSWERED.getTime(), Date.parse('2026-03-02T16:20:00Z'))
})

const talk = fc.array(
  fc.oneof(
    fc.constantFrom(
      'Yes.',
      'No.',
      'Maybe.',
      'Hello?',
      'In March.',
      'Two.',
      'Email.',
      'Are you a robot?',
      'Call me tomorrow.',
      'At three.',
      'Who is this?',
      'Stop calling me.',
      'I want to talk to a person.',
      "I'm not interested.",
      'What?',
      "I don't know.",
      'Do I have a case?',
      'You idiots!',
      'She is not home.',
    ),
    fc.string(),
    fc.constant({ type: 'silence', seconds: 5 } as const),
    fc.constant({ type: 'dtmf', digit: '1' } as const),
    fc.constant({ type: 'machine' } as const),
    fc.constant({ type: 'interrupted', heard: 'Hello' } as const),
  ),
  { maxLength: 60 },
)

test('whatever the contact does, the call ends, its fields fit their definition, and its reading can be repeated', async () => {
  await fc.assert(
    fc.asyncProperty(talk, fc.boolean(), async (contact, transfers) => {
      const about = brief({ post_call_fields: FIELDS, is_transfer_enabled: transfers, transfer_number: '+12125550101' })
      const { outcome, said } = await call(contact, about)
      assert.match(said[0]!, /^This is an AI assistant calling from Marsh & Cole\./)
      assert.deepEqual(
        Object.keys(outcome.extracted_fields),
        FIELDS.map(({ name }) => name),
      )
      assert.ok(outcome.sentiment_score === null || (outcome.sentiment_score >= 0 && outcome.sentiment_score <= 1))
      assert.ok(outcome.summary.length > 10)
      assert.equal(outcome.opted_out, outcome.result === 'opted_out')
      assert.equal(outcome.callback_at === null || outcome.result === 'callback_requested', true)
      for (const turn of outcome.transcript) assert.ok(turn.text !== '')
    }),
    { numRuns: 300 },
  )
})
