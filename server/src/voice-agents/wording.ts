import type { CallBrief, PostCallField } from '../providers/call-brief.ts'

/*
 * How a firm's instructions ("Ask the client whether they still have pain") become sentences that can be said to a
 * person ("whether you still have pain"), without a language model.
 */

const PERSON =
  '(?:client|contact|caller|person|customer|claimant|plaintiff|lead|patient|prospect|individual|callee|user)'

/** Speaks of the contact as "you". `names` are what else the instructions may call the contact. */
export function addressed(text: string, names: string[] = []): string {
  let said = text
  for (const name of names) {
    // split and join: a name is text, never a pattern. The check keeps "Ann" from being found in "Annual".
    if (name && new RegExp(`\\b${escaped(name)}\\b`).test(said)) {
      said = said.replace(new RegExp(`\\b${escaped(name)}['’]s\\b`, 'g'), 'your')
      said = said.replace(new RegExp(`\\b${escaped(name)}(?!\\w)`, 'g'), 'you')
    }
  }
  return said
    .replace(THEIRS, 'your')
    .replace(THEM, 'you')
    .replace(/\bthemselves\b|\b(?:him|her)self\b/gi, 'yourself')
    .replace(
      /\b(is|was|has|does) you\b/gi,
      (_, verb: string) => `${matchCase(AGREEING[verb.toLowerCase()]!, verb)} you`,
    )
    .replace(CLAUSE, (_, before: string, verb: string) => `${before}${agreeing(verb)}`)
    .replace(/\byou or you\b/gi, 'you')
}

const THEIRS = new RegExp(
  `\\b(?:the |our |this |each )?${PERSON}['’]s\\b|\\btheirs?\\b|\\bhis(?:/her| or her)\\b|\\bher(?:/his| or his)\\b`,
  'gi',
)
const THEM = new RegExp(
  `\\b(?:the|our|this|each) ${PERSON}\\b|\\bthey\\b|\\bthem\\b|\\b(?:he/she|she/he|s/he|he or she|she or he|him/her|him or her)\\b`,
  'gi',
)
// "whether you still wants": only after a word that opens a clause, or "ask you questions" would lose its s.
const CLAUSE =
  /\b((?:whether|if|that|what|when|where|why|how|which|who|(?:how|what|which) \w+) you (?:(?:still|also|already|currently|ever|really|now|only|ever) )?)([a-z]+)\b/gi

const AGREEING: Record<string, string> = { is: 'are', was: 'were', has: 'have', does: 'do' }

function agreeing(verb: string): string {
  const known = AGREEING[verb.toLowerCase()]
  if (known) return known
  if (/(?:ss|us|is|as)$/.test(verb) || !verb.endsWith('s')) return verb
  if (/(?:sh|ch|x|ss|zz|o)es$/.test(verb)) return verb.slice(0, -2)
  return verb.endsWith('ies') ? `${verb.slice(0, -3)}y` : verb.slice(0, -1)
}

export const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const matchCase = (word: string, like: string) => (/^[A-Z]/.test(like) ? capital(word) : word)
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const uncapital = (text: string) => (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text)

/** A full stop ends a sentence only before a capital letter, and not after "Mr.", "St." or an initial. */
export function sentences(text: string): string[] {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?])(?<!\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|vs?|No|Inc|Co|Ltd|LLP|P\.C|e\.g|i\.e)\.) (?=["“(]?[A-Z0-9])/)
    .filter((sentence) => sentence !== '')
}

const PREFACE =
  /^(?:(?:please|politely|kindly|then|first|firstly|next|also|finally|briefly)[, ]+|(?:your|the|our) (?:main |primary )?(?:task|goal|job|aim|objective|purpose|purpose of (?:this|the) call) is to |(?:you|the agent|the assistant) (?:should|must|will|need to|are to|have to) |(?:you are |we are |i am )?calling to |call (?:(?:the |our )?\w+ )?to |try to |in order to |to )/i
const ASKING =
  /^(?:ask|find out|learn|confirm|check|verify|remind|inform|tell|notify|let|update|schedule|book|arrange|set up|collect|gather|obtain|get|request|follow up|review|offer|invite|explain|discuss|go over|complete|see|record|clarify|determine|establish|survey|encourage|walk|reconnect|touch base|thank)\b/i
// Words of the trade that a contact should not hear about themselves.
const INTERNAL =
  /\b(?:qualif|disqualif|lead|script|prompt|campaign|convert|upsell|objection|tone|persona|voicemail|hang up|transfer)\w*/i

/** What the agent says it is calling for: an infinitive without "to", such as "confirm your address". */
export function reasonOf(brief: CallBrief): string {
  const { first_name, last_name } = brief.client
  for (const sentence of sentences(brief.render(brief.agent.task))) {
    let said = sentence.replace(/[.!]+$/, '')
    for (let cut = said.replace(PREFACE, ''); cut !== said; cut = said.replace(PREFACE, '')) said = cut
    if (!ASKING.test(said) || said.endsWith('?') || INTERNAL.test(said)) continue
    const clause = addressed(said, [`${first_name} ${last_name}`, first_name])
      .replace(
        /^(ask|check|verify|confirm|see|find out|clarify|determine)(?: with)? you (?=whether|if|about|for|to|what|when|how)/i,
        '$1 you ',
      )
      .replace(/^(?:determine|establish)\b/i, 'find out')
      .replace(/^(?:gather|obtain|get|record) /i, 'ask for ')
      .replace(/\bconfirm (?:with you )?if\b/i, 'confirm whether')
    return uncapital(shortened(clause))
  }
  return `talk with you about your ${caseWords(brief.case.type)} with us`
}

/** A sentence is heard, not read: past 32 words it is cut at its last comma or "and". */
function shortened(clause: string): string {
  const words = clause.split(' ')
  if (words.length <= 32) return clause
  const head = words.slice(0, 32).join(' ')
  const cut = Math.max(head.lastIndexOf(', '), head.lastIndexOf(' and '), head.lastIndexOf('; '))
  return (cut > 40 ? head.slice(0, cut) : head).replace(/[,;]$/, '')
}

const caseWords = (type: string) =>
  /\b(?:case|claim|matter|suit)s?$/i.test(type) ? uncapital(type) : `${uncapital(type)} case`

const RECORDING =
  /^(?:please )?(?:(?:ask|find out|collect|confirm|record|capture|note|extract|get|determine|identify|establish|verify|specify|indicate|provide|state)(?: the client| the contact| the caller| them)?(?: for| about)?|set to true|true|yes|mark(?: as)? (?:true|yes)) (?=\w)/i
const QUESTION =
  /^(?:is|are|do|does|did|has|have|had|was|were|can|could|will|would|should|what|what's|when|where|who|which|why|how)\b/i
const STATE =
  /^(?:still |currently |now |already )?(?:interested|willing|able|aware|available|married|employed|injured|insured|represented|ready|satisfied|hospitalized|working|receiving|seeking|treating|being|getting)\b/i

const phrased = new Map<string, string>()

/** The question for a post-call field, e.g. "Could you tell me whether you still have pain?". */
export function questionOf(field: PostCallField, brief: CallBrief): string {
  const description = field.description ?? ''
  if (description.includes('{{')) return phrase(field, brief.render(description))
  // The same few fields are asked in every call of an agent.
  const key = JSON.stringify([field.name, field.type, description, field.choices])
  let question = phrased.get(key)
  if (question === undefined) {
    question = phrase(field, description)
    if (phrased.size > 1000) phrased.clear()
    phrased.set(key, question)
  }
  return question
}

function phrase(field: PostCallField, description: string): string {
  const first = sentences(description.replace(/\s*\([^)]*\)/g, ''))[0] ?? ''
  const subject = addressed(first.replace(/[.!:;]+$/, '').replace(/,? (?:e\.g\.|for example|such as|as YYYY).*$/i, ''))
  const question = subject.trim() === '' ? nameQuestion(field) : subjectQuestion(subject.trim(), field)
  return capital(withChoices(question, field))
}

/** "How you prefer to hear from us" asks nothing by itself; "How do you …" does. */
const INDIRECT =
  /^(?:how|when|where|why|who|what|which)(?: (?!(?:do|does|did|is|are|was|were|can|could|will|would|have|has|had|should)\b)\w+)? (?:you|your|the)\b/i

function subjectQuestion(subject: string, field: PostCallField): string {
  if (subject.endsWith('?')) return subject
  if (INDIRECT.test(subject)) return `Could you tell me ${uncapital(subject)}?`
  if (QUESTION.test(subject)) return `${subject}?`
  const bare = subject.replace(RECORDING, '')
  if (/^(?:whether|if)\b/i.test(bare)) return `Could you tell me ${uncapital(bare).replace(/^if\b/, 'whether')}?`
  if (QUESTION.test(bare)) return `Could you tell me ${uncapital(bare)}?`
  if (field.type === 'boolean') {
    return STATE.test(bare) ? `Are you ${uncapital(bare)}?` : `Please tell me yes or no: ${uncapital(bare)}?`
  }
  return `Could you tell me ${owned(bare)}?`
}

/** "Date of the accident" → "the date of the accident"; "Preferred contact method" → "your preferred contact method" */
function owned(noun: string): string {
  const said = uncapital(noun)
  if (/^(?:the|a|an|your|any|all|our|my|what|how|which|who)\b/i.test(said)) return said
  return / (?:of|in|for|on|to|at|since|from|with)\b/i.test(said) ? `the ${said}` : `your ${said}`
}

const OPENERS: Record<string, string> = {
  is: 'Are you',
  are: 'Are you',
  was: 'Were you',
  were: 'Were you',
  has: 'Do you have',
  have: 'Do you have',
  had: 'Did you have',
  wants: 'Do you want',
  needs: 'Do you need',
  can: 'Can you',
  will: 'Will you',
  does: 'Do you',
  did: 'Did you',
  still: 'Are you still',
}

function nameQuestion(field: PostCallField): string {
  const words = wordsOf(field.name)
  const [head = '', ...tail] = words.split(' ')
  const opener = OPENERS[head]
  if (field.type === 'boolean' && opener && tail.length > 0) return `${opener} ${withArticle(tail.join(' '))}?`
  if (field.type === 'boolean') return STATE.test(words) ? `Are you ${words}?` : `Please tell me yes or no: ${words}?`
  return `Could you tell me ${owned(words)}?`
}

/** `has_attorney` → "an attorney", but `has_insurance` → "insurance" */
const withArticle = (noun: string) =>
  /^(?:attorney|lawyer|doctor|job|car|spouse|child|witness|claim|policy|representative|email)$/.test(noun)
    ? `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
    : noun

/** A field's name as words: `incident_date` and `incidentDate` → "incident date". */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_\-.]+/g, ' ')
    .trim()
    .toLowerCase()
}

// More choices than this can't be kept in mind while listening.
const SPOKEN_CHOICES = 6

function withChoices(question: string, field: PostCallField): string {
  const choices = field.choices ?? []
  if (field.type !== 'selector' || choices.length === 0 || choices.length > SPOKEN_CHOICES) return question
  return `${question.replace(/\?$/, '')}: ${listed(choices)}?`
}

export function listed(choices: string[]): string {
  return choices.length === 1 ? choices[0]! : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

const AI = /\b(?:AI|A\.I\.|artificial intelligence)\b/
/** "This is no AI", "not an AI", "a human, with the help of AI". */
const DOUBTFUL_AI = /\b(?:no|not|never|nor|without|real|human|person)\b|n['’]t\b/i

/** True where the first sentence names the firm and says that an AI is speaking. */
export function disclosesAi(text: string, company: string): boolean {
  // The firm's name goes first: the full stop of "Marsh & Cole, P.C." ends no sentence.
  const marked = text.replaceAll(company, '§')
  const first = sentences(marked)[0] ?? ''
  return first.includes('§') && AI.test(first) && !DOUBTFUL_AI.test(first)
}
