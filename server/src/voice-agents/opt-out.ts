/*
 * Did this person just tell us not to call again? Revocation counts "by any reasonable means" (47 CFR 64.1200), so the
 * doubt goes against calling: a sentence that reads like an opt-out ends the call. What it must not catch is talk about
 * the matter ("the pain won't stop", "I opted out of the class action") and a mere wish about the hour ("don't call me
 * before noon").
 */

let lastText = ''
let lastPlain = ''

/** Lower case, straight apostrophes, single blanks, no blanks or fillers around it: what patterns expect. */
export function plain(text: string): string {
  // Every rule asks for the same turn in a row; this alone is a tenth of a conversation's cost.
  if (text === lastText) return lastPlain
  lastText = text
  lastPlain = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\s+/g, ' ')
    .replace(/^(?:(?:well|um+|uh+|oh|hm+|er+|so|like|look|listen|hey|hi|hello|ok(?:ay)? (?=[a-z]))[,.!… ]+)+/, '')
    .trim()
  return lastPlain
}

// Most sentences hold none of these and need no further look.
const HINT =
  /stop|quit|cease|remov|delet|eras|\blist|\bcall|contact|opt|unsub|los[et]|forget|alone|revok|withdraw|consent|permission|bother|harass|rotation|database|number|system|llam|basta|enough|knock|\bring|phone|\boff\b|no more|appel|b[oó]rr/

const CALLING =
  '(?:call(?:ing|s)?|phon(?:e|ing)|ring(?:ing)?|contact(?:ing)?|bother(?:ing)?|harass(?:ing)?|text(?:ing)?|messag(?:e|ing)|dial(?:ing)?|pester(?:ing)?)'

const ASKED: RegExp[] = [
  /^(?:please )?(?:just )?(?:stop|unsubscribe|opt[ -]?out|quit|cancel|end|remove)(?: it| this| now| please)*[.! ]*$/,
  /^stop[.!,]/,
  /\b(?:just|please) stop(?: it)?[.!]*$/,
  new RegExp(
    `(?<!(?:n't|not|never) )\\b(?:stop|quit|cease)(?: with)?(?: (?:the|these|all|your|all the|all these|all your))? ${CALLING}\\b`,
  ),
  /\b(?:take|get|scratch|cross|drop|strike|pull|remove) (?:me|us|my name|my number|my phone number|my info(?:rmation)?|this number)\b.{0,12}\b(?:off|from|out of)\b(?! (?:the|that|my) (?:witness|jury|waiting|exhibit))\b.{0,24}\b(?:lists?|database|systems?|records|calls|rotation|phone|contacts)\b/,
  /\b(?:remove|delete|erase) (?:me|us|my (?:phone |cell )?(?:number|info(?:rmation)?|name)|this number)\b(?! from (?:the|this|that|my|your) (?:case|law ?suit|suit|claim|matter|settlement|class))/,
  /\b(?:take|get) (?:me|us|my (?:name|number)) (?:off|out)(?: of)? (?:it|this|that|there|your)\b/,
  /\b(?:don't|do not|dont|never|not to|can't) (?:you )?(?:ever |dare |you dare |even )?(?:call|phone|ring|contact|bother|dial|text|reach out to)(?: (?:me|us|here|this (?:number|phone|house)|my (?:phone|cell|number|home|house)|him|her|them))?(?: (?:again|anymore|any more|any longer|ever|back|no more))+\b/,
  /\b(?:don't|do not|dont|never) (?:you )?(?:ever |dare |you dare )?(?:call|phone|ring|contact|bother|dial|text) (?:me|us|here|this (?:number|phone|house)|my (?:phone|cell|number|home|house))\b/,
  /\bno (?:more|further) (?:phone |robo ?|sales |of (?:these|your) )*(?:calls?|contact|calling|communications?)\b/,
  /\b(?:don't|do not|dont|no longer|never) (?:want|wish|need|care)(?: to (?:get|receive|have|take|be getting))?(?: any| any more| anymore| more| these| your| further| such| all these)* (?:phone |robo ?|sales )?calls?\b/,
  /\b(?:don't|do not|dont|no longer|never) (?:want|wish)(?: to be| being| you to be) (?:called|contacted|bothered|phoned|on (?:your|the|any|this) (?:list|database))\b/,
  new RegExp(`\\b(?:don't|do not|dont) want you (?:people |guys )?(?:to (?:call|contact|phone|bother)|${CALLING})`),
  /\bdo[ -]not[ -]call (?:list|registry|register)\b/,
  /\b(?:want|like|wish|going|need|asking|choose) to (?:be )?opt(?:ed)?[ -]?out\b(?! of (?:the|this|that|my|a) (?:class|settlement|law ?suit|suit|case|action|mdl|plan|trial|arbitration))/,
  /\bopt (?:me|us|this number|my number) out\b/,
  /\b(?:i'm opting|i opt) out\b(?! of (?:the|this|that|my|a) (?:class|settlement|law ?suit|suit|case|action|mdl|plan|trial|arbitration))/,
  /\bunsubscribe\b/,
  /\b(?:lose|forget|loose|throw away|get rid of) (?:my|this) (?:phone )?number\b/,
  /\bleave (?:me|us) alone\b/,
  /\bcease and desist\b|\bcease (?:all )?(?:contact|communications?)\b/,
  /\b(?:revoke|withdraw|take back|cancel) (?:my |all )?(?:consent|permission)\b|\b(?:don't|do not|never) have (?:my )?(?:consent|permission) to (?:call|contact)\b|\b(?:never|didn't|did not) (?:give|gave|given) (?:you )?(?:my )?(?:consent|permission) to (?:call|contact)\b/,
  /\b(?:sick(?: and tired)?|tired|fed up) (?:of|with) (?:(?:all |of )?(?:these|your|the|getting)) (?:\w+ ){0,2}calls\b/,
  /^(?:(?:please )?stop[,.! ]+){2,}|\bplease stop(?:[,.!]|$)|[.!?] stop it[.! ]*$/,
  /\b(?:you|you people|you guys) (?:all )?(?:need to|have to|have got to|gotta|got to|had better|better) stop(?: (?:it|this|that|now))*[.! ]*$/,
  /\b(?:tell|ask|told|asked|telling|asking) you(?: people| guys| all)? (?:to stop(?! (?:by|at|in|over))|not to (?:call|phone|ring|contact|bother|text))\b/,
  /\benough (?:with|of) (?:the|these|your|all these|all your|all the) (?:\w+ )?calls\b|\bknock it off\b/,
  /^(?:please )?(?:just )?(?:take|get) (?:me|us|this number|my number) off[.! ]*$|\b(?:take|get) (?:my|this) (?:phone )?number (?:off|out)\b/,
  /\b(?:want|like|get me) off (?:of )?(?:your|this|that|the|any) (?:\w+ )?list\b(?<!(?:witness|jury|waiting) list)/,
  /\bon (?:the|your) do[ -]not[ -]call\b|^(?:please )?(?:do not|don't|never) (?:call|phone|ring|contact)(?: me| us| back| here)?[.! ]*$|^no calls[.! ]*$|\bi said no more\b/,
  /\b(?:don't|do not|didn't|did not|never) consent(?:ed)? to (?:(?:these|this|your|any|you|being|getting|the) )?(?:\w+ )?(?:call|phon|contact)/,
  /\byou(?:'re| are)(?: people| guys)? harassing (?:me|us)\b|^(?:this|that|it)(?:'s| is) harassment[.! ]*$/,
  /\b(?:report|sue|complain|police|lawyer|attorney|fcc|ftc|block)\b.{0,40}\bif you (?:people )?(?:ever )?(?:call|contact|phone|ring|text|bother)\b/,
  /\b(?:want|like|wish|need|asking) to be (?:removed|taken off|deleted)\b(?! (?:from|of) (?:the|this|that|my) (?:\w+ )?(?:case|law ?suit|suit|claim|matter|settlement|class|action))(?! (?:the|this|that|my) (?:\w+ )?(?:case|law ?suit|suit|claim|class))/,
  /\b(?:delete|remove|erase) (?:my|our|all my|all our) (?:details|data|contact|number|info)|\bblock (?:my|this) number\b/,
  /\b(?:don't|do not|dont) bother (?:calling|phoning|ringing|contacting|to call)\b|\bforget about calling\b|\blast time (?:that )?you(?:'ll)? (?:ever )?(?:call|contact|bother|phone|ring)\b/,
  /\b(?:don't|do not|dont) wanna be (?:called|contacted|bothered|phoned)\b|\bno (?:right|business) (?:to call|calling|to contact|to phone)\b/,
  /\b(?:can|could|would|will) you (?:please |just |maybe )?not (?:call|phone|ring|contact|bother|text)\b|\b(?:prefer|rather|appreciate it|like it|better)(?: it)? (?:if )?you (?:didn't|did not|don't|do not|wouldn't|not) (?:call|contact|phone|ring|text)\b/,
  /\bleave (?:him|her|them|my (?:wife|husband|mother|father|mom|dad|parents|family|son|daughter|kids|children)|this number) alone\b/,
  /\bno (?:me )?llam(?:e|en|es) m[aá]s\b|\barr[eê]te[zr]? de (?:m'|me |nous )?(?:appeler|t[eé]l[eé]phoner)/,
  /\bya basta\b|\bno (?:me|nos) (?:llamen?|llames|contacten?|molesten?|vuelvan? a llamar)\b|\bdej(?:e|en|a) de llamar|\b(?:no|ya no) (?:quiero|deseo) (?:m[aá]s|recibir) (?:m[aá]s )?(?:sus )?llamadas\b|(?:qu[ií]t|b[oó]rr|s[aá]qu)(?:e|en|a)(?:me|n?me) de (?:la|su|esta) lista\b/,
]

// "Don't call me while I'm at work" is about the hour. "Don't call me again" stays an opt-out with an hour in it.
const ABOUT_THE_HOUR =
  /\b(?:now|today|tonight|tomorrow|before|after|until|till|during|while|when|unless|on (?:the )?(?:weekends?|sundays?|saturdays?|(?:mon|tues|wednes|thurs|fri)days?)|(?:so|this|that|too) (?:early|late)|in the (?:morning|evening|afternoon)s?|at (?:work|night|dinner|\d)|ahora|hoy|ma[nñ]ana)\b/
const FOR_GOOD = /\b(?:again|any ?more|any longer|ever|no more|never|list|stop|remove|unsubscribe|consent|permission)\b/

/** `text` is one turn of the contact, as heard. */
export function asksToBeLeftAlone(text: string): boolean {
  const said = plain(text)
  if (!HINT.test(said)) return false
  if (!ASKED.some((pattern) => pattern.test(said))) return false
  return FOR_GOOD.test(said) || !ABOUT_THE_HOUR.test(said) || /\bleave (?:me|us) alone\b/.test(said)
}

const PROMISES: RegExp[] = [
  /\b(?:taking|taken|take|removing|removed|remove) (?:you|your (?:phone )?number)\b.{0,12}\b(?:off|from) (?:our|the)\b.{0,20}\blist/,
  /\b(?:(?:we|i)(?:'ll| will) (?:not|never|no longer)|(?:we|i) won't|(?:nobody|no one)(?:'ll| will)) (?:be )?(?:call|calling|contact|contacting) you (?:again|any ?more)\b/,
]

/** An agent whose words are not ours promised that there will be no more calls: what it promised holds. */
export const promisesNoMoreCalls = (text: string): boolean => {
  const said = plain(text)
  return PROMISES.some((pattern) => pattern.test(said))
}
