/*
 * What a language model wants to say passes through here on its way to the contact's ear. Words go on as they come,
 * except in a sentence that could turn into legal advice, a promise or a denial of being an AI: that one is heard out
 * first, and replaced where it does.
 */

/** A sentence with one of these is held back until its end. */
const DOUBTFUL =
  /\b(?:you(?:'ll|'re|'d|'ve| will| should| must| need| ought| have| do| are| can| could| would| may| might| definitely| clearly| certainly)|your (?:case|claim|chances|rights|settlement)|i(?:'d| would)|under|never|simply|advise|recommend|suggest|guarantee[ds]?|promise|worth|legal(?:ly)?|law|statute|entitled|liable|don't|do not|sue|e-?mail\w*|send\w*|sent|text\w*|forward|human|person|robot|ai|a\.i)\b/i

const STEP =
  '(?:sign|sue|settle|accept|reject|refuse|decline|take (?:the|that|their|any) (?:offer|deal|money|settlement)|file|plead|testify|agree to|admit|deny|appeal|hire|fire|dismiss|withhold|stop paying|pay them|talk to (?:the|your|their) (?:insur|adjust|polic)|speak (?:to|with) (?:the|your|their) (?:insur|adjust|polic))'

const ADVICE: RegExp[] = [
  new RegExp(
    `\\byou(?:'d| would| had)? (?:better|should|must|need to|ought to|have to|want to|can|could|may|might)\\b[^.?!]{0,40}\\b${STEP}`,
  ),
  new RegExp(`\\b(?:don't|do not|never|i would(?:n't| not)?|i'd|just|simply|go ahead and|please) (?:ever )?${STEP}`),
  /\b(?:i|we)(?:'d| would)? (?:strongly |highly |really )?(?:advise|recommend)\b|\bmy (?:advice|recommendation|legal opinion)\b/,
  new RegExp(`\\b(?:i|we)(?:'d| would)? suggest\\b[^.?!]{0,30}\\b${STEP}`),
  /\b(?:i|we)(?: can| do| will|'ll)? (?:guarantee|promise)\b|\bguaranteed\b/,
  /\byou(?:'ll| will| would| are going to|'re going to| should| can expect to| are likely to| could)\b[^.?!]{0,30}\b(?:win|be awarded|be compensated|get (?:paid|compensat\w*|money|a (?:large|big|good)|\$|at least)|receive (?:money|compensation|damages|\$|at least|a (?:large|big|good))|recover)\b/,
  /\byou (?:(?:do|definitely|certainly|clearly|really|absolutely|surely) (?:\w+ )?have|have) (?:an? )?(?:very |really )?(?:good |strong |solid |great |valid |excellent |winning |real |legitimate )(?:case|claim|chance)|\byou (?:do|definitely|certainly|clearly|absolutely) have an? (?:case|claim)\b/,
  /\b(?:case|claim|it|this|that|settlement)(?:'s| is| could be| would be| may be| might be| should be)? (?:probably |easily |likely |at least )?worth (?:\$|about|around|at least|between|more|a lot|\w+ (?:thousand|million|hundred))/,
  /\byou(?:'re| are) (?:legally |probably |certainly |clearly |definitely )?(?:not )?(?:entitled to|liable|at fault|going to win|eligible for (?:compensation|damages))/,
  /\b(?:statute of limitations|under (?:the|state|federal) law|the law (?:says|requires|allows|is)|legally,? you|your rights are)\b/,
]

const DENIES_AI =
  /\b(?:i'm|i am|this is|you're (?:talking|speaking) (?:to|with)) (?:actually |really |just )?(?:not an? (?:ai|a\.i|robot|bot|machine|computer|recording)|(?:an? )?(?:real|live|actual|human)(?: (?:person|human|being))?)\b/

/** Of an appointment: whether anything is sent is said by the tool that books it. */
const PROMISES_MAIL: RegExp[] = [
  /\b(?:i|we)(?:'ll| will|'m| am|'re| are| can| could|'ve| have)? (?:also |then |just )?(?:(?:going to|gonna) )?(?:e-?mail|send|text|forward|e-?mailing|sending|texting|sent|e-?mailed|texted)\b[^.?!]*\b(?:confirm\w*|invit\w*|calendar|appointment|details|reminder)\b/,
  /\byou(?:'ll| will| should|'re going to| are going to)(?: also| soon| shortly)? (?:get|receive|see|have|find)\b[^.?!]*\b(?:confirmation|invit\w*|calendar|reminder|(?:e-?mail|text)\b[^.?!]*\bappointment)\b/,
]

const END_OF_SENTENCE = /[.!?]["”)]?(?=\s)|\n+/g

/** Words of one turn: a person on the phone can't keep more in mind. */
const MOST_WORDS = 70

export interface SpeechGuard {
  /** Takes what the model wrote and answers what may be said of it now. */
  push(token: string): string
  /** The model is done. */
  end(): string
  /** The rest is not wanted any more. */
  readonly full: boolean
}

/** @param books The agent makes appointments. */
export function speechGuard(companyName: string, books = false): SpeechGuard {
  let rest = ''
  /** How much of `rest` has been given out. */
  let given = 0
  let words = 0
  let full = false
  const sentences = new Set<string>()

  const noAdvice = `I'm not able to give legal advice, but I'll note your question for the legal team at ${companyName}.`
  const anAi = `I'm an AI assistant calling for ${companyName}, not a person.`

  function judge(sentence: string): string {
    const plain = sentence.toLowerCase().replaceAll('’', "'")
    const replacement = DENIES_AI.test(plain) ? anAi : ADVICE.some((pattern) => pattern.test(plain)) ? noAdvice : null
    const before = given
    given = 0
    if (replacement) {
      // Whatever follows goes on in the same vein.
      full = true
      return before > 0 ? ` … ${replacement}` : `${/^\s*/.exec(sentence)![0]}${replacement}`
    }
    if (books && PROMISES_MAIL.some((pattern) => pattern.test(plain))) return before > 0 ? ' …' : ''
    if (before === 0 && !isSpeech(sentence)) return ''
    // A model that repeats itself will not stop by itself.
    if (before === 0 && sentences.has(plain.trim())) {
      full = true
      return ''
    }
    sentences.add(plain.trim())
    words += sentence.split(/\s+/).length
    if (words > MOST_WORDS) full = true
    return spoken(sentence.slice(before))
  }

  return {
    get full() {
      return full
    },
    push(token) {
      if (full) return ''
      rest += token
      let out = ''
      for (let match = nextEnd(rest); match && !full; match = nextEnd(rest)) {
        const sentence = rest.slice(0, match)
        rest = rest.slice(match)
        out += judge(sentence)
      }
      if (full || DOUBTFUL.test(rest.replaceAll('’', "'")) || !isSpeech(rest)) return out
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

function nextEnd(text: string): number | null {
  END_OF_SENTENCE.lastIndex = 0
  for (let match = END_OF_SENTENCE.exec(text); match; match = END_OF_SENTENCE.exec(text)) {
    const end = match.index + match[0].length
    // "Mr. Lee" and "P.C." end nothing.
    if (!/\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|vs?|No|Inc|Co|P\.C)\.$/.test(text.slice(0, end))) return end
  }
  return null
}

/** Marks of print are not said. */
const spoken = (text: string) => text.replace(/[*_#`]+/g, '').replace(/\s+/g, ' ')

/** Markup, code and strings of signs are nothing that a voice could say. */
function isSpeech(text: string): boolean {
  const plain = text.replace(/[*_#`]/g, '').trim()
  if (plain === '') return true
  if (/[{}<>|\\[\]]|https?:|\w{31,}/.test(plain)) return false
  const letters = plain.match(/[\p{L}\p{N}\s]/gu)?.length ?? 0
  return letters / plain.length > 0.75 || plain.length < 6
}
