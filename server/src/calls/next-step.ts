import { type CallbackDelay, delayMs } from '../campaigns/retry-delay.ts'
import { type CallResult, isRetried } from './results.ts'

/** Where a contact stands in its campaign when a call to it ends. */
export interface ContactStanding {
  delays_used: number
  requested_at: Date | null
  last_result: string | null
  callback_delays: CallbackDelay[]
}

export interface Step {
  state: 'due' | 'settled'
  due_at: Date | null
  priority: 0 | 1
  delays_used: number
  callback_at: Date | null
  settled_reason: string | null
}

/** "Call me in five minutes", said ten minutes before the end of a call, is no wish to be rung as they put it down. */
const BREATH_MS = 5 * 60_000

/**
 * What comes after a call: a callback at the time that the contact asked for (it uses up no delay), another attempt
 * after the next of the campaign's delays, counted from the end of this one, or nothing. Who asked for a person to call
 * back, at no particular time, is not called by the agent again. The gate moves an instant that is not allowed to the
 * next one that is.
 */
export function nextStep(
  end: { result: CallResult; ended_at: Date; callback_at: Date | null },
  contact: ContactStanding,
): Step {
  const { delays_used } = contact
  if (end.result === 'callback_requested' && end.callback_at) {
    return {
      state: 'due',
      due_at: new Date(Math.max(end.callback_at.getTime(), end.ended_at.getTime() + BREATH_MS)),
      priority: 0,
      delays_used,
      callback_at: end.callback_at,
      settled_reason: null,
    }
  }
  const delay = contact.callback_delays[delays_used]
  if (isRetried(end.result) && delay) {
    const due_at = new Date(end.ended_at.getTime() + delayMs(delay))
    return {
      state: 'due',
      due_at,
      priority: contact.requested_at ? 0 : 1,
      delays_used: delays_used + 1,
      callback_at: null,
      settled_reason: null,
    }
  }
  return { state: 'settled', due_at: null, priority: 1, delays_used, callback_at: null, settled_reason: end.result }
}
