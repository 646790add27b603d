import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '../providers/voice.ts'
import { identified } from './identity.ts'

const client = { first_name: 'Maria', last_name: 'López' }
const asks = (text: string, what?: string): Turn => ({ speaker: 'agent', text, at: 0, ...(what ? { asks: what } : {}) })
const says = (text: string): Turn => ({ speaker: 'contact', text, at: 0 })
const WHO = asks('Am I speaking with Maria López?', 'identity')

const THE_CONTACT = [
  'Yes.',
  'Speaking.',
  'This is she.',
  'Yes, this is she.',
  'That’s me.',
  'Yes, this is Maria.',
  'Maria López speaking.',
  'Maria here.',
  'Maria.',
  'Um, yeah, it’s Maria.',
  "Yes, I'm Maria. Who is this?",
  "You've got her.",
  'You are speaking with her.',
  'Yes, what is this about?',
  'Yes, speaking. Do I have a case?',
  'Sí.',
  'Yes, this is Maria, but I only have a second.',
]
for (const text of THE_CONTACT)
  test(`"${text}" is the contact`, () => assert.equal(identified({ client }, [WHO, says(text)]), true))

const NOT_THE_CONTACT = [
  'No.',
  'Yes?',
  'Sure?',
  'Hello?',
  'Okay.',
  'Who wants to know?',
  "This is Maria's husband.",
  'Yes, this is Maria’s daughter.',
  'Maria is not here.',
  "Maria isn't home.",
  'Maria passed away.',
  'Maria? No, this is Ana.',
  'Yes, this is her husband.',
  "Yes, I'm her daughter.",
  "Yes, that's my wife.",
  "Yes, she's my mother.",
  "Yes, she's right here.",
  'Yes, hold on.',
  'Yes, one moment.',
  'Yeah, let me get her.',
  "Yes, but she can't come to the phone.",
  'Yes, I can take a message for her.',
  'Yes, on behalf of Maria.',
  "Yes, I'm her lawyer.",
  'This is Robert.',
  "Yes, I'm nine years old.",
  'Yes, but my mom is not home.',
  'Mariana speaking.',
]
for (const text of NOT_THE_CONTACT)
  test(`"${text}" is not the contact`, () => assert.equal(identified({ client }, [WHO, says(text)]), false))

test('a yes counts only where it answers who is on the line', () => {
  for (const question of [
    asks('Is this the right number to reach Maria López?', 'right_number'),
    asks('Do you have a minute?'),
    asks('Is this a good time?'),
    asks('When would be a good time to reach Maria?', 'callback_time'),
  ])
    assert.equal(identified({ client }, [WHO, says('Who is this?'), question, says('Yes.')]), false, question.text)
  for (const question of [asks('Am I speaking with Maria?'), asks('Is this Maria López?'), WHO])
    assert.equal(identified({ client }, [WHO, says('Who is this?'), question, says('Yes.')]), true, question.text)
})

test('who has said to be the contact stays it, until somebody else takes the phone', () => {
  const known = [WHO, says('Yes, speaking.'), asks('When did it happen?', 'field:when'), says('In March. He hit me.')]
  assert.equal(identified({ client }, known), true)
  for (const handOver of [
    'Let me put my husband on.',
    "I'll get my daughter, she knows.",
    "Here's my wife.",
    "I'm giving the phone to my son.",
  ]) {
    const other = [...known, says(handOver)]
    assert.equal(identified({ client }, other), false, handOver)
    assert.equal(identified({ client }, [...other, asks("Thank you, I'll hold."), says('Yes.')]), false)
    assert.equal(
      identified({ client }, [...other, asks("Thank you, I'll hold."), says('Hi.'), WHO, says('Yes.')]),
      true,
    )
  }
})

test('a yes to a question that was not heard confirms nothing', () => {
  const cut = (text: string): Turn => ({ ...WHO, text, interrupted: true })
  for (const heard of ['', 'This is', 'This is an AI assistant calling from Marsh & Cole.'])
    assert.equal(identified({ client }, [cut(heard), says('Yes.')]), false, heard)
  assert.equal(identified({ client }, [cut('Hello. Am I speaking with Maria'), says('Yes.')]), true)
})

test('a name is text, not a pattern', () => {
  const odd = { first_name: 'Jo (J.)', last_name: 'X' }
  assert.equal(identified({ client: odd }, [WHO, says('This is Jo (J.).')]), true)
  assert.equal(identified({ client: { first_name: 'A+', last_name: 'X' } }, [WHO, says('This is AAA')]), false)
})
