import type { CallBrief } from '../providers/call-brief.ts'
import { deniesAi } from './forbidden-speech.ts'
import { disclosesAi, sentences } from './wording.ts'

const ASKS_FOR_PERSON =
  /\b(?:am i (?:speaking|talking) (?:with|to)|is this|may i (?:please )?(?:speak|talk) (?:with|to)|(?:can|could) i (?:please )?(?:speak|talk) (?:with|to)|is [\p{L}'. -]{1,60} (?:there|available|home|in))\b[^?.!]*\?/iu

const SAYS_WHY =
  /\b(?:call(?:ing)?|reaching out|phoning)\b[^.?!]*\b(?:about|regarding|concerning|to|for|because|with)\b/i

/**
 * The first words of every call, whatever brain speaks after them: the greeting as the firm wrote it. Where its first
 * sentence does not name the firm and say that an AI is calling (California AB 2905, Utah SB 149, Washington's 30
 * seconds), a sentence that does goes before it; that the call is recorded comes next; where the law asks for it, that
 * the call is about a matter with the firm, and no more before we know who is speaking; where the greeting does not ask for
 * the person, that question follows.
 */
export function openingOf(brief: CallBrief): string {
  const greeting = honest(brief.render(brief.agent.greeting).trim())
  const parts = [greeting]
  const { says_why, all_agree_to_recording } = brief.law
  if (brief.recorded)
    parts.unshift(
      `This call is recorded.${all_agree_to_recording ? ' If you would rather it were not, tell me so.' : ''}`,
    )
  if (brief.recorded || !disclosesAi(greeting, brief.company_name)) parts.unshift(disclosure(greeting, brief))
  if (says_why && !SAYS_WHY.test(greeting)) parts.splice(-1, 0, 'I am calling about a matter with the firm.')
  if (!ASKS_FOR_PERSON.test(greeting))
    parts.push(`Am I speaking with ${brief.client.first_name} ${brief.client.last_name}?`)
  return parts.filter((part) => part !== '').join(' ')
}

/** For a phone that asks who is calling and why: to whomever reads it, and nothing of the matter. */
export const screenedOpeningOf = ({ agent, company_name: firm, client }: CallBrief): string =>
  `This is ${agent.name}, an AI assistant from ${firm}, calling ${client.first_name} ${client.last_name} about a matter with the firm.`

/** What a machine is told where the agent leaves a message; null where it hangs up. */
export function voicemailOf(brief: CallBrief): string | null {
  const { voicemail_action, voicemail_message } = brief.agent
  if (voicemail_action === 'hangup' || !voicemail_message) return null
  const message = honest(brief.render(voicemail_message).trim())
  return disclosesAi(message, brief.company_name) ? message : `${disclosure(message, brief)} ${message}`
}

/** Without the sentences that deny that an AI is speaking. */
function honest(text: string): string {
  if (!deniesAi(text)) return text
  return sentences(text)
    .filter((sentence) => !deniesAi(sentence))
    .join(' ')
}

function disclosure(before: string, { company_name }: CallBrief): string {
  const hello = /^(?:hello|hi|hey|good (?:morning|afternoon|evening|day))\b/i.test(before) ? 'This' : 'Hello, this'
  return `${hello} is an AI assistant calling from ${company_name}.`
}
