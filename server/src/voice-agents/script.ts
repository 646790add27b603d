import type { CallBrief, PostCallField } from '../providers/call-brief.ts'
import type { Turn } from '../providers/voice.ts'
import { answerTo } from './answers.ts'
import type { AgentAction, Brain } from './brain.ts'
import { callbackTime, spokenTime } from './callback-time.ts'
import { confirmsIdentity, type Intent, intentOf, withholdsAnswer, yesOrNo } from './hearing.ts'
import { identified, patternsOf } from './identity.ts'
import { listed, questionOf, reasonOf } from './wording.ts'

type Said = AgentAction[]

const COUNT = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const THANKS = ['Thank you.', 'Got it, thank you.', "Thanks, I've noted that.", 'All right, thank you.', 'Understood.']
/** After so many questions back, repeats and the like the agent takes its leave. */
const PATIENCE = 7

/**
 * The policy of an agent without a language model: asks for the person, says why it calls, puts its post-call fields as
 * questions, offers a next step. It never speaks of the matter before somebody has said to be the contact, never gives
 * legal advice, and never promises what it can't know.
 */
export function scriptedBrain(brief: CallBrief): Brain {
  const { agent, company_name: firm, client } = brief
  const first = client.first_name
  const whole = `${first} ${client.last_name}`
  const fields = agent.post_call_fields
  const nextStep = agent.is_appointment_booking_enabled
    ? `Would you like to book an appointment with ${firm}?`
    : `Would you like someone at ${firm} to follow up with you on this?`
  let field = -1
  let detours = 0
  let misunderstood = 0
  let timesAsked = 0
  let told = false
  /** The question that waits for its answer. */
  let pending = { asks: 'identity', question: `Am I speaking with ${whole}?` }

  function begin() {
    field = -1
    told = false
    pending = { asks: 'identity', question: `Am I speaking with ${whole}?` }
  }

  const bye = (words: string): Said => [{ do: 'say', words: `${words} Goodbye.` }, { do: 'end' }]
  const ask = (asks: string, before: string, question: string): Said => {
    pending = { asks, question }
    return [{ do: 'say', words: before ? `${before} ${question}` : question, asks }]
  }
  const again = (before: string): Said => ask(pending.asks, before, pending.question)

  function explain(): Said {
    told = true
    const why = `Thank you, ${first}. I'm calling to ${reasonOf(brief)}.`
    if (fields.length === 0) return ask('next_step', why, nextStep)
    const count =
      fields.length === 1 ? 'one short question' : `${COUNT[fields.length] ?? fields.length} short questions`
    return ask('reason', `${why} I have ${count} for you.`, 'Is now a good time?')
  }

  function askNextField(before: string): Said {
    field++
    const next = fields[field]
    if (!next) return ask('next_step', before, nextStep)
    return ask(`field:${next.name}`, before, questionOf(next, brief))
  }

  /** Agrees on a time where one was named, asks for one otherwise, and gives in when that leads nowhere. */
  function arrangeCallback(text: string, now: Date): Said {
    const time = callbackTime(text, now, brief.zones[0]!)
    if (time.kind === 'at')
      return bye(`Of course. I'll call again ${spokenTime(time.at, now, brief.zones[0]!)}. Thank you.`)
    const asked = pending.asks === 'callback_time'
    if (asked && timesAsked++ > 1) return bye("All right. We'll try again another time. Thank you.")
    if (time.kind === 'too_far')
      return ask('callback_time', 'I can only note a time within the next two days.', 'Which time would suit you then?')
    if (time.kind === 'illegal')
      return ask(
        'callback_time',
        'I can call between 8 in the morning and 9 in the evening.',
        'Which time would suit you?',
      )
    if (asked)
      return ask(
        'callback_time',
        "I'm sorry, I didn't catch a time.",
        'Is it better today or tomorrow, and at what hour?',
      )
    return ask('callback_time', 'Of course.', 'When would be a good time to call again?')
  }

  function handOver(): Said {
    if (agent.is_transfer_enabled && agent.transfer_number) {
      return [{ do: 'say', words: "Of course. I'll connect you now. One moment, please." }, { do: 'transfer' }]
    }
    return ask(
      'person_time',
      `I understand. I can't connect you directly, so I'll ask a colleague at ${firm} to call you back.`,
      'When would be a good time for that?',
    )
  }

  function followIntent(intent: Intent, text: string, now: Date): Said {
    switch (intent) {
      case 'wants_person':
        return handOver()
      case 'wrong_number':
        return bye(`I'm sorry for the trouble. I'll note that this is not the number of ${whole}.`)
      case 'deceased':
        return bye(`I'm very sorry for your loss. I'll let ${firm} know, so that nobody calls about this again.`)
      case 'not_here':
        return ask('callback_time', 'Thank you for letting me know.', `When would be a good time to reach ${first}?`)
      case 'callback':
      case 'busy':
        return arrangeCallback(text, now)
      case 'disqualified':
        return bye(
          `Thank you for telling me. In that case there is nothing more you need to do, and I'll note it for ${firm}.`,
        )
      case 'breaks_off':
      case 'refusal':
        return bye(`I understand. Thank you for your time${told ? `, ${first}` : ''}.`)
      case 'hostile':
        return ask('opt_out', "I'm sorry for the disturbance.", 'Would you like us not to call you again?')
      case 'robot_question':
        return again(`Yes, I'm an AI assistant calling for ${firm}, not a person.`)
      case 'legal_question':
        return again(`I'm not able to give legal advice, but I'll note your question for the legal team at ${firm}.`)
      case 'number_question':
        return again(
          `Your number is on file at ${firm}. You're welcome to call the office yourself to make sure this call is genuine.`,
        )
      case 'who_question':
        return again(
          told
            ? `This is ${agent.name}, an AI assistant at ${firm}. I'm calling to ${reasonOf(brief)}.`
            : `This is ${agent.name}, an AI assistant calling from ${firm}.`,
        )
      case 'repeat':
        return again('Certainly.')
    }
  }

  function meet(text: string, transcript: readonly Turn[]): Said {
    if (identified(brief, transcript)) return explain()
    const right = confirmsIdentity(text, patternsOf(client).self)
    if (right && pending.asks === 'right_number') return followIntent('not_here', text, new Date(0))
    if (right === false) {
      if (pending.asks === 'right_number') return followIntent('wrong_number', text, new Date(0))
      return ask('right_number', "I'm sorry.", `Is this the right number to reach ${whole}?`)
    }
    if (misunderstood++ > 1)
      return bye("I'm sorry, I can't make out who I'm speaking with. I'll try again another time.")
    return again("I'm sorry, I didn't quite catch that.")
  }

  function hearAnswer(asked: PostCallField, text: string): Said {
    if (answerTo(asked, text) !== null) return askNextField(THANKS[(field + 1) % THANKS.length]!)
    if (withholdsAnswer(text)) return askNextField("That's all right.")
    // Asked once more in plainer words, then let go: an answer is never made up.
    if (pending.question === questionOf(asked, brief)) return ask(`field:${asked.name}`, '', plainer(asked))
    return askNextField("That's fine, let's move on.")
  }

  function conclude(text: string): Said {
    const verdict = yesOrNo(text)
    if (verdict && agent.is_appointment_booking_enabled)
      return ask('appointment', 'Very good.', 'What day and time would suit you best?')
    if (verdict)
      return bye(
        `Very good. I'll pass that on, and someone at ${firm} will follow up with you. Thank you for your time, ${first}.`,
      )
    if (verdict === false) return bye(`That's fine. Thank you for your time, ${first}.`)
    return bye(
      `That's quite all right. I'll note that you'd like to think about it. Thank you for your time, ${first}.`,
    )
  }

  return {
    respond(happened, { transcript, now }) {
      if (happened.type === 'transfer_failed') {
        return ask(
          'person_time',
          "I'm sorry, nobody is free to take your call at the moment. I'll ask a colleague to call you back.",
          'When would be a good time for that?',
        )
      }
      if (happened.type === 'dtmf') return again("I'm sorry, I can't take keypad input.")
      const { text } = happened
      // Somebody else has come to the phone.
      if (transcript.findLast(({ speaker }) => speaker === 'agent')?.asks === 'identity' && told) begin()
      const asksNow = pending.asks
      const intent = intentOf(text, asksNow, pending.question)
      if (intent) {
        if (detours++ > PATIENCE) return bye("Thank you for your patience. I won't keep you any longer.")
        return followIntent(intent, text, now)
      }
      switch (asksNow) {
        case 'identity':
        case 'right_number':
          return meet(text, transcript)
        case 'reason':
          return yesOrNo(text) === false
            ? ask('callback_time', 'No problem.', 'When would be a better time to call?')
            : askNextField('Thank you.')
        case 'next_step':
          return conclude(text)
        case 'callback_time':
          return yesOrNo(text) === false && callbackTime(text, now, brief.zones[0]!).kind === 'none'
            ? bye('I understand. Thank you for your time.')
            : arrangeCallback(text, now)
        case 'person_time':
          return bye(`Thank you. I'll pass that on, and someone at ${firm} will call you.`)
        case 'appointment':
          return bye(
            `Thank you. I've noted that, and ${firm} will confirm the appointment with you. Have a good day, ${first}.`,
          )
        case 'opt_out':
          return yesOrNo(text) === false ? bye('All right. Thank you.') : [{ do: 'opt_out' }]
        default:
          return hearAnswer(fields[field]!, text)
      }
    },
  }
}

function plainer(field: PostCallField): string {
  switch (field.type) {
    case 'boolean':
      return 'Just so that I note it correctly: would you say yes or no?'
    case 'number':
      return 'Could you give me that as a number?'
    case 'selector':
      return `Which of these fits best: ${listed(field.choices ?? [])}?`
    case 'text':
      return "I'd only like to note it in your own words. What should I put down?"
  }
}
