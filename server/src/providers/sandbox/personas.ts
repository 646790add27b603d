/*
 * Who picks up in the sandbox. A number always has the same persona, picked by a hash of the whole number, with shares
 * that resemble a firm's contact list. Somebody whose line was busy, who did not answer or whose voicemail picked up may
 * be there at a later attempt, and who asked for a callback has time then; that too is the same every time for a number
 * and attempt.
 *
 * Washington's +1 202 555 0100 to 0119 are reserved: there the last two digits choose, at every attempt (see DESK).
 */

/** What the agent wants to hear, as the callee understands it from the words. */
export type Topic =
  | 'identity'
  | 'right_number'
  | 'proceed'
  | 'question'
  | 'next_step'
  | 'callback_time'
  | 'person_time'
  | 'appointment'
  | 'opt_out'
  | 'still_there'

/** What a persona does where the topic comes up: the first line at the first time, and so on; then it just answers. */
export type Move = readonly string[] | 'hangs_up' | 'silent' | 'interrupts'

export interface Persona {
  readonly name: string
  /** Of a thousand numbers. */
  readonly share: number
  readonly pickup: 'answers' | 'voicemail' | 'no_answer' | 'busy' | 'out_of_service' | 'network_failure'
  /** What becomes of the offer at the end. */
  readonly stance?: 'yes' | 'undecided' | 'no'
  readonly moves?: Partial<Record<Topic, readonly Move[]>>
}

const REFUSALS = [
  "I'm not interested, thank you.",
  "No thank you, I don't want to go on with this.",
  'I have no interest in that any more, sorry.',
]
const LAWYERED = [
  'Oh, I already have a lawyer for that.',
  "That's been settled last year, so there's nothing left to do.",
  'I already hired another attorney who is handling it.',
]
const LATER = [
  "I'm driving right now. Can you call me tomorrow at three?",
  'This is a bad time. Could you call back tomorrow morning?',
  "I'm at work, please call me after six tonight.",
  'Can you try me again in two hours?',
]
const OPT_OUTS = [
  'Please take me off your list.',
  'Stop calling me.',
  "Don't call this number again, please.",
  "I don't want any more calls from you people.",
  'Remove my number from your system, please.',
]
const WANT_PERSON = [
  "I'd rather talk to a real person.",
  'Can I speak to somebody at the office?',
  'Could you put me through to my attorney? I want to talk to a person about it.',
]
const WRONG = [
  "No, there's nobody by that name here.",
  'You have the wrong number.',
  "No, I don't know anyone by that name. I just got this number.",
]
const ROBOT = ['Wait, are you a robot?', 'Am I talking to a real person?', 'Is this a recording?']
const ADVICE = [
  'Do I even have a case?',
  'Should I sign the papers the insurance sent me?',
  'How much is my case worth, you think?',
]
const ANGRY = [
  'You people are unbelievable. This is a waste of my time.',
  'How dare you ring me in the middle of the day! What a bunch of crooks.',
]
const WHO = ['Sorry, who is this?', "Who's calling?", 'Hang on, what is this about?']
const SCREEN = [
  "Hi, the person you're calling is using a screening service. Please say your name and why you're calling, and I'll see if this person is available.",
]

export const PERSONAS: readonly Persona[] = [
  { name: 'converted', share: 150, pickup: 'answers', stance: 'yes' },
  { name: 'interested', share: 120, pickup: 'answers', stance: 'undecided' },
  { name: 'satisfied', share: 30, pickup: 'answers', stance: 'no' },
  { name: 'not_interested', share: 60, pickup: 'answers', moves: { proceed: [REFUSALS], next_step: [REFUSALS] } },
  { name: 'disqualified', share: 30, pickup: 'answers', moves: { proceed: [LAWYERED], next_step: [LAWYERED] } },
  { name: 'asks_for_callback', share: 50, pickup: 'answers', moves: { identity: [LATER] } },
  {
    name: 'opts_out',
    share: 40,
    pickup: 'answers',
    moves: { identity: [['Yes.', 'Speaking.']], proceed: [OPT_OUTS], next_step: [OPT_OUTS] },
  },
  {
    name: 'asks_for_person',
    share: 40,
    pickup: 'answers',
    moves: { proceed: [WANT_PERSON], next_step: [WANT_PERSON] },
  },
  { name: 'wrong_number', share: 30, pickup: 'answers', moves: { identity: [WRONG], right_number: [WRONG] } },
  { name: 'hangs_up', share: 30, pickup: 'answers', moves: { identity: ['hangs_up'] } },
  {
    name: 'silent',
    share: 10,
    pickup: 'answers',
    moves: { identity: ['silent', 'silent'], still_there: ['silent', 'silent'] },
  },
  {
    name: 'hostile',
    share: 10,
    pickup: 'answers',
    moves: { proceed: [ANGRY], next_step: [ANGRY], opt_out: [['Yes!', 'What do you think?']] },
  },
  {
    name: 'suspicious',
    share: 20,
    pickup: 'answers',
    stance: 'yes',
    moves: { identity: [WHO], proceed: [ROBOT], question: [ADVICE] },
  },
  {
    name: 'hurried',
    share: 15,
    pickup: 'answers',
    stance: 'undecided',
    moves: { identity: ['interrupts', ["Yeah, that's me, make it quick."]] },
  },
  {
    name: 'screened',
    share: 10,
    pickup: 'answers',
    stance: 'yes',
    moves: { identity: [SCREEN], question: [['Hello?']] },
  },
  { name: 'voicemail', share: 150, pickup: 'voicemail' },
  { name: 'no_answer', share: 145, pickup: 'no_answer' },
  { name: 'busy', share: 45, pickup: 'busy' },
  { name: 'out_of_service', share: 10, pickup: 'out_of_service' },
  { name: 'network_failure', share: 5, pickup: 'network_failure' },
]

const DESK = [
  'converted', // +1 202 555 0100
  'interested',
  'satisfied',
  'not_interested',
  'disqualified',
  'asks_for_callback', // 0105
  'opts_out',
  'asks_for_person',
  'wrong_number',
  'hangs_up',
  'silent', // 0110
  'hostile',
  'suspicious',
  'hurried',
  'screened',
  'voicemail', // 0115
  'no_answer',
  'busy',
  'out_of_service',
  'network_failure',
]

const byName = new Map(PERSONAS.map((persona) => [persona.name, persona]))

export const personaNamed = (name: string): Persona => byName.get(name)!

/** The persona of a reserved number; undefined for every other. */
export function deskPersona(number: string): Persona | undefined {
  const digits = /^\+1202555(01[01]\d)$/.exec(number)?.[1]
  return digits ? byName.get(DESK[Number(digits) - 100]!) : undefined
}

const BY_SHARE: readonly Persona[] = PERSONAS.flatMap((persona) => Array<Persona>(persona.share).fill(persona))
const TALKING = BY_SHARE.filter(({ pickup }) => pickup === 'answers')
/** How many of a hundred who could not be reached can be at the next attempt. */
const REACHED_LATER = 45

/** @param number E.164 @param attempt from 1 */
export function personaOf(number: string, attempt: number): Persona {
  const desk = deskPersona(number)
  if (desk) return desk
  const first = BY_SHARE[hash(number) % BY_SHARE.length]!
  const later = () => TALKING[hash(`${attempt} ${number}`) % TALKING.length]!
  // Who asked to be called back has time then.
  if (attempt > 1 && first.name === 'asks_for_callback') return later()
  if (attempt === 1 || !['no_answer', 'busy', 'voicemail'].includes(first.name)) return first
  const again = hash(`${number} ${attempt}`)
  return again % 100 < REACHED_LATER ? later() : first
}

/** FNV-1a with the finishing steps of MurmurHash3, without which neighbouring numbers would get neighbouring values. */
export function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
