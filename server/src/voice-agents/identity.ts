import type { CallBrief } from '../providers/call-brief.ts'
import type { Turn } from '../providers/voice.ts'
import { confirmsIdentity, handsOver } from './hearing.ts'
import { escaped } from './wording.ts'

type Client = CallBrief['client']

/**
 * Whether the one on the line has said, in this call and asked for it, that they are the contact. The matter is told to
 * nobody else, so it is read from the turns alone, whatever a model or a script may believe; and whoever takes over the
 * phone is a stranger again.
 */
export const identified = (brief: Pick<CallBrief, 'client'>, transcript: readonly Turn[]): boolean =>
  identities(brief, transcript).at(-1) ?? false

/** The same after each turn. */
export function identities({ client }: Pick<CallBrief, 'client'>, transcript: readonly Turn[]): boolean[] {
  const { self, asking } = patternsOf(client)
  let known = false
  return transcript.map(({ speaker, text, asks }, index) => {
    // Who is on the line is asked again only where it may be somebody else.
    if (speaker === 'agent') known &&= asks !== 'identity'
    else if (handsOver(text)) known = false
    else if (confirmsIdentity(text, self)) {
      const before = transcript[index - 1]
      const asked = before?.speaker === 'agent' && asksWho(before, asking)
      known ||= asked || self.test(text)
    }
    return known
  })
}

/** A question that was drowned out has not been answered. */
const asksWho = ({ asks, text, interrupted }: Turn, asking: RegExp) =>
  asks !== undefined && !interrupted ? asks === 'identity' : asks !== 'right_number' && asking.test(text)

interface Patterns {
  /** "This is Maria" and "Maria speaking", but not "this is Maria's husband" and not "Maria is out". */
  self: RegExp
  /** Of an agent. */
  asking: RegExp
}

const patterns = new WeakMap<Client, Patterns>()

export function patternsOf(client: Client): Patterns {
  const known = patterns.get(client)
  if (known) return known
  const name = `${escaped(client.first_name)}(?![\\p{L}'’])`
  const made = {
    self: new RegExp(
      `(?<!\\p{L})(?:it's|it is|this is|i'm|i am|my name is) ${name}|^${name}(?: \\p{Lu}[\\p{L}'’-]+)?(?: (?:here|speaking))?[.,!]*$|(?<!\\p{L})${name} (?:here|speaking)(?!\\p{L})`,
      'iu',
    ),
    asking: new RegExp(
      `\\b(?:am i (?:now )?(?:speaking|talking) (?:with|to)|is this|are you) (?:mr\\.? |mrs\\.? |ms\\.? )?${name}`,
      'iu',
    ),
  }
  patterns.set(client, made)
  return made
}
