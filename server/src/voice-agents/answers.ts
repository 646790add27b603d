import type { PostCallField } from '../providers/call-brief.ts'
import type { Turn } from '../providers/voice.ts'
import { withholdsAnswer, yesOrNo } from './hearing.ts'
import { plain } from './opt-out.ts'

export type Answer = string | number | boolean | null

/** Longer answers are kept up to here: a post-call field is a fact, the rest is in the transcript. */
const LONGEST = 1000

/** What a reply says about a field, as a value that fits its definition; null where it says nothing plainly. */
export function answerTo(field: PostCallField, reply: string): Answer {
  if (withholdsAnswer(reply)) return null
  switch (field.type) {
    case 'boolean':
      return yesOrNo(reply)
    case 'number':
      return numberIn(reply)
    case 'selector':
      return choiceIn(field.choices ?? [], reply)
    case 'text':
      return textIn(reply)
  }
}

/**
 * A value that somebody else extracted (a language model, a vendor that hosts the agent), made to fit the field's
 * definition or dropped.
 */
export function fitting(field: PostCallField, value: unknown): Answer {
  if (value === null || value === undefined) return null
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean'
        ? value
        : typeof value === 'string'
          ? yesOrNo(value.replace(/^true$/i, 'yes').replace(/^false$/i, 'no'))
          : null
    case 'number':
      return typeof value === 'number'
        ? Number.isFinite(value)
          ? value
          : null
        : typeof value === 'string'
          ? numberIn(value)
          : null
    case 'selector':
      return (field.choices ?? []).find((choice) => typeof value === 'string' && same(choice, value)) ?? null
    case 'text':
      if (typeof value === 'number' || typeof value === 'boolean') return String(value)
      return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, LONGEST) : null
  }
}

/**
 * Whether a value that somebody else extracted is in what the contact said in these turns. A yes or a choice may be said
 * in other words, but it must not be denied there, and the exchange must be about the field at all.
 */
export function borneOut(
  field: PostCallField,
  value: Exclude<Answer, null>,
  turns: readonly number[],
  transcript: readonly Turn[],
): boolean {
  const replies = turns.map((turn) => transcript[turn]!.text)
  switch (field.type) {
    case 'number':
      return replies.some(
        (reply) => numberIn(reply) === value || new RegExp(`(?<![\\d.,])${value}(?![\\d.,]\\d|\\d)`).test(reply),
      )
    case 'text':
      return isSaid(String(value), replies)
    default:
      return turns.some((turn) => {
        const reply = transcript[turn]!.text
        if (withholdsAnswer(reply) || (answerTo(field, reply) ?? value) !== value) return false
        const before = transcript[turn - 1]
        return isAbout(field, `${before?.speaker === 'agent' ? before.text : ''} ${reply}`)
      })
  }
}

/** Most words of a text, and every figure in it. */
function isSaid(value: string, replies: readonly string[]): boolean {
  const heard = new Set(replies.flatMap((reply) => plain(reply).match(/[\p{L}\p{N}]+/gu) ?? []))
  const words = plain(value).match(/[\p{L}\p{N}]+/gu) ?? []
  const long = words.filter((word) => word.length > 2)
  const counted = long.length > 0 ? long : words
  const found = counted.filter((word) => heard.has(word))
  return (
    counted.length > 0 &&
    found.length >= (counted.length * 2) / 3 &&
    words.every((word) => !/\d/.test(word) || heard.has(word))
  )
}

const COMMON =
  /^(?:whet|clie|cont|call|pers|they|thei|them|have|does|been|with|what|when|wher|this|that|stil|your|abou|from|want|woul|date|name|true|fals)/

/** Some word of the field's definition, or the beginning of one, is in the exchange. */
function isAbout({ name, description, choices }: PostCallField, exchange: string): boolean {
  const stems = (text: string) => (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((word) => word.slice(0, 4))
  const own = stems([name.replaceAll('_', ' '), description ?? '', ...(choices ?? [])].join(' ')).filter(
    (stem) => !COMMON.test(stem),
  )
  if (own.length === 0) return true
  const heard = new Set(stems(exchange))
  return own.some((stem) => heard.has(stem))
}

const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

function textIn(reply: string): string | null {
  const said = reply
    .trim()
    .replace(/^(?:(?:well|um+|uh+|oh|hm+|er+|okay|ok|so|let me (?:see|think))[,.… -]+)+/i, '')
    .trim()
  if (
    said === '' ||
    !/[\p{L}\p{N}]/u.test(said) ||
    /^(?:what|why|who|sorry|pardon|huh|can you|could you)\b.*\?$/i.test(said)
  )
    return null
  return said.charAt(0).toUpperCase() + said.slice(1, LONGEST)
}

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const WORDS = new Map<string, number>([
  ...ONES.map((word, value): [string, number] => [word, value]),
  ...TENS.map((word, index): [string, number] => [word, (index + 2) * 10]),
])
const SCALES = new Map([
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1_000_000],
])
const SCALE_LETTER: Record<string, number> = { k: 1000, m: 1_000_000 }
const DIGITS = /^\$?(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d*\.?\d+)(k|m)?%?$/

/** The one number in a reply, in digits or in words; null where there is none or more than one. */
export function numberIn(reply: string): number | null {
  const said = plain(reply)
  if (/^(?:none|nothing|zero|no one|nobody)(?: (?:at all|really|was|were|of)\b[^\d]*)?[.!]*$/.test(said)) return 0
  const found = new Set<number>()
  let total = 0
  let group = 0
  let reading = false
  let previous = ''
  const close = () => {
    if (reading) found.add(total + group)
    total = group = 0
    reading = false
  }
  for (const token of said
    .replace(/[!?;:()"]/g, ' ')
    .replace(/[.,](?=\s|$)/g, ' , ')
    .split(/[\s]+|-(?=[a-z])/)) {
    const digits = DIGITS.exec(token)
    const word = WORDS.get(token)
    const scale = SCALES.get(token)
    if (digits) {
      close()
      group = Number(digits[1]!.replaceAll(',', '')) * (SCALE_LETTER[digits[2] ?? ''] ?? 1)
      reading = true
    } else if (word !== undefined) {
      // "one" is a number only where it stands as an answer: not in "that one", "no one", "one of my cousins".
      if (word === 1 && !standsAlone(said)) continue
      // "forty two" is one number; "two three" and "twenty thirty" are two.
      if (reading && !(word < 10 && group % 100 >= 20 && group % 10 === 0) && group % 100 !== 0) close()
      if (reading && group !== 0 && group % 100 === 0 && previous !== 'and' && !SCALES.has(previous)) close()
      group += word
      reading = true
    } else if (scale !== undefined && (reading || previous === 'a')) {
      if (!reading) group = 1
      reading = true
      if (scale === 100) group *= 100
      else {
        total += group * scale
        group = 0
      }
    } else if (token !== 'and' || !reading) {
      close()
    }
    previous = token
  }
  close()
  return found.size === 1 ? [...found][0]! : null
}

const standsAlone = (said: string) =>
  /(?:^|about |only |just |maybe |had |have |was |is )one(?: hundred| thousand| million|\b(?! of| thing|'s))/.test(said)

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']
const NOT = /\b(?:not|no|don't|do not|never|rather than|instead of|isn't|wasn't|except|but not)(?: \w+){0,3} $/

/** The one choice that a reply names, as it is spelled in the definition. */
export function choiceIn(choices: string[], reply: string): string | null {
  const said = ` ${words(reply)} `
  let named = choices.filter((choice) => {
    const wanted = words(choice)
    const at = wanted === '' ? -1 : said.indexOf(` ${wanted} `)
    return at >= 0 && !NOT.test(said.slice(0, at + 1))
  })
  // "very likely" names "very likely", not "likely" as well.
  named = named.filter(
    (choice) => !named.some((other) => other !== choice && ` ${words(other)} `.includes(` ${words(choice)} `)),
  )
  if (named.length === 1) return named[0]!
  if (named.length > 1) return null
  const ordinal = ORDINALS.findIndex((word) => new RegExp(`\\bthe ${word}(?: one| option| choice)?\\b`).test(said))
  if (ordinal >= 0) return choices[ordinal] ?? null
  if (/\bthe last (?:one|option|choice)\b/.test(said)) return choices.at(-1) ?? null
  // A list such as Yes, No, Unsure is answered with "yeah".
  const verdict = yesOrNo(reply)
  if (verdict === null) return null
  return choices.find((choice) => same(choice, verdict ? 'yes' : 'no')) ?? null
}

const words = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[,;.!?]+(?= |$)/g, ' ; ') // "not by phone, email" denies only the phone
    .replace(/[^\p{L}\p{N}'; ]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
