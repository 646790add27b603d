import { numberIn } from './answers.ts'

/*
 * What no agent may say, whatever its model writes: legal advice and opinions of a case, promises of an outcome, sums
 * that nobody told it, a denial of being an AI, its own instructions, and any language that these rules can't read. A
 * sentence is judged as a whole; ordinary talk about appointments, papers and injuries must come through.
 */

export type Forbidden = 'advice' | 'denies_ai' | 'sum' | 'instructions' | 'language'

const LEGAL_STEP =
  '(?:sign(?:ing)?(?! (?:up|in)\\b)|su(?:e|ing)|settl(?:e|ing)|accept(?:ing)?|reject(?:ing)?|refus(?:e|ing)|declin(?:e|ing)|tak(?:e|ing) (?:the|that|their|any|this) (?:offer|deal|money|settlement|plea)|fil(?:e|ing) (?:a|an|for|your|the|suit|bankruptcy)\\b|plead(?:ing)?|testify(?:ing)?|agree(?:ing)? to|admit(?:ting)? (?:to|fault|anything|liability|that)|deny(?:ing)? (?:it|that|everything|fault|liability)|appeal(?:ing)?|hir(?:e|ing) (?:a|another|us)|fir(?:e|ing) (?:your|him|her|them)|dismiss(?:ing)?|withhold(?:ing)?|stop(?:ping)? paying|pay(?:ing)? (?:them|it|the fine)|(?:talk|speak)(?:ing)? (?:to|with) (?:the|your|their) (?:insur|adjust|polic|other)|giv(?:e|ing) (?:them|the (?:insur|adjust|polic)\\w*) (?:a|any|your))'
const STEP = `\\b${LEGAL_STEP}(?![\\w-])`
const LOGISTICS =
  /\b(?:bring|arriv|park|com(?:e|ing) (?:in|by|to)|call(?:ing)? (?:us|the office|ahead|back)|(?:speak|talk)(?:ing)? (?:with|to|tomorrow|again|about it with) ?(?:the (?:legal team|office|firm|team|attorney|lawyer)|our|one of|us)?|wear|check(?:ing)? your)/

const ADVICE: RegExp[] = [
  new RegExp(
    `\\byou(?:'d| would| had)? (?:really |probably |definitely )?(?:better|should|must|need to|ought to|have to|want to|can|could|may|might|shouldn't|mustn't|don't (?:have|need) to|needn't)(?: not| just| simply| always| never)?\\b[^.?!]{0,40}${STEP}`,
  ),
  new RegExp(`\\b(?:don't|do not|never|i would(?:n't| not)?|i'd|just|simply|go ahead and|please) (?:ever )?${STEP}`),
  /^(?:so |then |and |first )?(?:sign|accept|reject|refuse|settle|sue|appeal|plead|don't) (?:it|that|them|this|the|their|guilty|sign|talk|speak|post|pay)\b|^(?:so |then |and |first )?(?:take the (?:offer|deal|money)|hire (?:us|a lawyer))\b|\bstop paying\b/,
  new RegExp(
    `\\b(?:best|better|wise|wiser|smart|smarter|a (?:good|bad) idea|a mistake|foolish|crazy|in your (?:best )?interest)\\b[^.?!]{0,30}\\b(?:to|not to|if you|that you|you) ?[^.?!]{0,20}${STEP}`,
  ),
  new RegExp(`\\b(?:i|we)(?:'d| would)? suggest\\b[^.?!]{0,30}${STEP}`),
  /\bmy (?:advice|recommendation|legal opinion|opinion is)\b|\bin my (?:legal |professional )?opinion\b|\bif i were you\b|\bin your (?:shoes|position|place)\b[^.?!]{0,10}\bi\b/,
  /\b(?:i|we)(?: can| do| will|'ll)? (?:personally )?guarantee\b|\bguaranteed\b|\bi promise (?:you )?(?:that )?(?:you|they|we(?!(?:'ll| will) (?:call|get back|be in touch|let you)))\b/,
  /\b(?:you|we)(?:'ll| will| would| are going to|'re going to| should| can expect to| are likely to| could| can| are certain to)\b[^.?!]{0,30}\b(?:win|be awarded|be compensated|get (?:you )?(?:paid for|compensat\w*|money|a (?:large|big|good|nice) (?:settlement|payout|check|amount|sum|result)|\$|at least|thousands|millions)|receive (?:money|compensation|damages|\$|at least|thousands|a (?:large|big|good) (?:settlement|payout|check|amount|sum))|recover (?:money|damages|compensation|your losses|everything|\$|at least)|make a lot of money|beat (?:this|them|it))/,
  /\b(?:we|you)(?:'ve| have)? (?:already )?(?:as good as )?won\b(?!')|\byou can(?:'t|not) lose\b|\bnothing to lose\b|\bslam dunk\b|\bopen and shut\b/,
  /\byou (?:(?:do|definitely|certainly|clearly|really|absolutely|surely|probably) (?:\w+ )?have|have|'ve got) (?:an? )?(?:very |really |pretty )?(?:good |strong |solid |great |valid |excellent |winning |real |legitimate |clear |weak |bad )(?:case|claim|chances?|odds|argument)|\byou (?:do|definitely|certainly|clearly|absolutely) have an? (?:case|claim)\b|\byou (?:don't|do not) have a (?:case|claim|chance)\b/,
  /\b(?:your|this|that|the) (?:case|claim|chances|odds|matter)(?: of \w+)? (?:is|are|looks?|sounds?|seems?) (?:very |really |pretty |quite |excellent)?(?:strong|weak|good|solid|excellent|great|winnable|valid|hopeless|bad|high|low|better than)\b|\b(?:sounds|looks|seems) like (?:an? )?(?:very )?(?:strong|good|solid|clear|valid|great|winning) (?:case|claim)/,
  /\b(?:case|claim|settlement|injury|injuries)(?:'s| is| could be| would be| may be| might be| should be| are)? (?:probably |easily |likely |at least |definitely )*worth\b|\bworth (?:\$|(?:about |around |at least |more than |up to )?(?:\w+ ){0,2}(?:thousand|million|hundred|dollars|a lot of money))/,
  /\byou(?:'re| are) (?:legally |probably |certainly |clearly |definitely )?(?:not )?(?:entitled to (?!know|ask|a copy|speak|hear|an answer|your own|your opinion)|liable|at fault|responsible for the (?:accident|crash)|going to win|eligible for (?:compensation|damages))|\bowes? you\b|\bowed (?:money|compensation|damages)\b/,
  /\b(?:he|she|they|the (?:other )?(?:driver|company|hospital|doctor|insurance|employer|landlord|defendant)\w*) (?:is|are|was|were)(?: clearly| definitely| obviously)? (?:liable|negligent|at fault|to blame|legally)\b|\bit (?:was|is)(?:n't| not)? your fault\b|\b(?:that|this|it)(?:'s| is| was)(?: clearly| definitely)? (?:illegal|unlawful|against the law|malpractice|negligence|discrimination|a breach)\b/,
  /\b(?:statute of limitations|under (?:the|state|federal|our|\w+) law|the law (?:says|requires|allows|is|protects)|legally,? you|you(?:'re| are) legally|your (?:legal )?rights are|you have the right to (?!know|ask|speak|hear|end|opt))\b/,
  /\byou(?:'ve got| have| only have| still have) (?:until|(?:only |about |at least |up to )?(?:\w+ ){1,2}(?:days?|weeks?|months?|years?)(?: left)?) to (?:file|sue|claim|respond|appeal|act|bring|decide)\b|\bdeadline (?:to|for) (?:file|filing|sue|suing|claim|appeal|a lawsuit|the lawsuit)/,
  /\byou can (?:definitely |certainly |still |always )?sue\b|\bthe (?:judge|jury|court) (?:will|would|is going to|always|usually) (?:\w+ )?(?:rule|side|find|award|believe|agree|dismiss|give)\b|\b(?:this|it|the case|they)(?:'ll| will) (?:probably |likely |definitely |surely )?settle\b/,
  /\b(?:another|other|similar|a lot of|most|many|one) (?:of our )?(?:clients?|cases?|claimants?|people)\b[^.?!]{0,40}\b(?:got|won|received|recovered|settled|awarded|compensated|collected)\b/,
]

/** Counts as advice only where it isn't about coming, calling or bringing something. */
const RECOMMENDS = /\b(?:i|we)(?:'d| would)? (?:strongly |highly |really )?(?:advise|recommend)\b/

/** What is asked is no advice: "Do you want to accept?" may be all that the firm wants to know. */
const QUESTION =
  /^(?:(?:and|so|now|ok(?:ay)?|thank you|thanks|i see|great|all right)[,.! ]+)*(?:do|did|does|have|has|had|are|is|was|were|when|what|where|who|how|which|would you|will you|could you (?:please )?(?:tell|confirm|say)|can you (?:please )?(?:tell|confirm|say)|may i)\b.*\?/

const HUMAN =
  '(?:human(?: being)?|(?:real|live|actual|living|flesh and blood)(?: (?:person|human|human being|man|woman|lawyer|attorney))?|person|man|woman|lawyer|attorney|paralegal|legal (?:assistant|secretary)|receptionist|secretary|case manager|employee|member of (?:the )?staff)'
const DENIES_AI: RegExp[] = [
  new RegExp(
    `\\b(?:i'm|i am|this is|you're (?:talking|speaking) (?:to|with)|you are (?:talking|speaking) (?:to|with))(?: actually| really| just| indeed| a hundred percent| 100%| definitely| in fact)* (?:an? )?${HUMAN}\\b(?! estate|-time| time)`,
  ),
  /\b(?:i'm|i am|this is|it's|you're (?:talking|speaking) (?:to|with)) (?:actually |really |definitely |certainly )*(?:not|no) (?:an? |any |some )?(?:ai|a\.i\.?|robot|bot|machine|computer|recording|automated|artificial|program|chatbot|virtual)\b/,
  /\bof course i'm (?:human|real|a person)\b|\bas human as\b|\b(?:there's|there is) no (?:robot|ai|machine|computer)\b|\bas (?:a|an) (?:lawyer|attorney|paralegal|human|person)(?: myself)?,? i\b|\bi(?:'m| am) (?!not\b)\w+, (?:an? |the |your )(?:lawyer|attorney|paralegal|legal assistant|receptionist)\b/,
]

const INSTRUCTIONS =
  /\b(?:end_call|record_opt_out|transfer_call|note_callback|book_appointment)\b|\b(?:tool|function)[_ ]calls?\b|\bsystem (?:prompt|message)\b|\bmy (?:instructions|prompt|programming|guidelines|system)\b|\bi (?:was|am|have been|'ve been|'m) (?:instructed|prompted|programmed)\b|\brules that nothing said\b/

const MONEY =
  /\$ ?[\d.,]*\d(?: ?(?:k|thousand|million|billion))?|\b(?:[\w,.-]+ ){1,5}(?:dollars|bucks|grand|percent)\b|\b[\d.,]*\d ?%|\b(?:a|one|two|three|half a|several|\d+)? ?millions?\b/g
const FREE =
  /\b(?:no (?:win,? no )?fees?|free of charge|for free|(?:is|are|it's|be|completely|absolutely|totally) free(?! (?:to|on|at|in|today|tomorrow|now|this|next|then|after|before|any|from))|(?:won't|doesn't|does not|will not) cost you|costs? (?:you )?nothing|no charge|don't pay (?:us |anything )?unless|nothing unless)\b/

/** Words of other languages that no English sentence has three of. */
const FOREIGN =
  /(?<![\p{L}'])(?:usted(?:es)?|que|para|por|con|una|su|sus|puede|puedo|debe|soy|está|estoy|pero|muy|gracias|hola|tiene|tengo|nosotros|caso|firmar|ganar|vous|nous|votre|est|pas|pour|avec|je|suis|être|não|você|uma|seu|sua|ich|sie|nicht|und|der|die|das|ist|ein|eine|wir|haben|non|sono|lei|della)(?![\p{L}'])/giu
const OTHER_SCRIPT = /[^\P{L}\p{Script=Latin}]/u

const plainly = (sentence: string) => sentence.toLowerCase().replaceAll('’', "'").trim()

/** What no call may say, whoever wrote it. */
export const deniesAi = (sentence: string): boolean => DENIES_AI.some((pattern) => pattern.test(plainly(sentence)))

/**
 * What is wrong with a sentence, or null.
 *
 * @param told All that the firm and the contact have told the agent: asked for only where a sum is named.
 * @param firmsWords What the firm wants to be said; steps that it names may be asked for.
 */
export function forbidden(sentence: string, told: () => string, firmsWords: () => string): Forbidden | null {
  const plain = plainly(sentence)
  if (OTHER_SCRIPT.test(sentence) || (plain.match(FOREIGN)?.length ?? 0) > 2) return 'language'
  if (INSTRUCTIONS.test(plain)) return 'instructions'
  if (deniesAi(sentence)) return 'denies_ai'
  if (advises(plain, firmsWords)) return 'advice'
  return namesSum(plain, told) ? 'sum' : null
}

function advises(plain: string, firmsWords: () => string): boolean {
  if (RECOMMENDS.test(plain) && !LOGISTICS.test(plain)) return true
  const matches = ADVICE.flatMap((pattern, index) => (pattern.test(plain) ? [index] : []))
  if (matches.length === 0) return false
  // The first ones are about steps to take.
  const onlySteps = matches.every((index) => index < 5)
  return !(onlySteps && (QUESTION.test(plain) || isTheFirms(plain, firmsWords)))
}

const STEPS = new RegExp(STEP, 'g')
const ADVERSARY =
  /\b(?:they|them|their|offer|settlement|insur\w*|adjuster\w*|release|police|plea|guilty|defendant|other side)\b/g

/** "Please sign the form that we sent you": the firm's own wish, in its own words. */
function isTheFirms(plain: string, firmsWords: () => string): boolean {
  const wanted = firmsWords().toLowerCase()
  const steps = plain.match(STEPS) ?? []
  const others = plain.match(ADVERSARY) ?? []
  return steps.length > 0 && [...steps, ...others].every((word) => wanted.includes(word.slice(0, 4)))
}

/** Whether a text names a sum, or that there is none to pay, of which `told` says nothing. */
export function namesSum(text: string, told: () => string): boolean {
  const plain = text.toLowerCase().replaceAll('’', "'")
  const sums = plain.match(MONEY) ?? []
  if (sums.length === 0 && !FREE.test(plain)) return false
  const known = told().toLowerCase().replaceAll('’', "'")
  if (FREE.test(plain) && !/\b(?:free|no fee|fees?|charge|cost)\b/.test(known)) return true
  const amounts = new Set((known.match(MONEY) ?? []).map(amountOf))
  return sums.some((sum) => !amounts.has(amountOf(sum)))
}

/** "fifty thousand dollars" and "$50k" are the same. */
const amountOf = (sum: string): string => {
  const words = sum.replace(/\b(?:dollars|bucks|percent)\b|[$%]/g, '').replace(/\bgrand\b/, 'thousand')
  const amount = numberIn(words)
  return amount === null ? words.trim() : String(amount)
}

const PROMISES_MAIL: RegExp[] = [
  /\b(?:i|we)(?:'ll| will|'m| am|'re| are| can| could|'ve| have)? (?:also |then |just )?(?:(?:going to|gonna) )?(?:e-?mail|send|text|forward|e-?mailing|sending|texting|sent|e-?mailed|texted)\b[^.?!]*\b(?:confirm\w*|invit\w*|calendar|appointment|details|reminder)\b/,
  /\byou(?:'ll| will| should|'re going to| are going to)(?: also| soon| shortly)? (?:get|receive|see|have|find)\b[^.?!]*\b(?:confirmation|invit\w*|calendar|reminder|(?:e-?mail|text)\b[^.?!]*\bappointment)\b/,
]

/** Of an appointment: whether anything is sent is said by the tool that books it. */
export function promisesMail(sentence: string): boolean {
  const plain = sentence.toLowerCase().replaceAll('’', "'")
  return PROMISES_MAIL.some((pattern) => pattern.test(plain))
}
