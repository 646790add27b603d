import type { CallBrief } from '../providers/voice.ts'
import { disclosesAi } from './wording.ts'

const ASKS_FOR_PERSON =
  /\b(?:am i (?:speaking|talking) (?:with|to)|is this|may i (?:please )?(?:speak|talk) (?:with|to)|(?:can|could) i (?:please )?(?:speak|talk) (?:with|to)|is [\p{L}'. -]{1,60} (?:there|available|home|in))\b[^?.!]*\?/iu

/**
 * The first words of every call, whatever brain speaks after them: the greeting as the firm wrote it. Where its first
 * sentence does not name the firm and say that an AI is calling (California AB 2905, Utah SB 149, Washington's 30
 * seconds), a sentence that does goes before it; where it does not ask for the person, that question follows.
 */
export function openingOf(brief: CallBrief): string {
  const greeting = brief.render(brief.agent.greeting).trim()
  const parts = [greeting]
  if (!disclosesAi(greeting, brief.company_name)) {
    const hello = /^(?:hello|hi|hey|good (?:morning|afternoon|evening|day))\b/i.test(greeting) ? 'This' : 'Hello, this'
    parts.unshift(`${hello} is an AI assistant calling from ${brief.company_name}.`)
  }
  if (!ASKS_FOR_PERSON.test(greeting))
    parts.push(`Am I speaking with ${brief.client.first_name} ${brief.client.last_name}?`)
  return parts.join(' ')
}
