import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { speechGuard } from './speech-guard.ts'

const FIRM = 'Marsh & Cole'

interface Telling {
  told?: string
  firmsWords?: string
}

/** What is said of a text that comes in such pieces. */
function said(pieces: string[], { told = '', firmsWords = '' }: Telling = {}): string {
  const guard = speechGuard({ company_name: FIRM, told: () => told, firmsWords: () => firmsWords })
  return (pieces.map((piece) => guard.push(piece)).join('') + guard.end()).trim()
}

const inWords = (text: string) => text.match(/\S+\s*/g) ?? []

/** However a text is cut into pieces, what comes of it is the same, but for words that were out already. */
function allWays(text: string, telling: Telling = {}): string[] {
  return [said([text], telling), said(inWords(text), telling), said([...text], telling)]
}

const ORDINARY = [
  'Thank you, Maria.',
  "I'm an AI assistant, not a person.",
  "No, I'm not a real person. I'm an AI assistant.",
  "I'm not a lawyer, but I can have one call you.",
  "I'm sorry to hear that. I hope you recover soon.",
  'You have a hearing on March 12. Will you be there?',
  'You have an appointment with Mr. Lee at 3 p.m. on Friday.',
  'Could you tell me when the accident happened?',
  'Do you still have pain?',
  'Were you hurt in the crash, and did you see a doctor?',
  'How many people were in the car with you?',
  'Did the other driver stop?',
  'Have you talk to your insurance company since then?',
  'Did you sign anything so far?',
  'Do you want to accept a call from our office tomorrow?',
  'Are you still interested in going on with your claim?',
  'Would you like to settle on a time for the appointment?',
  'Who was at the wheel when it happened?',
  'I suggest that we talk tomorrow, when you have more time.',
  "I'd recommend that you bring your papers to the office.",
  'We recommend arriving ten minutes early.',
  'Your case is with Ms. Hoffman. You can call the office any time.',
  'Your claim is open, and the status is "investigation".',
  'The next step in your case is a medical examination.',
  "You're entitled to know why I'm calling.",
  'You have the right to ask that.',
  'You can park behind the building.',
  'You should get a letter from us this week.',
  'You will receive a form by mail. Please fill it in and send it back.',
  'Please have your policy number at hand.',
  'I promise this will only take two minutes.',
  'I promise to pass that on.',
  "I can't give you legal advice, but the legal team will answer that.",
  'I will note that you would rather not say.',
  "We're calling because we have not heard from you.",
  'We have your address as 12 Main Street. Is that right?',
  'Your number is on file at the firm.',
  "You don't have to decide today.",
  'Are you free on Tuesday at ten?',
  'The office is open from nine to five, Monday to Friday.',
  'It was in 2023, is that right?',
  'You said that three people were hurt.',
  "That's significant, thank you for telling me.",
  'Were you admitted to a hospital?',
  'Have you been able to work since then?',
  'Is there anything that makes the pain worse?',
  'It is worth a short call, if you have the time.',
  'Our real estate team is on another floor.',
  'Let me check that for you.',
  "We won't keep you long.",
  "I'm taking you off our list, and we won't call you again.",
  'You can get a copy of your file from us.',
  'You could come in on Monday, or we can talk by phone.',
  'We can help you with the form.',
  'You must be tired of this.',
  'You may ask me to repeat anything.',
  'Can you tell me what your doctor said?',
  'Was it your fault that the appointment was missed, or ours?',
  'Did they offer you another car?',
  'The hospital has sent us the records.',
  'It is best to reach us in the morning.',
  'It would be best if you call the office about that.',
  'Please call the office if anything changes.',
  "Don't worry about it.",
  'You need to be at the office at nine.',
  'I have to end the call here.',
  'I understand that this is hard to talk about.',
  'May I ask how you prefer to hear from us?',
  'Which of these fits best: phone, email or text message?',
  "I didn't catch that, could you say it again?",
  'All right, then I will call you again tomorrow at 3 PM.',
  'Have a good day. Goodbye.',
  'Dr. Smith and Mrs. Jones have both been told.',
  'The law firm is called Marsh & Cole, P.C. and sits in Albany.',
  'Can you confirm that your last name is de la Cruz?',
  'Hola, señora López, thank you for taking the call.',
  'Your court date is 2030-03-12, in Albany County Court.',
  'Was there a stop sign where it happened?',
  'What did the judge say at the last hearing?',
  'My colleague will call you about the offer.',
  'I was told that you had a question about the form.',
  'The paralegal on your case is Dana.',
  'A hundred people ask me that.',
  'You can sign up for text messages on our page.',
]
for (const text of ORDINARY)
  test(`may be said as it is: ${text}`, () => {
    for (const each of allWays(text)) assert.equal(each, text)
  })

const ADVICE = [
  'You should sign the papers they sent you.',
  'Honestly, I would not accept that offer.',
  "Don't talk to the insurance company.",
  'Never give them a statement.',
  "Don't sign anything.",
  'Sign it.',
  'Take the offer.',
  "I'd settle.",
  'Just settle.',
  "You shouldn't accept their offer.",
  "You don't have to pay them.",
  'It would be best to settle.',
  "It's a mistake to sign that.",
  'If I were you, I would wait.',
  'In my opinion they have to pay.',
  'My advice is to wait.',
  'I advise you to plead guilty.',
  'I recommend filing a suit.',
  'You have a very strong case.',
  'You definitely have a case.',
  "You don't have a case.",
  'Your chances are excellent.',
  'Your case looks good.',
  'That sounds like a strong claim.',
  'Your claim is worth at least fifty thousand dollars.',
  'I guarantee that we will win this.',
  'You will win.',
  'You are going to win this.',
  "We'll get you a big settlement.",
  'You will get compensated for all of it.',
  'You could receive thousands.',
  "You can't lose.",
  'This is a slam dunk.',
  'I promise you that you will be fine in court.',
  'You’re entitled to damages.',
  'They owe you money.',
  'The other driver was clearly at fault.',
  "It wasn't your fault.",
  "That's illegal.",
  "That's malpractice.",
  'Under state law you have two years.',
  'You have two years to file.',
  'You only have thirty days to respond.',
  'The deadline to sue is in March.',
  'You can sue them.',
  'You can still sue.',
  'The judge will side with you.',
  "They'll settle.",
  'Another client of ours got a million for that.',
  'Most clients like you received a lot.',
  'Hire us and stop paying them.',
]
for (const text of ADVICE)
  test(`never reaches the contact: ${text}`, () => {
    for (const each of allWays(`I see. ${text} Trust me, it is easy.`)) {
      assert.match(each, /^I see\. (?:[^.]{0,40} … )?I'm not able to give legal advice, but .* Marsh & Cole\.$/)
    }
  })

const DENIALS = [
  'No, I am a real person, I promise.',
  "I'm human.",
  "Of course I'm human.",
  "I'm not a robot.",
  "I'm not an AI, don't worry.",
  "You're talking to a real person.",
  'You are speaking with a live human being.',
  'This is a real person.',
  'I am as human as you.',
  "There's no robot here.",
  "I'm a lawyer at the firm.",
  "I'm actually a paralegal.",
  "I'm Ava, a paralegal.",
  'As an attorney, I see this often.',
  "This isn't a recording, I'm not a machine.",
]
for (const text of DENIALS)
  test(`is corrected: ${text}`, () => {
    for (const each of allWays(text))
      assert.match(each, /I'm an AI assistant calling for Marsh & Cole, not a person\.$/)
  })

test('a sum that nobody told the agent is not named; one that the firm or the contact named is', () => {
  for (const text of [
    'The fee is 33%.',
    'It costs $250.',
    'We take a third, that is thirty percent.',
    'That would be two hundred dollars an hour.',
    'There is no fee unless we get you something.',
    'The first talk is free.',
    "It won't cost you anything.",
    'They paid half a million last time.',
  ])
    for (const each of allWays(text)) assert.match(each, /sums of money|legal advice/, text)
  const told = 'Tell them that the consultation costs $250, or is free for veterans.\nI paid eighty dollars.'
  for (const text of [
    'The consultation costs two hundred fifty dollars.',
    'The consultation costs $250.',
    'It is free for veterans.',
    'You said that you paid $80.',
  ])
    for (const each of allWays(text, { told })) assert.equal(each, text)
  assert.match(said(['The consultation costs $300.'], { told }), /sums of money/)
})

test('a step that the firm asks for may be asked for, and what the other side wants may not', () => {
  const firmsWords = 'Ask {{first_name}} to please sign the medical authorization form and send it back.'
  for (const text of [
    'Could you please sign the form and send it back?',
    'You need to sign the authorization form.',
    'Please sign it by Friday.',
  ])
    for (const each of allWays(text, { firmsWords })) assert.equal(each, text)
  for (const text of ['You should sign their offer.', 'Please sign what the insurance sent you, and accept it.'])
    assert.match(said([text], { firmsWords }), /legal advice/, text)
})

test('what no voice could say is left out', () => {
  // Of a sentence that turns bad, its first words may be out.
  for (const [text, spoken] of [
    ['**Thank you**, Maria.', 'Thank you, Maria.'],
    ['Thank you! 😊', 'Thank you!'],
    ['Great 👍🏽 thank you.', 'Great thank you.'],
    ['# Greeting\nHello again.', 'Greeting Hello again.'],
    ['- When did it happen?', 'When did it happen?'],
    ['1. When did it happen?', 'When did it happen?'],
    ['(smiles warmly) Hello again.', 'Hello again.'],
    ['*laughs softly* Hello again.', 'Hello again.'],
    ['Look at https://example.com/a?b=1 for it. Goodbye.', 'Goodbye.'],
    ['Go to www.example.com now. Goodbye.', 'Goodbye.'],
    ['{"name": "end_call", "arguments": {}}', ''],
    ['<tool_call>end_call</tool_call>', ''],
    ['```json\n{"a": 1}\n``` Goodbye.', 'Goodbye.'],
    ['<think>They want to stop. I should be nice. Let me see.</think>Thank you.', 'Thank you.'],
    ['Assistant: Thank you.', 'Thank you.'],
    ['Thank you.\nUser: Yes.\nAssistant: Great.', 'Thank you.'],
    ['| a | b |\n|---|---|', ''],
    ['####', ''],
  ] as const)
    for (const each of allWays(text))
      assert.equal(each.replace(/\s+/g, ' ').replace(/^(?:Look(?: at)?|Go) … /, ''), spoken, text)
})

test('an agent does not recite what it was told to do', () => {
  for (const text of [
    'My instructions say that I must not give advice.',
    'I was instructed to say that.',
    'The system prompt reads as follows.',
    'I will now use record_opt_out.',
    'Rules that nothing said on the phone can change.',
  ])
    for (const each of allWays(`Sure. ${text} You are Ava.`)) assert.match(each, /^Sure\.(?: I will now)?$/, text)
})

test('a language that the rules can not read is not spoken', () => {
  for (const text of [
    'Usted debe firmar los papeles para ganar su caso.',
    'Soy una persona real, no se preocupe por nada, que todo está bien.',
    'Vous devez signer, je suis votre avocat.',
    'Sie haben das Recht auf eine Entschädigung, und wir gewinnen.',
    '您的案子会赢。',
    'Вы выиграете дело.',
  ])
    for (const each of allWays(text)) assert.match(each, /I can only speak English/, text)
})

test('nobody is talked at without an end', () => {
  for (const text of [
    'and so on '.repeat(400),
    'Wait, one more thing! '.repeat(60),
    Array.from({ length: 100 }, (_, n) => `This is sentence number ${n} of it.`).join(' '),
    'you '.repeat(500),
  ])
    for (const each of allWays(text)) assert.ok(each.split(/\s+/).length <= 90, `${each.length}`)
})

test('whatever a model writes, and in whatever pieces, the guard takes it and nothing unspeakable comes through', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('You ', 'should ', 'sign. ', '<think>', '</think>', '```', '**', '. ', '\n', '{', 'User: ', '$5 '),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      assert.doesNotMatch(said(pieces), /[{}<>|\\#`]|you should sign/i)
    }),
    { numRuns: 500 },
  )
})
