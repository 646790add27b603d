import type { CallBrief } from '../providers/call-brief.ts'
import type { DisconnectionReason, Turn } from '../providers/voice.ts'
import { type Answer, answerTo } from './answers.ts'
import { callbackTime } from './callback-time.ts'
import { confirmsIdentity, type Intent, intentOf, soundsLikeChild, soundsLikeVoicemail, yesOrNo } from './hearing.ts'
import { identities } from './identity.ts'
import { asksToBeLeftAlone } from './opt-out.ts'

/** A conversation as it was held. */
export interface Held {
  answered_at: Date
  duration_seconds: number
  disconnection_reason: DisconnectionReason
  transcript: Turn[]
  transferred_to: string | null
  /** The line was not broken: our own process had to stop. */
  put_down?: true
  /** What the agent agreed on with the contact and put down in so many words. */
  notes?: Note[]
}

export type Note =
  | { type: 'callback' /** ISO instant */; at: string }
  | { type: 'appointment' /** ISO instant */; at: string }
  /** The contact wants something that a person must see to. */
  | { type: 'person'; quote: string }
  /** The agent has promised that the legal team will hear of this. */
  | { type: 'question'; quote: string }
  /** The contact wants no more calls. */
  | { type: 'opt_out'; quote: string }

/** What the contact's turns say, each with the words it rests on. */
export interface Facts {
  spoke: boolean
  identified: boolean
  quotes: Partial<Record<Intent | 'opt_out', string>>
  next_step: { verdict: boolean | null; quote: string } | null
  callback: { at: Date | null; quote: string } | null
  person_time: string | null
  appointment: string | null
  /** A time that the agent has booked. */
  booked: Date | null
  fields: Record<string, Answer>
  asked: Set<string>
  /** On which turn (from 0) each of these rests: `opt_out`, `next_step`, `callback`, …, `field:NAME`. */
  turns: Record<string, number>
}

/** Reads a transcript turn by turn, each answer by what was asked before it. */
export function factsOf(held: Held, brief: CallBrief): Facts {
  const { post_call_fields } = brief.agent
  const facts: Facts = {
    spoke: false,
    // A model's turns don't say what they ask for.
    identified: identities(brief, held.transcript).includes(true),
    quotes: {},
    next_step: null,
    callback: null,
    person_time: null,
    appointment: null,
    booked: null,
    fields: Object.fromEntries(post_call_fields.map(({ name }) => [name, null])),
    asked: new Set(),
    turns: {},
  }
  let asks: string | undefined
  let question = ''
  for (const [index, turn] of held.transcript.entries()) {
    if (turn.speaker === 'agent') {
      asks = turn.asks
      question = turn.text
      if (asks?.startsWith('field:')) facts.asked.add(asks.slice(6))
      // Nobody is told why we call before they have said who they are.
      if (asks && !['identity', 'right_number', 'callback_time', 'person_time', 'opt_out'].includes(asks))
        facts.identified = true
      continue
    }
    facts.spoke = true
    read(turn, asks, question, facts, held, brief, index)
  }
  for (const note of held.notes ?? []) take(note, facts, held)
  return facts
}

/** What an agent put down goes before what its words would be read as. */
function take(note: Note, facts: Facts, { transcript }: Held) {
  switch (note.type) {
    case 'callback':
      facts.callback = { at: new Date(note.at), quote: facts.callback?.quote ?? '' }
      return
    case 'appointment':
      facts.booked = new Date(note.at)
      return
    case 'person':
      facts.quotes.wants_person ??= note.quote
      return
    case 'question':
      facts.quotes.legal_question ??= note.quote
      return
    case 'opt_out':
      facts.quotes.opt_out ??= note.quote
      facts.turns.opt_out ??= transcript.findLastIndex(
        ({ speaker, text }) => speaker === 'contact' && text === note.quote,
      )
  }
}

function read(
  { text, at }: Turn,
  asks: string | undefined,
  question: string,
  facts: Facts,
  held: Held,
  brief: CallBrief,
  index: number,
) {
  const note = (what: keyof Facts['quotes']) => {
    facts.quotes[what] ??= text
    facts.turns[what] ??= index
  }
  const rests = (what: string) => {
    facts.turns[what] = index
  }
  if (asksToBeLeftAlone(text)) return note('opt_out')
  if (index < 4 && soundsLikeVoicemail(text)) return
  if (!facts.identified && soundsLikeChild(text)) {
    facts.callback = { at: null, quote: text }
    return rests('callback')
  }
  const intent = intentOf(text, asks, question)
  if (intent) note(intent)
  const wantsLater = intent === 'callback' || intent === 'busy' || intent === 'not_here'
  if (wantsLater || (intent === null && asks === 'callback_time')) {
    const time = callbackTime(text, new Date(held.answered_at.getTime() + at * 1000), brief.zones[0]!)
    if (!wantsLater && time.kind === 'none' && yesOrNo(text) === false) {
      // Not now and not later either.
      facts.callback = null
      return note('refusal')
    }
    rests('callback')
    facts.callback = { at: time.kind === 'at' ? time.at : (facts.callback?.at ?? null), quote: text }
    return
  }
  if (intent) return
  if (asks === 'right_number' && confirmsIdentity(text) === false) note('wrong_number')
  else if (asks === 'opt_out' && yesOrNo(text) !== false) note('opt_out')
  else if (asks === 'reason' && yesOrNo(text) === false) {
    rests('callback')
    facts.callback = { at: null, quote: text }
  } else if (asks === 'next_step') {
    rests('next_step')
    facts.next_step = { verdict: yesOrNo(text), quote: text }
  } else if (asks === 'person_time') facts.person_time = text
  else if (asks === 'appointment') facts.appointment = text
  else if (asks?.startsWith('field:')) {
    const field = brief.agent.post_call_fields.find(({ name }) => name === asks.slice(6))
    const answer = field ? answerTo(field, text) : null
    if (field && answer !== null) {
      rests(asks)
      facts.fields[field.name] = answer
    }
  }
}
