import type { Turn } from '../providers/voice.ts'

// Words about the mood of the talk. Pain, accidents and losses are the matter, not the mood.
const WARM =
  /\b(?:thanks?|thank you|great|good|perfect|wonderful|excellent|happy|glad|appreciate|helpful|nice|sounds good|of course|absolutely|love|kind|pleased|that works|looking forward|no problem)\b/gi
const COLD =
  /\b(?:stop|not interested|no interest|annoy\w*|angry|upset|ridiculous|scam\w*|harass\w*|terrible|awful|waste|sick of|tired of|fed up|hate|leave me alone|unbelievable|nonsense|rude|complain\w*|screw|hell|damn|idiots?|frustrat\w*|disappoint\w*|don't want|how dare|unacceptable|shut up|remove m[ey]|off your list|bad time|unfortunately)\b/gi
const BITTER =
  /\b(?:scam\w*|harass\w*|screw|hell|damn|idiots?|ridiculous|unbelievable|how dare|hate|sick of|fed up|shut up|nonsense|leave me alone|unacceptable|stop calling|don't call|crooks|off your list)\b/gi

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/** The contact's mood by their words, 0 to 1; a few friendly or hostile words do not make an extreme of a long talk. */
export function sentimentOf(transcript: readonly Turn[]): number {
  const said = transcript
    .filter(({ speaker }) => speaker === 'contact')
    .map(({ text }) => text)
    .join('\n')
  const warm = count(said, WARM)
  const cold = count(said, COLD) + 2 * count(said, BITTER)
  return Math.round((0.5 + (warm - cold) / (2 * (warm + cold + 2))) * 100) / 100
}
