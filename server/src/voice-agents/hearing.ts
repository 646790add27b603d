import { plain } from './opt-out.ts'

/** What a contact's turn asks of the agent, beyond answering. Opt-outs are looked for first and elsewhere: `opt-out.ts`. */
export type Intent =
  | 'robot_question'
  | 'wants_person'
  | 'wrong_number'
  | 'deceased'
  | 'not_here'
  | 'callback'
  | 'busy'
  | 'legal_question'
  | 'who_question'
  | 'number_question'
  | 'repeat'
  | 'disqualified'
  | 'breaks_off'
  | 'refusal'
  | 'hostile'

// The first that fits counts, so the order is from what must not be missed to what may be.
const INTENTS: [Intent, RegExp][] = [
  [
    'robot_question',
    /\b(?:are you|is this|am i (?:talking|speaking) (?:to|with)|(?:this|you) sounds? like)(?: like)? (?:even |just |actually )?(?:an? )?(?:real|live|actual|robot|human|machine|ai\b|a\.i|artificial|computer|bot\b|recording|recorded|automated|person)/,
  ],
  [
    'wants_person',
    /\b(?:speak|talk|talking|speaking|connected?|chat)(?: to| with)? (?:an? |the |some |your |one of your )?(?:(?:real|actual|live|human) )*(?:person|human|someone|somebody|attorney|lawyer|agent|rep\b|representative|manager|supervisor|operator|staff|paralegal|receptionist|people|one of the (?:lawyers|attorneys))|\b(?:real person|human being|live person)\b|\b(?:transfer me|connect me|put me through|put (?:someone|a person|somebody) on)\b|\b(?:not|n't|rather not|without) (?:\w+ ){0,2}(?:talk|talking|speak|speaking|deal|dealing) (?:to|with) (?:an? )?(?:robot|machine|computer|bot|ai|recording)\b|\bno (?:hablo|entiendo|comprendo|hablamos) (?:mucho )?(?:el )?ingl|\bhabla(?:n)? espa[nñ]ol|\b(?:speak|in) (?:spanish|french|chinese|mandarin|cantonese|vietnamese|korean|tagalog|russian|arabic|portuguese|polish)\b|\b(?:no|don't speak|do not speak|not speak|not understand|don't understand) (?:good |much |any )?english\b|\bn[aã]o falo ingl|\bparle pas (?:l')?anglais|\bkein englisch\b|\bnon parlo inglese\b|[\p{Script=Han}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2}/u,
  ],
  [
    'wrong_number',
    /\bwrong (?:number|person|guy|lady)\b|\b(?:no ?one|nobody|no person)(?: here| in this house)? (?:by|with|called|named|of) (?:that|this)?\b|\bnobody here (?:by|with|called|named)\b|\bno [a-z]+ (?:lives )?(?:here|at this number)\b|\b(?:don't|do not) know (?:any|anyone|anybody|who that is|him|her|that person)\b|\bdoesn't live here\b|\b(?:that's|that is|this is) not me\b|\b(?:isn't|is not|not) (?:his|her|their) (?:number|phone)\b|\bi(?:'ve| have)? just got this number\b|\bnever heard of (?:him|her|them|that)\b/,
  ],
  [
    'hostile',
    /\b(?:screw you|go to hell|get lost|shut up|piss off|damn you|how dare you|waste of (?:my )?time|wasting my time|you people|scammers?|bull ?shit|f[u*]ck\w*|idiots?|ambulance chasers?|crooks|shame on you|disgusting)\b/,
  ],
  [
    'disqualified',
    /\b(?:already|currently) (?:have|has|had|got|hired|retained|signed (?:up )?with|represented by|working with|using|went with) (?:an?|another|my own|my|somebody|someone|different|other) ?(?:\w+ )?(?:lawyer|attorney|law firm|firm|counsel)|\b(?:i|we)(?:'ve| have)? (?:have|got|hired|retained) (?:another|a different|my own|other) (?:lawyer|attorney|law firm|firm|counsel)|\b(?:lawyer|attorney|law firm) (?:already|is already)\b|\b(?:already|been|was|we|i|it) settled\b|\b(?:case|claim|matter) (?:is|was|has been|'s) (?:already )?(?:closed|settled|dismissed|over|finished|resolved)\b|\b(?:i wasn't|i was never|i was not) (?:involved|part of (?:it|that)|in (?:an?|the|that|any) (?:accident|crash|wreck))\b/,
  ],
  [
    'legal_question',
    /\b(?:do|would|will|did|does) (?:i|we) (?:even |really |still )?(?:have|stand) (?:an? |any )?(?:good |strong )?(?:case|claim|chance)\b|\bshould (?:i|we) (?:sign|sue|settle|accept|take|talk|go|file|say|do|wait|tell|hire|see|pay)\b|\b(?:can|could) (?:i|we) (?:still )?(?:sue|file|appeal|get (?:money|compensation))\b|\bhow much (?:\w+ ){0,4}(?:worth|get|receive|owed?|money)\b|\bwhat(?:'s| is| are) (?:my|our) (?:rights|chances|options|case worth|odds)\b|\bis it (?:legal|illegal|too late)\b|\bam i (?:liable|at fault|entitled|eligible|going to win)\b|\bstatute of limitations\b|\blegal advice\b|\bwhat (?:do|would) you (?:think|advise|recommend|suggest)\b|\bwhat should (?:i|we)\b/,
  ],
  [
    'callback',
    /\b(?:call|try|phone|ring|reach|catch|get back to)(?: me| us| him| her| them| again| back)* (?:later|tomorrow|tonight|today|this (?:morning|afternoon|evening|week)|in (?:the (?:morning|afternoon|evening)|(?:an?|half|\d+|one|two|three|four|five|ten|fifteen|twenty|thirty)(?: an| few| couple| \w+)? ?(?:of )?(?:min|hour|day|week|bit|while)\w*)|(?:at|after|around|before|next) \w+|about (?:\d+|noon|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|on (?:the|\w+day)|some ?(?:other )?time|another|monday|tuesday|wednesday|thursday|friday|saturday|sunday|when|any ?time)\b|\b(?:call|ring|phone)(?: me| us)? back\b|\b(?:can|could) (?:we|you|this) (?:talk|speak|do this|wait|call)\b.{0,24}\b(?:later|another time|tomorrow|tonight|back)\b|\b(?:another|a better|some other|a different) time\b/,
  ],
  [
    'busy',
    /\b(?:bad|not a good|isn't a good|not the best) time\b|\bi(?:'m| am) (?:driving|at work|in (?:a|the middle|class|court)|busy|just about to|on (?:another|the other) (?:call|line)|working|at the doctor|cooking|eating)\b|\b(?:can't|cannot|can not) (?:talk|speak)(?: right)?(?: now)?\b|\bdon't have time\b/,
  ],
  [
    'deceased',
    /\b(?:passed away|passed on|is dead|is deceased|(?:he|she|they)(?:'s| has| have)? (?:died|passed)|died (?:last|in|a|this|two|three|some))\b/,
  ],
  [
    'not_here',
    /\b(?:he|she|they)(?:'s| is|'re| are)? ?(?:isn't|aren't|not) (?:here|home|in\b|around|available|at home)|\b(?:he|she|they)(?:'s| is|'re| are) (?:out|at work|asleep|away|sleeping)\b|\b(?:is not|isn't) (?:here|home|in\b|available|around)\b|\btake a message\b|\b(?:this is|i'm|i am|it's) (?:only |just )?(?:(?:his|her|their)|\p{L}+['’]s) (?:wife|husband|spouse|son|daughter|mother|father|mom|dad|brother|sister|partner|roommate|boyfriend|girlfriend|carer|caregiver|nurse|assistant|secretary)\b|\b(?:he|she|that)(?:'s| is) my (?:wife|husband|spouse|son|daughter|mother|father|mom|dad|brother|sister|partner|roommate|boss)\b/u,
  ],
  [
    'number_question',
    /\b(?:how|where) did you (?:get|find)\b.{0,24}\bnumber\b|\bwho gave you (?:my|this)\b|\bis this (?:a )?(?:scam|legit|for real|real)\b|\bhow do i know\b/,
  ],
  [
    'who_question',
    /\bwho(?:'s| is| are) (?:this|calling|that|you)\b|\bwho (?:am i|are you|do you)\b|\bwhat (?:company|firm) (?:is|are|do)\b|\bwhere are you calling from\b|\bwhat(?:'s| is) (?:this|it|that) (?:about|regarding|in regards? to|concerning|for)\b|\bwhy are you calling\b|\bwhat do you want\b|\bregarding what\b|\bwhat's going on\b/,
  ],
  [
    'repeat',
    /\b(?:repeat|say) (?:that|it|the question|yourself)(?: again)?\b|\bcome again\b|\b(?:didn't|did not|couldn't|can't|can barely) (?:quite )?(?:hear|catch|understand|get) (?:you|that|it|what)\b|\bwhat (?:did you say|was that|do you mean)\b|^(?:sorry|pardon|excuse me|what|huh|say again)(?: me)?\?$/,
  ],
  [
    'breaks_off',
    /\b(?:i(?:'ve| have)? (?:got to|gotta|have to|need to|must)|gotta|got to) (?:go|run|hang up|get going)\b|\b(?:don't|do not|won't|not going to) (?:want to |wish to |care to |feel like )?(?:talk(?:ing)?|answer(?:ing)?|continue|continuing|discuss(?:ing)?|do(?:ing)? this)\b(?! (?:that|about my|about that))|\b(?:no more|enough|too many) questions\b|\bhanging up\b/,
  ],
  [
    'refusal',
    /\b(?:not|no longer|n't) (?:really |at all |be )?interested\b|\bno interest\b|^no(?:,)? (?:thanks?|thank you)\b|\bi'll pass\b|\b(?:don't|do not) (?:want|wish|care|need) (?:your|any of|anything|this|it|to (?:participate|go))\b|\bnone of your business\b/,
  ],
]

/**
 * What `text` wants beside answering; null where it only answers. What was asked decides what words can mean: "he died in
 * the crash" is an answer to a question about the crash, and a reason to end the call where the agent asks for him.
 *
 * @param asks The `asks` of the agent's turn before it, and `question` its words.
 */
export function intentOf(text: string, asks: string | undefined, question: string): Intent | null {
  const deaf = unheard(asks, question)
  if (deaf === ALL) return null
  const said = plain(text)
  for (const [intent, pattern] of INTENTS) if (!deaf.has(intent) && pattern.test(said)) return intent
  return null
}

const ALL = new Set<Intent>(INTENTS.map(([intent]) => intent))
const ALL_BUT_LEAVING = new Set<Intent>(
  [...ALL].filter((intent) => !['wants_person', 'breaks_off', 'hostile', 'repeat'].includes(intent)),
)
const LATER = new Set<Intent>(['deceased', 'not_here'])
const IN_NEXT_STEP = new Set<Intent>([...LATER, 'busy', 'refusal', 'wrong_number'])
const IN_FIELD = new Set<Intent>([...LATER, 'busy', 'refusal', 'wrong_number', 'number_question'])
const IN_FIELD_ABOUT_CALLS = new Set<Intent>([...IN_FIELD, 'callback', 'wants_person'])

function unheard(asks: string | undefined, question: string): Set<Intent> {
  if (asks === 'opt_out') return ALL
  if (asks === 'callback_time' || asks === 'person_time' || asks === 'appointment') return ALL_BUT_LEAVING
  if (asks === 'next_step') return IN_NEXT_STEP
  if (asks?.startsWith('field:'))
    return /\b(?:call|contact|reach|time|when|phone|talk)\b/i.test(question) ? IN_FIELD_ABOUT_CALLS : IN_FIELD
  return asks === 'reason' ? LATER : NONE
}

const NONE = new Set<Intent>()

const REFUSES_RECORDING = new RegExp(
  [
    "\\b(?:don't|do not|dont|didn't|did not|not|never|can't|cannot|won't)\\b(?: \\w+){0,6} (?:be|being|get|getting|have this|have it|this call|the call) (?:recorded|taped)\\b",
    "\\b(?:don't|do not|dont|never|not|didn't|did not)\\b(?: \\w+){0,5} (?:record|tape|recording|taping) (?:me|us|this|it|that|my voice|the (?:call|conversation))\\b",
    "\\b(?:don't|do not|dont|never|not|didn't|did not)\\b(?: \\w+){0,5} (?:the|this|that|any|your|a) recording\\b",
    "\\b(?:don't|do not|dont|never) (?:record|tape)\\b(?! of)",
    '\\b(?:stop|turn off|switch off|shut off|pause|end|no|without) (?:the |this |that |your |any |being )?record(?:ing|ed|er)\\b',
    '\\b(?:turn|switch|shut) (?:the |this |that |your )?record(?:ing|er) off\\b',
    '\\brather (?:you |it |this |the call )?(?:not be recorded|were ?n.t(?: recorded)?|were not(?: recorded)?|was ?n.t recorded|did ?n.t record|not record)',
  ].join('|'),
)

/** Told that the call is recorded, they don't want it to be. The doubt goes against recording. */
export const refusesRecording = (text: string) => REFUSES_RECORDING.test(plain(text))

const MACHINE =
  /(?<!(?:want|like|wish|care) to )\bleave (?:a|your|me a|us a|any)\b.{0,24}\b(?:message|name|number)\b|\b(?:after|at) the (?:tone|beep)\b|\bvoice ?mail\b|\bmailbox\b|(?<!\b(?:he|she|they) )\b(?:can't|cannot|unable to|not available to|can not) (?:come to the phone|take your call|answer (?:the phone|your call))\b|\b(?:please )?record your message\b|\bsubscriber\b.{0,30}\bnot available\b/
const SCREENING =
  /\bcall screening\b|\b(?:state|say|record|tell me|give) your name\b|\b(?:reason|why) (?:for (?:your|the) call|you(?:'re| are) calling)\b.{0,30}\b(?:see if|available|screen|connect)|\bsee if this person is available\b|\bscreening (?:service|your call)\b/

/** An answering machine, by its own words. */
export const soundsLikeVoicemail = (text: string) => MACHINE.test(plain(text))

const SURELY_MACHINE =
  /\b(?:leave|record) (?:a|your|us a|me a) (?:\w+ )?message\b.{0,24}\b(?:after|at) the (?:tone|beep)\b|\b(?:after|at) the (?:tone|beep)\b.{0,40}\b(?:message|record|leave|hang up)\b|\bmailbox (?:is full|belongs|of)\b|\b(?:forwarded|directed) to (?:an automated )?voice ?mail\b|\bvoice (?:mail|messaging) system\b|\bat the tone,? please\b/

/** As said by machines only, however late in a call: a person may speak of a voicemail, too. */
export const isUnmistakablyVoicemail = (text: string) => SURELY_MACHINE.test(plain(text))

/** Somebody who picks up while their machine is talking. */
export const soundsLikeLivePerson = (text: string) =>
  /^(?:(?:yes|yeah|hello|hi|hey|wait|sorry|i'm (?:here|sorry)|this is (?:she|he|her|him)|speaking)[,.!? ]*){1,3}(?:(?:who(?:'s| is) (?:this|there|calling|it)|i'm here|can i help you|are you (?:still )?there)\b.*)?$/.test(
    plain(text) || text.toLowerCase().trim(),
  )

/** A phone that asks who is calling before it rings (iOS 26 and the like): silence or a wrong word and nobody is reached. */
export const soundsLikeScreening = (text: string) => SCREENING.test(plain(text))

const HOLD_ON =
  /\b(?:stay on the line|please (?:hold|wait)|hold the line|one moment|(?:just )?a (?:moment|second|minute),? please|(?:trying to )?connect(?:ing)? you(?:r call)?)\b/

/** All that was heard came from a phone that screens its calls: nobody has picked up yet. */
export function onlyScreened(heard: readonly string[]): boolean {
  return (
    heard.some(soundsLikeScreening) && heard.every((text) => soundsLikeScreening(text) || HOLD_ON.test(plain(text)))
  )
}

const YES =
  /^(?:(?:oh |why )?(?:yes|yeah|yep|yup|ya|yea|sure|correct|right|absolutely|definitely|certainly|exactly|indeed|true|affirmative|speaking|okay|ok|alright|all right|fine|uh[ -]?huh|mm[ -]?hmm)\b|s[ií](?![a-zñ])|of course|that's (?:right|correct|me|true|fine|him|her)|that is (?:right|correct|me|true|fine)|this is (?:she|he|her|him|me|correct|right|true|fine)\b|it is\b|i (?:think|believe|guess|suppose) so\b|i (?:do|did)\b(?! not|n't| no\b| never| wonder)|i (?:am|have|would|was|can|will|could)(?= ?[,.!]|$| indeed| still)|you(?:'ve got| have| got) (?:him|her|me|it)|go (?:ahead|on|for it)|please do|sounds good|no problem|not a problem|i'd (?:like (?:that|it|an?|to)\b(?! know)|love|be happy|appreciate)|let's do|why not|yes,? please|very much|as a matter of fact)/
const NO =
  /^(?:(?:oh |god |heck |hell )?(?:no|nope|nah|never|negative|none|neither)\b(?! (?:problem|worries|doubt|idea))|i(?: have|'ve) (?:no|never)\b|not (?:really|yet|any ?more|at all|that i|exactly|right now|for me|interested|currently|as far)|i (?:don't|do not|haven't|have not|didn't|did not|wasn't|was not|won't|will not|wouldn't|would not|can't|cannot|am not|couldn't)\b(?! know| remember| recall| think i can say| mind| see why not)|i'm not\b(?! sure| certain| too sure| really sure| quite sure)|i don't think so|i'd rather not|it (?:isn't|is not|wasn't|hasn't)|that's (?:not|wrong|incorrect)|they (?:didn't|haven't|don't))/
const UNSURE =
  /\b(?:(?:don't|do not) (?:really |quite |exactly |honestly )?(?:know|remember|recall)|not (?:too |really |quite |entirely |a hundred percent |100% )?(?:sure|certain)|no idea|no clue|maybe|perhaps|possibly|might|it depends|hard to say|couldn't (?:tell|say)|can't (?:say|remember|recall|think)|let me think|have to think|need to think|think about it|think it over|talk to my (?:wife|husband|family|partner|spouse|son|daughter)|yes and no|who knows)\b/

const BUT_NO = /\b(?:not interested|no interest|don't want|do not want|rather not|don't think so|no,? thank)/

/** Yes, no, or null where it is neither plainly. */
export function yesOrNo(text: string): boolean | null {
  const said = plain(text)
  if (UNSURE.test(said) && !/^(?:yes|yeah|yep|no|nope)\b[,.]/.test(said)) return null
  if (YES.test(said))
    return BUT_NO.test(said) || /^\w+,? (?:but |well,? )?(?:no|not)\b(?! problem)/.test(said) ? null : true
  if (NO.test(said)) return /^no,? (?:yes|that's (?:right|correct|fine)|it's (?:true|fine))\b/.test(said) ? null : false
  return null
}

const IS_CONTACT =
  /^(?:(?:yes|yeah|yep|yup|ya|correct|speaking|indeed|uh[ -]?huh|mm[ -]?hmm)\b(?!\?)|s[ií](?![a-zñ?])|that's (?:right|correct|me|him|her)\b|that is (?:right|correct|me)\b|this is (?:she|he|her|him|me)\b|it is\b|it's me\b|you(?:'ve got| have| got|'re (?:speaking|talking) (?:to|with)| are (?:speaking|talking) (?:to|with)) (?:him|her|me)\b|i am(?= ?[,.!]|$))/
const INTRODUCES = /^(?:this is|it's|i'm|i am|my name is|you've reached) \p{Lu}/iu
const RELATIVE =
  '(?:wife|husband|spouse|son|daughter|kids?|child|mother|father|mom|mommy|mum|dad|daddy|parents?|brother|sister|partner|roommate|boyfriend|girlfriend|fianc[eé]e?|aunt|uncle|niece|nephew|cousin|grand(?:ma|pa|mother|father|son|daughter)|friend|neighbou?r)'
const PROXY = '(?:carer|caregiver|nurse|boss|assistant|secretary|lawyer|attorney)'
/** "This is she", but not "this is her daughter". */
const SELF =
  /\b(?:this is|that's|that is|it's|you've got|you have|you got|speaking (?:to|with)) (?:she|he|her|him)(?= ?(?:[.,!?;]|$)| (?:speaking|here)\b)/g
const SOMEBODY_ELSE = new RegExp(
  `\\b(?:he|she|him|her|his|hers)\\b|\\bmy (?:${RELATIVE}|${PROXY})\\b|['’]s (?:${RELATIVE}|${PROXY})\\b|\\bon behalf of\\b|\\bpower of attorney\\b|\\b(?:hold|hang) on\\b|\\bone (?:moment|second|sec|minute)\\b|\\blet me (?:get|see if|find|check|put)\\b`,
)

/**
 * The answer to "Am I speaking with …?". Stricter than any other yes, for the matter is told to nobody else: "Sure?",
 * "Yes?" and "Yes, that's my wife" confirm nothing, and "This is Robert" is a no where nobody of that name was asked for.
 *
 * @param name A pattern of the first name that was asked for.
 */
export function confirmsIdentity(text: string, name?: RegExp): boolean | null {
  const said = plain(text)
  if (SOMEBODY_ELSE.test(said.replace(SELF, '')) || soundsLikeChild(text)) return yesOrNo(text) === false ? false : null
  if (IS_CONTACT.test(said) || name?.test(text)) return true
  const introduced = INTRODUCES.exec(text.trim())
  if (introduced && /\p{Lu}$/u.test(introduced[0])) return false
  return yesOrNo(text) === false ? false : null
}

const HANDS_OVER = new RegExp(
  `\\b(?:let me|i'll|i will|i'm going to|i'm gonna|i can) (?:go )?(?:get|grab|fetch|find|put) (?:(?:him|her|them)\\b|my ${RELATIVE}|you on with|mom|dad)|\\b(?:i'm|i am) (?:getting|putting|passing|giving|handing) (?:(?:him|her|them)\\b|you to|the phone|my ${RELATIVE})|\\b(?:here(?:'s| is)|here comes) (?:(?:he|she)\\b|my ${RELATIVE})|^(?:(?:yes|yeah|sure|ok(?:ay)?|hello)[,. ]+)?(?:(?:he|she)(?:'s| is) (?:right )?here(?: now)?(?= ?[.,!]|$)|(?:speak|talk) (?:to|with) my ${RELATIVE})\\b`,
)

/** Somebody else will be on the phone in a moment. */
export const handsOver = (text: string) => HANDS_OVER.test(plain(text))

const CHILD =
  /\b(?:i'm|i am)(?: only| just)? (?:[4-9]|1[0-7]|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen)(?: years old)?(?: ?[.,!]|$)|\bi(?:'m| am) (?:just |only )?(?:a (?:little )?(?:kid|child|minor|boy|girl)|under(?: the age of)? (?:18|eighteen))\b|\bmy (?:mom|mommy|mum|mother|dad|daddy|father|parents)(?:'s| is| are|n't)* (?:not |isn't )?(?:home|here|out|at work|sleeping|asleep|in the shower)\b|\bmy (?:mommy|daddy)\b/

/** A child has picked up. */
export const soundsLikeChild = (text: string) => CHILD.test(plain(text))

const TAIL =
  '(?:,? (?:about )?(?:that|it|off ?hand|right now|exactly|at the moment|to be honest|honestly|sorry|for sure|any ?more))*[.!]*$'
const UNKNOWN = new RegExp(
  `^(?:i )?(?:really |honestly |just )?(?:(?:don't|do not) (?:really |quite |exactly |honestly |even )?(?:know|remember|recall)|dunno|can't (?:remember|recall|say)|couldn't (?:say|tell))${TAIL}|^(?:i'm |i am )?not (?:too |really |quite |entirely )?(?:sure|certain)${TAIL}|^(?:i have )?no (?:idea|clue)\\b`,
)
const WITHHELD =
  /\brather not (?:say|answer|tell|give|discuss|share)|\b(?:prefer|want|like) not to (?:say|answer|tell|share)|\b(?:don't|do not) (?:want|feel comfortable|care)(?: to)? (?:say|saying|answer|answering|give|giving|tell|telling|share|sharing|disclose)|\bnone of your business\b|^(?:skip|pass|next question|no comment)\b/

/** "I don't know" and "I'd rather not say" are no answers, whatever was asked. */
export function withholdsAnswer(text: string): boolean {
  const said = plain(text)
  return UNKNOWN.test(said) || WITHHELD.test(said)
}
