import twilio from 'twilio'
import type { CallBrief } from '../call-brief.ts'
import type { CallRef } from '../voice.ts'
import type { RelayAccount } from './account.ts'

const { VoiceResponse } = twilio.twiml

/** Seconds that it rings at the other end of a transfer. */
const TRANSFER_RING_SECONDS = 25

/**
 * Addresses of our routes that belong to one call. They carry ids only, and are proven when they are called. `round`
 * counts the conversations of the call: after a transfer that failed comes another one.
 */
export function callAddresses(account: RelayAccount, { company_id, call_id }: CallRef, round = 0) {
  const base = `${account.publicUrl}/providers/${account.name}`
  const seal = account.seal?.(`${company_id}/${call_id}/${round}`)
  const at = (route: string) =>
    `${base}/${route}?company=${company_id}&call=${call_id}&round=${round}${seal ? `&seal=${seal}` : ''}`
  return {
    status: at('status'),
    machine: at('machine'),
    relayEnded: at('relay-ended'),
    leg: at('leg'),
    whisper: at('whisper'),
    accepted: at('accepted'),
    dialEnded: at('dial-ended'),
    // A socket's address may not be given a query.
    relay: `${base.replace(/^http/, 'ws')}/relay/${company_id}/${call_id}/${round}${seal ? `/${seal}` : ''}`,
  }
}

export type CallAddresses = ReturnType<typeof callAddresses>

/**
 * @param maxSeconds When the carrier cuts the call, so that the conversation knows why it ended; null where that has begun to run.
 */
export function relayTwiml(
  account: RelayAccount,
  to: CallAddresses,
  voiceId: string,
  maxSeconds: number | null,
): string {
  const response = new VoiceResponse()
  const relay = response
    .connect({ action: to.relayEnded, method: 'POST' })
    .conversationRelay({ url: to.relay, ...account.relay(voiceId) })
  if (maxSeconds !== null) relay.parameter({ name: 'max_seconds', value: String(maxSeconds) })
  return response.toString()
}

/** Puts the contact through. The contact hears it ring until somebody takes the call. */
export function transferTwiml(to: CallAddresses, { agent }: CallBrief, number: string, from: string): string {
  const response = new VoiceResponse()
  const dial = response.dial({
    action: to.dialEnded,
    method: 'POST',
    timeout: TRANSFER_RING_SECONDS,
    answerOnBridge: true,
    callerId: from,
  })
  const warm = agent.transfer_mode === 'warm' ? { url: to.whisper, method: 'POST' } : {}
  dial.number(
    { ...warm, statusCallback: to.leg, statusCallbackEvent: ['answered'], statusCallbackMethod: 'POST' },
    number,
  )
  return response.toString()
}

/** What a colleague hears before being connected. A machine presses no key. */
export function whisperTwiml(account: RelayAccount, to: CallAddresses, brief: CallBrief): string {
  const { agent, client, company_name, case: matter, recorded } = brief
  const response = new VoiceResponse()
  const words = [
    `This is ${agent.name}, the AI assistant of ${company_name}, with ${client.first_name} ${client.last_name} on the line about a matter of type ${matter.type}.`,
    ...(recorded ? ['The call is recorded.'] : []),
    'To take the call, press any key.',
  ].join(' ')
  const gather = response.gather({ action: to.accepted, method: 'POST', numDigits: 1, timeout: 10, finishOnKey: '' })
  gather.say(account.say(agent.voice_id), words)
  response.hangup()
  return response.toString()
}

export const emptyTwiml = (): string => new VoiceResponse().toString()

export function hangupTwiml(): string {
  const response = new VoiceResponse()
  response.hangup()
  return response.toString()
}

/** The conversation broke, or never began: whoever is on the line must at least hear who that was. */
export function sorryTwiml(account: RelayAccount, { agent, company_name }: CallBrief): string {
  const response = new VoiceResponse()
  response.say(
    account.say(agent.voice_id),
    `I'm sorry, this is the AI assistant of ${company_name}, and our connection was lost. We will get back to you. Goodbye.`,
  )
  response.hangup()
  return response.toString()
}
