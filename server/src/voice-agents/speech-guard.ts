import { type Forbidden, forbidden, promisesMail } from './forbidden-speech.ts'

/*
 * What a language model wants to say passes through here on its way to the contact's ear. Words go on as they come,
 * except in a sentence that could turn into something that no agent may say (`forbidden-speech.ts`) or that no voice can:
 * that one is heard out first, and replaced or left out where it does.
 */

/** A sentence with one of these is held back until its end. */
const DOUBTFUL =
  /\b(?:you(?:'ll|'re|'d|'ve| will| should| must| need| ought| have| do| are| can| could| would| may| might| definitely| clearly| certainly)|your (?:case|claim|chances|odds|rights|settlement|fault)|we(?:'ll|'ve| will| can| have|'re| are)|i(?:'d|'m| am| was| would| promise)|as an?|under|never|simply|advise|recommend|suggest|guarantee[ds]?|promise|worth|legal(?:ly)?|law|statute|deadline|entitled|liable|fault|negligen\w*|illegal|don't|do not|su(?:e|ing)|sign(?:ing)?|settle\w*|accept|reject|offer|judge|jury|court|clients?|cases?|human|person|robot|real|ai|a\.i|opinion|best|better|wise|smart|if i|instruct\w*|system|prompt|take|hire|stop|e-?mail\w*|send\w*|sent|text\w*|forward|programm?\w*|rules|tool|function|free|fees?|charge|costs?|dollars?|percent|thousand|hundred|million|usted|que|para|vous|ich|sie)\b|[$%\d({[<*_~`:|\\]|^\s*[-•–]|https?|www\b/i

/** So begins what is promised; of an agent that makes appointments it may be mail. */
const PROMISES = /\bi(?:'ll| will| can| have|'ve)\b/i

/** Words of one turn: a person on the phone can't keep more in mind. */
const MOST_WORDS = 70
/** And of a sentence; it may never end. */
const LONGEST_SENTENCE = 50

const END_OF_SENTENCE = /[.!?]["”)]?(?=\s)|\n+/g
/** Models write plays: whose line it is. */
const SPEAKER = /^\s*(?:\*\*)?(?:agent|assistant|ai(?: assistant)?|response|answer)(?:\*\*)?\s*:(?:\*\*)?\s*/i
const OTHER_SPEAKER = /^\s*(?:\*\*)?(?:user|human|caller|contact|client|customer|callee)(?:\*\*)?\s*:/i

export interface SpeechGuard {
  /** Takes what the model wrote and answers what may be said of it now. */
  push(token: string): string
  /** The model is done. */
  end(): string
  /** The rest is not wanted any more. */
  readonly full: boolean
  /** Why a sentence of ours stands in the place of the model's. */
  readonly replaced: Forbidden | null
}

interface Known {
  company_name: string
  /** The agent makes appointments. */
  books?: boolean
  /** See `forbidden`. */
  told?: () => string
  firmsWords?: () => string
}

export function speechGuard({
  company_name: firm,
  books = false,
  told = () => '',
  firmsWords = () => '',
}: Known): SpeechGuard {
  let rest = ''
  /** How much of `rest` has been given out. */
  let given = 0
  let words = 0
  let full = false
  let replaced: Forbidden | null = null
  /** What is thought, not said: up to the closing mark of it. */
  let hushedUntil: RegExp | null = null
  let thought = ''
  const sentences = new Set<string>()

  const REPLACEMENTS: Record<Forbidden, string> = {
    advice: `I'm not able to give legal advice, but I'll note your question for the legal team at ${firm}.`,
    denies_ai: `I'm an AI assistant calling for ${firm}, not a person.`,
    sum: `I can't tell you anything about sums of money, but I'll note it for the legal team at ${firm}.`,
    language: `I'm sorry, I can only speak English. A colleague at ${firm} can call you back.`,
    instructions: '',
  }

  function judge(sentence: string): string {
    const before = given
    given = 0
    if (OTHER_SPEAKER.test(sentence)) {
      full = true
      return ''
    }
    const line = sentence.replace(SPEAKER, '')
    const wrong = forbidden(line, told, firmsWords)
    if (wrong) {
      // Whatever follows goes on in the same vein.
      full = true
      replaced = wrong
      const replacement = REPLACEMENTS[wrong]
      if (before > 0) return replacement && ` … ${replacement}`
      return replacement && `${/^\s*/.exec(line)![0]}${replacement}`
    }
    if (!isSpeech(line) || (books && promisesMail(line))) return before > 0 ? ' …' : ''
    const plain = line.toLowerCase().trim()
    // A model that repeats itself will not stop by itself.
    if (before === 0 && plain !== '' && sentences.has(plain)) {
      full = true
      return ''
    }
    sentences.add(plain)
    words += count(line)
    if (words > MOST_WORDS) full = true
    const left = spoken(before > 0 ? sentence.slice(before) : line)
    return words > MOST_WORDS ? firstWords(left, LONGEST_SENTENCE) : left
  }

  /** Leaves out what a model thinks aloud, and code. */
  function hush(): void {
    if (hushedUntil === null) {
      const opened = /<think(?:ing)?>|```/i.exec(rest)
      if (!opened) return
      hushedUntil = opened[0] === '```' ? /```/ : /<\/think(?:ing)?>/i
      thought = rest.slice(opened.index + opened[0].length)
      rest = rest.slice(0, opened.index)
    }
    const closed = hushedUntil.exec(thought)
    if (!closed) return
    rest += thought.slice(closed.index + closed[0].length)
    thought = ''
    hushedUntil = null
  }

  return {
    get full() {
      return full
    },
    get replaced() {
      return replaced
    },
    push(token) {
      if (full) return ''
      if (hushedUntil) thought += token
      else rest += token
      hush()
      let out = ''
      for (let match = nextEnd(rest); match && !full; match = nextEnd(rest)) {
        const sentence = rest.slice(0, match)
        rest = rest.slice(match)
        out += judge(sentence)
      }
      if (full) return out
      if (count(rest) > LONGEST_SENTENCE) {
        const sentence = rest
        rest = ''
        out += judge(sentence)
        full = true
        return out
      }
      const straight = rest.replaceAll('’', "'")
      if (hushedUntil || DOUBTFUL.test(straight) || (books && PROMISES.test(straight)) || !isSpeech(rest)) return out
      // The last two words may be the beginning of something doubtful.
      const upTo = /\s+\S+\s+\S*$/.exec(rest)?.index ?? 0
      if (upTo > given) {
        out += spoken(rest.slice(given, upTo))
        given = upTo
      }
      return out
    },
    end() {
      if (full || rest.trim() === '') return ''
      const out = judge(rest)
      rest = ''
      return out
    },
  }
}

const firstWords = (text: string, most: number) => (text.match(/\s*\S+/g) ?? []).slice(0, most).join('')

const count = (text: string) => text.match(/\S+/g)?.length ?? 0

function nextEnd(text: string): number | null {
  END_OF_SENTENCE.lastIndex = 0
  for (let match = END_OF_SENTENCE.exec(text); match; match = END_OF_SENTENCE.exec(text)) {
    const end = match.index + match[0].length
    // "Mr. Lee" and "P.C." end nothing, and neither does the "1." of a list.
    if (!/(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|vs?|No|Inc|Co|P\.C|[ap]\.m)|^\s*\d{1,2})\.$/.test(text.slice(0, end)))
      return end
  }
  return null
}

/** Marks of print, stage directions and pictures are not said. */
const spoken = (text: string) =>
  text
    .replace(/\((?:[^()]*)\)/g, '')
    .replace(/(?<!\*)\*(?!\*)[^*.!?]{1,40}(?<!\*)\*(?!\*)(?=[\s.!?,]|$)/g, '')
    .replace(/^\s*(?:[-•–]|\d{1,2}[.)])\s+/, '')
    .replace(/[*_#`~]+|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{FE0F}|\u{200D}/gu, '')
    .replace(/\s+/g, ' ')

/** Markup, code and strings of signs are nothing that a voice could say. */
function isSpeech(text: string): boolean {
  const plain = spoken(text).trim()
  if (plain === '') return true
  if (/[{}<>|\\[\]]|https?:|www\.|\w{31,}/.test(plain)) return false
  const letters = plain.match(/[\p{L}\p{N}\s]/gu)?.length ?? 0
  return letters / plain.length > 0.75 || plain.length < 6
}
