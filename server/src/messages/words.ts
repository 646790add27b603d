import { asksToBeLeftAlone, plain } from '../voice-agents/opt-out.ts'

/*
 * What a text of a contact asks for, beyond being read by a person. The words are those of the carriers (CTIA) and their
 * like; they must be the whole message. A refusal in other words counts as well (47 CFR 64.1200: by any reasonable
 * means): in doubt nobody is written to again, and a person can ask.
 */

const STOP = new Set([
  'stop',
  'stopall',
  'stop all',
  'stop it',
  'stop please',
  'please stop',
  'unsubscribe',
  'cancel',
  'end',
  'quit',
  'revoke',
  'optout',
  'opt out',
  'remove',
  'remove me',
  'arret',
  'alto',
  'parar',
])
const START = new Set(['start', 'yes', 'unstop', 'opt in', 'optin', 'subscribe'])
const HELP = new Set(['help', 'info', 'ayuda', 'aide'])

export type Wish =
  /** `also_calls`: the contact wants to be called no more, either. */
  { asks: 'stop'; keyword: boolean; also_calls: boolean } | { asks: 'start' } | { asks: 'help' } | null

const asWord = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Refusals that are written rather than said. Most sentences are covered by what is heard on the phone. */
const REFUSALS = [
  /\b(?:stop|quit|cease) (?:with )?(?:the |these |your |all |sending |me )*(?:text|sms|messag)/,
  /\b(?:don't|do not|dont|never|pls don't|no longer) (?:\w+ )?(?:text|sms|message|msg|write|send)\b/,
  /\bno (?:more|further) (?:\w+ )?(?:texts?|sms|messages?|msgs?)\b/,
  /\b(?:don't|do not|dont|no longer) (?:want|wish|need)\b.{0,30}\b(?:texts?|sms|messages?|msgs?)\b/,
  /\bunsubscribe\b|\bopt(?:ing)?[ -]?(?:me )?out\b(?! of (?:the|this|that|my|a)\b)/,
  /\bwrong (?:number|person)\b/,
  /\bno (?:me )?(?:mand|escrib|env[ií])\w*\b.{0,20}\b(?:m[aá]s|mensajes?|textos?)\b|\bno m[aá]s (?:mensajes|textos)\b/,
]

/** "Don't text me before noon" is about the hour, and "don't send the documents yet" about documents. */
const NOT_AT_ALL =
  /\b(?:until|till|before|after|while|during|when|unless|tonight|today|now|yet|at (?:work|night)|documents?|papers?|forms?|letters?|money|checks?|it|them|that|this)\b/
const FOR_GOOD = /\b(?:again|any ?more|ever|no more|never|stop|unsubscribe|wrong)\b/

const ABOUT_CALLS = /\bcall|\bphone|\bcontact|\balone\b|\bcease\b|\bbother|\bharass|\bllam/

/** What a text asks for; null for an ordinary one. */
export function wishOf(text: string): Wish {
  const word = asWord(text)
  // "Stop", and below it what a phone adds by itself.
  if ([word, asWord(text.trim().split('\n')[0]!)].some((each) => STOP.has(each)))
    return { asks: 'stop', keyword: true, also_calls: false }
  if (START.has(word)) return { asks: 'start' }
  if (HELP.has(word)) return { asks: 'help' }
  const said = plain(text)
  const refuses = REFUSALS.some((pattern) => pattern.test(said)) && (FOR_GOOD.test(said) || !NOT_AT_ALL.test(said))
  if (refuses || asksToBeLeftAlone(text)) return { asks: 'stop', keyword: false, also_calls: ABOUT_CALLS.test(said) }
  return null
}
