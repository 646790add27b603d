import type { CallBrief } from '../providers/call-brief.ts'
import type { Tool } from '../providers/language-model.ts'
import type { Turn } from '../providers/voice.ts'
import { bookAppointment } from './book-appointment.ts'
import { type AgentAction, type CallSoFar, say, wantsPerson } from './brain.ts'
import { callbackTime, spokenTime } from './callback-time.ts'
import type { ToolCall } from './model-turn.ts'
import { promisesNoMoreCalls } from './opt-out.ts'

const text = (description: string) => ({ type: 'string', description }) as const

function tool(name: string, description: string, properties: Record<string, ReturnType<typeof text>> = {}): Tool {
  const required = Object.keys(properties)
  return {
    type: 'function',
    name,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
  }
}

const TOOLS: Tool[] = [
  tool('end_call', 'Hang up, after you have said goodbye.'),
  tool('record_opt_out', 'They do not want to be called again. It is confirmed to them and the call ends.'),
  tool('transfer_call', 'They want to speak with a person: put them through, or have a colleague call them back.'),
  tool('note_callback', 'They agreed to be called again at a time. The time is confirmed to them and the call ends.', {
    when: text('The time in their words, such as "tomorrow at three" or "in two hours"'),
  }),
]
const WITH_BOOKING: Tool[] = [
  ...TOOLS,
  tool('book_appointment', 'They agreed to a day and time for an appointment with the firm. It is confirmed to them.', {
    date: text('YYYY-MM-DD, where they are'),
    time: text('HH:mm, 24 hours, where they are'),
  }),
]

export const toolsOf = ({ agent }: CallBrief): Tool[] => (agent.is_appointment_booking_enabled ? WITH_BOOKING : TOOLS)

/** Tools are what binds us: each is carried out by our rules, with our words where the model has none. */
export async function* carryOut(
  calls: ToolCall[],
  said: string,
  brief: CallBrief,
  call: CallSoFar,
): AsyncGenerator<AgentAction> {
  const { transcript, now } = call
  const { agent, company_name: firm } = brief
  const zone = brief.zones[0]!
  const asked = new Map(calls.map(({ name, input }) => [name, input]))
  // What an agent has promised holds, whether it used its tool or not.
  if (asked.has('record_opt_out') || promisesNoMoreCalls(said)) return yield { do: 'opt_out' }
  if (asked.has('transfer_call')) {
    if (agent.is_transfer_enabled && agent.transfer_number) {
      if (said === '') yield say("Of course. I'll connect you now. One moment, please.")
      return yield { do: 'transfer' }
    }
    yield wantsPerson(call)
    return yield say(
      `I can't connect you directly, so I'll ask a colleague at ${firm} to call you back. When would be a good time for that?`,
      'person_time',
    )
  }
  const appointment = asked.get('book_appointment')
  if (appointment && agent.is_appointment_booking_enabled) return yield* bookAppointment(appointment, brief, call)
  const callback = asked.get('note_callback')
  if (callback) {
    const time = callbackTime(String(callback.when ?? ''), now, zone)
    if (time.kind !== 'at')
      return yield say(
        'I can call between 8 in the morning and 9 in the evening, within the next two days. Which time would suit you?',
        'callback_time',
      )
    if (!namedTime(transcript, said, now, zone))
      return yield say('When would be a good time to call again?', 'callback_time')
    yield { do: 'note', note: { type: 'callback', at: time.at.toISOString() } }
    yield say(`I'll call again ${spokenTime(time.at, now, zone)}. Thank you. Goodbye.`)
    return yield { do: 'end' }
  }
  if (asked.has('end_call')) {
    if (said === '') yield say('Thank you for your time. Goodbye.')
    yield { do: 'end' }
  } else if (said === '') yield say("I'm sorry, could you say that again?")
}

/** A time that neither side has named in the last few turns is the model's invention. */
const namedTime = (transcript: readonly Turn[], said: string, now: Date, zone: string): boolean =>
  [...transcript.slice(-5).map((turn) => turn.text), said].some((each) => callbackTime(each, now, zone).kind !== 'none')
