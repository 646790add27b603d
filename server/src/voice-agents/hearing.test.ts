import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  handsOver,
  type Intent,
  intentOf,
  isUnmistakablyVoicemail,
  soundsLikeChild,
  soundsLikeLivePerson,
  soundsLikeScreening,
  soundsLikeVoicemail,
  withholdsAnswer,
  yesOrNo,
} from './hearing.ts'

const INTENTS: [Intent | null, string][] = [
  ['robot_question', 'Are you a robot?'],
  ['robot_question', 'Wait, am I talking to a real person?'],
  ['robot_question', 'Is this a recording?'],
  ['robot_question', 'Is this AI?'],
  ['wants_person', 'I want to talk to a human.'],
  ['wants_person', 'Can I speak to a lawyer?'],
  ['wants_person', 'Let me speak with someone at the office.'],
  ['wants_person', 'Put me through, please. Connect me.'],
  ['wants_person', "I'm not talking to a machine."],
  ['wants_person', 'No hablo inglés.'],
  ['wants_person', 'Lo siento, no entiendo inglés.'],
  ['wants_person', "I don't speak English."],
  ['wants_person', 'Sorry, no English.'],
  ['wants_person', 'Je ne parle pas anglais.'],
  ['wants_person', '我不会说英语'],
  ['wants_person', 'Я не говорю по-английски'],
  ['wrong_number', 'You have the wrong number.'],
  ['wrong_number', "There's nobody by that name here."],
  ['wrong_number', "I don't know who that is."],
  ['wrong_number', 'She doesn’t live here anymore.'],
  ['not_here', "She's not home right now."],
  ['not_here', 'This is his wife.'],
  ['not_here', "I'm her daughter."],
  ['not_here', "Yes, that's my mom."],
  ['not_here', "This is Maria's husband."],
  ['deceased', 'I’m afraid my husband passed away in May.'],
  ['callback', 'Can you call me tomorrow at three?'],
  ['callback', 'Call me back later.'],
  ['callback', 'Can you try me again in two hours?'],
  ['callback', 'Call me about ten.'],
  [null, 'Whom do I call about this?'],
  ['callback', 'Could we do this another time?'],
  ['busy', "I'm driving."],
  ['busy', "It's a bad time."],
  ['legal_question', 'Do I have a case?'],
  ['legal_question', 'Should I sign the release?'],
  ['legal_question', 'How much money will I get?'],
  ['legal_question', 'What are my rights?'],
  ['who_question', 'Who is this?'],
  ['who_question', 'What is this about?'],
  ['number_question', 'How did you get my number?'],
  ['number_question', 'Is this a scam?'],
  ['repeat', 'Could you repeat that?'],
  ['repeat', 'Sorry?'],
  ['repeat', "I didn't catch that."],
  ['disqualified', 'I already have a lawyer.'],
  ['disqualified', 'My case is closed.'],
  ['disqualified', 'We settled last year.'],
  ['disqualified', "I've hired another attorney."],
  ['hostile', 'Go to hell.'],
  ['breaks_off', 'I have to go.'],
  ['breaks_off', "I don't want to answer any more of this."],
  ['refusal', "I'm not interested."],
  ['refusal', 'No, thank you.'],
  [null, 'Yes.'],
  [null, 'Sure, go ahead.'],
  [null, 'I was in the hospital for a week.'],
]
for (const [intent, text] of INTENTS)
  test(`"${text}" means ${intent ?? 'an answer'}`, () => assert.equal(intentOf(text, undefined, ''), intent))

const ANSWERS: [string, string, string][] = [
  ['field:witness', 'Could you tell me who was with you?', 'He died in the crash.'],
  ['field:witness', 'Could you tell me who saw it?', "I don't know anyone who saw it."],
  ['field:work', 'Could you tell me where you were?', "I was at home, she's at work all day."],
  [
    'field:contact_method',
    'Could you tell me your preferred contact method: phone or email?',
    'Just call me after six, phone is best.',
  ],
  ['field:still_interested', 'Are you still interested?', "No, I'm not interested any more."],
  ['callback_time', 'When would be a good time to call again?', 'Try me tomorrow at three.'],
  ['next_step', 'Would you like someone to follow up with you?', 'No thank you.'],
]
for (const [asks, question, text] of ANSWERS)
  test(`"${text}" only answers "${question}"`, () => assert.equal(intentOf(text, asks, question), null))

test('whatever is asked, a wish for a person is heard', () => {
  for (const asks of [undefined, 'identity', 'reason', 'field:x', 'next_step', 'callback_time']) {
    assert.equal(
      intentOf('I want to speak to a real person.', asks, 'Could you tell me the date of the accident?'),
      'wants_person',
    )
  }
})

const VERDICTS: [boolean | null, string[]][] = [
  [
    true,
    [
      'Yes.',
      'Yeah, I do.',
      'Speaking.',
      'This is she.',
      "That's right.",
      'Sure, why not.',
      'Uh-huh',
      'I do, yes.',
      'Of course.',
      'Well, yes.',
      'No problem.',
      'Sí',
    ],
  ],
  [
    false,
    [
      'No.',
      'Nope.',
      'No, not any more.',
      "I don't.",
      'Not really.',
      'Um, no.',
      "I haven't yet.",
      "I'm not.",
      'Never.',
      "I don't think so.",
      'I have no interest in that any more.',
      'I have never seen one.',
    ],
  ],
  [
    null,
    [
      "I don't know.",
      'Maybe.',
      "I'm not sure.",
      'Yes and no.',
      "I'd have to think about it.",
      'It depends.',
      'In March.',
      'What do you mean?',
      'Let me talk to my wife first.',
      'Noah is my son.',
      'Right, but no.',
      "Okay, I don't want that.",
      'Fine, no thank you.',
      'Yesterday.',
    ],
  ],
]
for (const [verdict, texts] of VERDICTS)
  for (const text of texts)
    test(`"${text}" is ${verdict === null ? 'neither yes nor no' : verdict ? 'a yes' : 'a no'}`, () =>
      assert.equal(yesOrNo(text), verdict))

test('not knowing and not telling are no answers', () => {
  for (const text of [
    "I don't know.",
    "I don't know, to be honest.",
    "I'd rather not say.",
    'No idea.',
    "I don't remember that.",
    'Not sure.',
    'Next question.',
    "I don't want to answer that.",
  ])
    assert.equal(withholdsAnswer(text), true, text)
  for (const text of [
    'In March.',
    "I don't have pain any more.",
    'My sister knows.',
    'No.',
    'Sure.',
    "I don't drive.",
    "I don't.",
  ])
    assert.equal(withholdsAnswer(text), false, text)
})

test('answering machines and screening phones are told by their words', () => {
  for (const text of [
    "You've reached Bob. Leave a message after the tone.",
    'The mailbox is full.',
    "Hi, we can't come to the phone right now.",
  ])
    assert.equal(soundsLikeVoicemail(text), true, text)
  assert.equal(
    soundsLikeScreening("Please say your name and why you're calling, and I'll see if this person is available."),
    true,
  )
  for (const text of [
    'Yes, this is Maria.',
    'Hello?',
    "She can't come to the phone right now.",
    "I can't answer that.",
    'Would you like to leave a message?',
    'Can I take a message for him?',
    "I'm not available on Monday.",
  ]) {
    assert.equal(soundsLikeVoicemail(text), false, text)
    assert.equal(soundsLikeScreening(text), false, text)
  }
})

test('a machine is known late in a call only by what no person says', () => {
  for (const text of [
    'Please leave a message after the tone.',
    'At the tone, please record your message.',
    'Your call has been forwarded to an automated voice messaging system.',
    'The mailbox is full.',
  ])
    assert.equal(isUnmistakablyVoicemail(text), true, text)
  for (const text of [
    'You can leave a message with my wife.',
    'I got your message on my voicemail.',
    'The doctor left a voicemail.',
    "I can't come to the phone at work.",
  ])
    assert.equal(isUnmistakablyVoicemail(text), false, text)
})

test('somebody who picks up while the machine talks is heard', () => {
  for (const text of ['Hello?', 'Hello.', "Hi, sorry, I'm here.", "Yes, hello, who's this?", 'This is she.'])
    assert.equal(soundsLikeLivePerson(text), true, text)
  for (const text of [
    "Hi, you've reached Maria.",
    'I am not in right now.',
    'Please speak after the beep.',
    'Thank you.',
  ])
    assert.equal(soundsLikeLivePerson(text), false, text)
})

test('a child is known by its words, and nobody else by them', () => {
  for (const text of [
    "I'm ten.",
    "I'm only 12 years old.",
    "My mom isn't home.",
    "My parents aren't here.",
    'I am just a kid.',
    'My daddy is sleeping.',
  ])
    assert.equal(soundsLikeChild(text), true, text)
  for (const text of [
    "I'm 45.",
    "I'm ten minutes away.",
    'My daughter is ten.',
    'My mother was hurt, too.',
    "I'm seventeen weeks pregnant.",
    "I'm five miles from the office.",
  ])
    assert.equal(soundsLikeChild(text), false, text)
})

test('the phone is handed over in many words, and not in others', () => {
  for (const text of [
    'Hold on, let me get her.',
    "I'll put my husband on.",
    "She's right here.",
    'Sure, here she is, one second. Here is my wife.',
    'Talk to my wife.',
    "I'm handing you to my son.",
  ])
    assert.equal(handsOver(text), true, text)
  for (const text of [
    'Let me get back to you.',
    "I'll call him back.",
    'My husband will know.',
    "I'll let her know.",
    'I have to talk to my wife first.',
    "He's here every day for therapy, that is the problem.",
  ])
    assert.equal(handsOver(text), false, text)
})
