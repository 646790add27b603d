import type { CallResult } from '../calls/results.ts'
import type { CallBrief } from '../providers/call-brief.ts'
import type { Answer } from './answers.ts'
import { spokenAppointment } from './appointment.ts'
import { spokenTime } from './callback-time.ts'
import type { Facts, Held } from './facts.ts'
import { voicemailOf } from './opening.ts'
import { reasonOf, wordsOf } from './wording.ts'

/** A few sentences for the case's file. Every statement rests on a turn and quotes it where wording matters. */
export function summaryOf(result: CallResult, held: Held, facts: Facts, brief: CallBrief): string {
  const name = `${brief.client.first_name} ${brief.client.last_name}`
  if (result === 'voicemail') {
    const message = voicemailOf(brief)
    const left =
      message !== null && held.transcript.some(({ speaker, text }) => speaker === 'agent' && text === message)
    return `A voicemail greeting answered the call to ${name}; ${left ? `the agent left its message: ${quoted(message)}` : 'no message was left'}.`
  }
  if (result === 'no_answer')
    return `A call screen answered the call to ${name} and was told who was calling; nobody came to the phone.`
  const said: string[] = []
  if (facts.identified) {
    const why = `I'm calling to ${reasonOf(brief)}`
    const told = held.transcript.some(({ speaker, text }) => speaker === 'agent' && text.includes(why))
    said.push(`${brief.agent.name} reached ${name}${told ? ` and said: ${quoted(why)}` : ''}.`)
  } else if (facts.spoke) {
    said.push(`Somebody answered the call to ${name} but was not identified.`)
  } else {
    said.push(`The call to ${name} was answered, but nobody spoke.`)
  }
  said.push(...answers(facts, brief))
  if (facts.quotes.legal_question)
    said.push(
      `Asked for legal advice (${quoted(facts.quotes.legal_question)}) and was told that the agent can give none.`,
    )
  if (facts.quotes.robot_question)
    said.push('Asked whether this is a real person and was told that it is an AI assistant.')
  said.push(ending(result, held, facts, brief))
  return said.filter((sentence) => sentence !== '').join(' ')
}

function answers({ fields, asked }: Facts, brief: CallBrief): string[] {
  const given: string[] = []
  const open: string[] = []
  for (const { name, type } of brief.agent.post_call_fields) {
    const value = fields[name] ?? null
    if (value !== null) given.push(`${wordsOf(name)}: ${type === 'text' ? quoted(String(value)) : spoken(value)}`)
    else if (asked.has(name)) open.push(wordsOf(name))
  }
  const sentences: string[] = []
  if (given.length > 0) sentences.push(`Answers given: ${given.join('; ')}.`)
  if (open.length > 0) sentences.push(`No clear answer on ${open.join(', ')}.`)
  return sentences
}

const spoken = (value: Exclude<Answer, null>) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value))

const quoted = (text: string) => `“${text.replace(/[.]+$/, '').slice(0, 200)}”`

function ending(result: CallResult, held: Held, facts: Facts, brief: CallBrief): string {
  const { quotes, next_step, callback, person_time, appointment } = facts
  const first = brief.client.first_name
  if (!facts.next_step && ['converted', 'successful'].includes(result) && !facts.booked)
    return 'The conversation was completed.'
  if (facts.booked && result === 'converted')
    return `An appointment was booked: ${spokenAppointment(facts.booked, brief.zones[0]!)}.`
  switch (result) {
    case 'opted_out':
      return `Asked not to be called again (${quoted(quotes.opt_out!)}); the agent confirmed it and ended the call.`
    case 'transferred':
      return `Asked for a person (${quoted(quotes.wants_person ?? '')}) and was connected to ${held.transferred_to}.`
    case 'wrong_number':
      return `This is not ${first}'s number (${quoted(quotes.wrong_number!)}).`
    case 'disqualified':
      return quotes.deceased
        ? `The person who answered said that ${first} has died (${quoted(quotes.deceased)}).`
        : `The matter does not qualify: ${first} said ${quoted(quotes.disqualified!)}.`
    case 'callback_requested':
      if (quotes.wants_person)
        return `Asked for a person (${quoted(quotes.wants_person)}); a call back by a colleague was promised${person_time ? ` (good time: ${quoted(person_time)})` : ''}.`
      return callback?.at
        ? `Asked to be called again ${spokenTime(callback.at, held.answered_at, brief.zones[0]!)} (${quoted(callback.quote)}).`
        : `Asked to be called at another time (${quoted(callback?.quote ?? '')}) without naming one that could be noted.`
    case 'converted':
      return appointment
        ? `Wants an appointment and suggested ${quoted(appointment)}.`
        : `Agreed to the next step (${quoted(next_step!.quote)}).`
    case 'successful':
      return next_step!.verdict === false
        ? `All questions were put; ${first} does not want a next step for now (${quoted(next_step!.quote)}).`
        : `All questions were put; ${first} has not decided on the next step (${quoted(next_step!.quote)}).`
    case 'unsuccessful':
      return broken(held, facts)
    case 'failed':
      return 'The conversation broke off for a technical reason.'
    default:
      return ''
  }
}

function broken(held: Held, { quotes, next_step }: Facts): string {
  if (next_step) return `Said no to the next step (${quoted(next_step.quote)}).`
  const refusal = quotes.refusal ?? quotes.breaks_off ?? quotes.hostile
  if (refusal) return `Declined to talk (${quoted(refusal)}).`
  switch (held.disconnection_reason) {
    case 'user_hangup':
      return 'They hung up before the conversation was finished.'
    case 'inactivity':
      return 'Nothing more was heard, so the agent ended the call.'
    case 'max_duration_reached':
      return 'The call reached its longest time before the conversation was finished.'
    default:
      return 'The conversation ended before the questions were finished.'
  }
}
