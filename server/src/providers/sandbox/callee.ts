import type { CallerEvent } from '../voice.ts'
import { hash, type Move, type Persona, type Topic } from './personas.ts'

/** The person (or machine) at the other end: hears what the agent says and does something about it. */
export interface Callee {
  /** What comes back after the agent has said `words` (nothing, where it is empty). */
  hear(words: string): CallerEvent[]
}

/** The same seed gives the same answers to the same words. */
export function calleeOf(persona: Persona, seed: string): Callee {
  return persona.pickup === 'voicemail' ? machine(seed) : person(persona, seed)
}

const GREETINGS = [
  "You've reached my voicemail. Please leave a message after the tone.",
  "Hi, I can't come to the phone right now. Leave your name and number and I'll call you back.",
  'The person you are calling is not available. Please record your message at the tone.',
]

function machine(seed: string): Callee {
  const spoken: CallerEvent[] = [{ type: 'said', text: GREETINGS[hash(seed) % GREETINGS.length]! }, { type: 'machine' }]
  return { hear: () => (spoken.length > 0 ? [spoken.shift()!] : [{ type: 'silence', seconds: 8 }]) }
}

function person(persona: Persona, seed: string): Callee {
  let state = hash(seed) || 1
  const roll = (sides: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % sides
  }
  const pick = (lines: readonly string[]) => lines[roll(lines.length)]!
  const visits = new Map<Topic, number>()

  function act(move: Move, words: string): CallerEvent[] {
    switch (move) {
      case 'hangs_up':
        return [{ type: 'ended', reason: 'user_hangup' }]
      case 'silent':
        return [{ type: 'silence', seconds: 8 }]
      case 'interrupts': {
        const heard = words.split(' ').slice(0, 10).join(' ')
        return [
          { type: 'interrupted', heard },
          { type: 'said', text: 'Yeah, hello? Who is this?' },
        ]
      }
      default:
        return [{ type: 'said', text: pick(move) }]
    }
  }

  return {
    hear(words) {
      if (words === '') return [{ type: 'silence', seconds: 6 }]
      const question = lastQuestion(words)
      const topic = topicOf(question)
      const visit = visits.get(topic) ?? 0
      visits.set(topic, visit + 1)
      const move = persona.moves?.[topic]?.[visit]
      if (move) return act(move, words)
      const text = answer(topic, question, words, persona, pick, roll)
      return [{ type: 'said', text: text.charAt(0).toUpperCase() + text.slice(1) }]
    },
  }
}

/** The last question in what was said, or the whole of it where nothing was asked. */
function lastQuestion(words: string): string {
  const end = words.lastIndexOf('?')
  if (end < 0) return words
  // The full stops of "Marsh & Cole, P.C. to call" begin no sentence.
  for (let at = end - 2; at > 1; at--) {
    if (words[at] === ' ' && /[.!?]/.test(words[at - 1]!) && /[^A-Z.]/.test(words[at - 2]!))
      return words.slice(at + 1, end + 1)
  }
  return words.slice(0, end + 1)
}

const TOPICS: [Topic, RegExp][] = [
  ['still_there', /\bstill there\b/i],
  ['right_number', /\bright number\b/i],
  ['opt_out', /\bnot to call you again\b/i],
  [
    'identity',
    /\b(?:am i (?:speaking|talking) (?:with|to)|may i (?:speak|talk)|can i (?:speak|talk)|could i (?:speak|talk)|is this [A-Z]|is [A-Z]\w+ (?:there|available|home))/i,
  ],
  [
    'proceed',
    /\b(?:good time|got a minute|have a (?:minute|moment)|may i (?:ask|continue|go on)|all right if i ask)\b.*\?$/i,
  ],
  ['person_time', /\bgood time for that\b/i],
  ['callback_time', /\b(?:time to (?:call|reach)|time would suit|at what hour|call you (?:back|again))\b/i],
  ['appointment', /\bday and time\b/i],
  [
    'next_step',
    /^(?:so,? |then,? )?(?:would you like|shall we|shall i|do you want (?:us|me|someone)|can we|may we)\b/i,
  ],
]

function topicOf(question: string): Topic {
  // "Is now a good time?" and "When would be a good time to call?" share words; the asking word tells them apart.
  const when = /^(?:and )?(?:when|which|what|is it better)\b/i.test(question)
  for (const [topic, pattern] of TOPICS) if (pattern.test(question) && !(when && topic === 'proceed')) return topic
  return 'question'
}

type Pick = (lines: readonly string[]) => string

function answer(
  topic: Topic,
  question: string,
  words: string,
  persona: Persona,
  pick: Pick,
  roll: (sides: number) => number,
): string {
  switch (topic) {
    case 'identity':
      return pick(['Yes, this is NAME.', 'Speaking.', "Yes, that's me.", 'Yes, it is.']).replace(
        'NAME',
        nameIn(question) ?? 'me',
      )
    case 'right_number':
      return 'Yes, it is, but not right now.'
    case 'proceed':
      return pick(['Sure, go ahead.', "Yes, that's fine.", 'Yes, I have a few minutes.', 'Okay, go on.'])
    case 'next_step':
      return pick(OFFERED[persona.stance ?? 'undecided'])
    case 'callback_time':
      return pick([
        'Tomorrow at three.',
        'Tonight after six would work.',
        'In about two hours.',
        'Tomorrow morning, around ten.',
      ])
    case 'person_time':
      return pick(['Any time tomorrow is fine.', 'Tomorrow morning, please.', 'This afternoon would be good.'])
    case 'appointment':
      return pick([
        'Thursday morning would be good.',
        'Tomorrow at two, if you can.',
        'Some day next week, in the afternoon.',
      ])
    case 'opt_out':
      return pick(['No, just not now.', 'Yes, please.'])
    case 'still_there':
      return "Yes, sorry, I'm here."
    case 'question':
      return words.includes('?') ? inform(question, persona, pick, roll) : 'Okay.'
  }
}

const OFFERED = {
  yes: ["Yes, I'd appreciate that.", 'Yes, please do.', 'Sure, that would be great.', 'Yes, that sounds good.'],
  undecided: [
    "I'd have to think about it.",
    'Let me talk to my wife first.',
    "I'm not sure yet, maybe.",
    'Perhaps, I need to think about it.',
  ],
  no: ["No, that's not necessary, but thank you.", "No, I'm all set for now."],
}

const nameIn = (question: string) =>
  /.*\b(?:speaking with|talking to|speak with|speak to|[Ii]s this|reach) (\p{Lu}[\p{L}'’-]+)/u.exec(question)?.[1]

/** What people say about facts, by what the question is about; the first that fits. */
const SUBJECTS: [RegExp, readonly string[]][] = [
  [/\be-?mail\b/i, ["It's the same one you write to.", 'You can use jordan at example dot com.']],
  [
    /\b(?:phone|number) (?:to|for|where)\b|\bbest (?:phone )?number\b/i,
    ['The number you just called is the best one.'],
  ],
  [/\b(?:address|live|moved)\b/i, ["I'm still at the same address.", 'I moved to Maple Street in the spring.']],
  [
    /\b(?:when|date|what day|since|how long ago|year)\b/i,
    [
      'It was in March of last year.',
      'On June 14th, 2023.',
      'Back in October 2022, I believe.',
      'It must have been the week before Thanksgiving.',
    ],
  ],
  [
    /\b(?:where|location|place)\b/i,
    [
      'On the highway, near the exit for the airport.',
      'In the parking lot of the store.',
      'At the plant, on the second floor.',
    ],
  ],
  [
    /\b(?:doctor|treat|hospital|therap|clinic|provider)\w*/i,
    [
      'I see a physical therapist twice a week.',
      'I was at the county hospital, and now my family doctor looks after me.',
    ],
  ],
  [
    /\b(?:injur|hurt|pain|symptom|condition|diagnos|health)\w*/i,
    [
      'My back and my left shoulder, mostly.',
      'It was my knee. It still swells when I walk a lot.',
      "I get headaches, and I don't sleep well since.",
    ],
  ],
  [
    /\b(?:insur|policy|claim number)\w*/i,
    [
      "It's with the other driver's insurance, they have the claim.",
      'I have the letter somewhere, but not in front of me.',
    ],
  ],
  [
    /\b(?:employer|job|work|occupation)\b/i,
    ['I drive for a delivery company.', 'I work at the school, in the kitchen.'],
  ],
  [
    /\b(?:document|record|paper|photo|form|bill)\w*/i,
    ['I have the bills and a few photos.', 'I sent the papers in two weeks ago.'],
  ],
  [/\b(?:name|who|contact person|witness)\b/i, ['My sister Elena was with me.', 'That would be Mr. Hoffman.']],
  [/\b(?:reason|why)\b/i, ['Mostly because nobody had told me what happens next.', 'It just took too long for me.']],
]
const OPEN = [
  "It's about the same as before.",
  'Nothing has changed since your last letter.',
  "Just that I'm still waiting to hear how it goes on.",
  "There's not much new, I'm afraid.",
]

function inform(question: string, persona: Persona, pick: Pick, roll: (sides: number) => number): string {
  // Now and then somebody doesn't know.
  if (roll(14) === 0) return pick(["I don't know, to be honest.", "I'd rather not say.", "I don't remember that."])
  const choices = /: (.+) or (.+)\?$/.exec(question)
  if (choices)
    return pick(['CHOICE.', "I'd say CHOICE.", 'CHOICE, probably.']).replace(
      'CHOICE',
      pick([...choices[1]!.split(', '), choices[2]!]),
    )
  if (/\bwhether\b|\byes or no\b|^(?:is|are|do|does|did|have|has|had|was|were|can|will|would)\b/i.test(question))
    return yesNo(question, persona, pick, roll)
  if (/\b(?:how many|how much|how old|how long|how often|number|amount|count|percent|age|scale)\b/i.test(question)) {
    const counts = /\b(?:old|age)\b/i.test(question)
      ? ['forty-two', '38', 'sixty-one', '57']
      : ['two', 'three', '4', 'five', '12']
    return pick(['COUNT.', 'About COUNT.', 'COUNT, I think.']).replace('COUNT', pick(counts))
  }
  return pick(SUBJECTS.find(([subject]) => subject.test(question))?.[1] ?? OPEN)
}

function yesNo(question: string, persona: Persona, pick: Pick, roll: (sides: number) => number): string {
  if (/\blawyer|attorney|represent/i.test(question)) return pick(["No, I don't.", 'No, not so far.'])
  const leaning = persona.stance === 'yes' ? 7 : 5
  return roll(10) < leaning
    ? pick(['Yes.', "Yes, that's right.", "Yeah, I'd say so.", 'Yes, still.'])
    : pick(['No.', 'No, not really.', 'No, not at this point.'])
}
