import { realClock } from '../../src/core/clock.ts'
import type { CallBrief } from '../../src/providers/call-brief.ts'
import { type Outgoing, openRelayLine, type RelayLine } from '../../src/providers/relay/line.ts'
import type { CallerEvent, Conversation } from '../../src/providers/voice.ts'

export const ANSWERED = new Date('2026-03-02T16:20:00Z')

/** What an agent of the firm of Marsh & Cole knows about a call to Maria López. */
export function brief(agent: Partial<CallBrief['agent']> = {}): CallBrief {
  return {
    company_name: 'Marsh & Cole',
    agent: {
      name: 'Ava',
      voice_id: 'voice_amelia',
      greeting: 'Hello {{first_name}}, this is Ava from Marsh & Cole.',
      task: 'Ask the client whether they still want to pursue their claim.',
      post_call_fields: [],
      transfer_number: null,
      is_transfer_enabled: false,
      transfer_mode: 'cold',
      is_appointment_booking_enabled: false,
      voicemail_action: 'hangup',
      voicemail_message: null,
      ...agent,
    },
    client: { first_name: 'Maria', last_name: 'López' },
    case: { type: 'Personal injury' },
    recorded: false,
    law: { says_why: false, all_agree_to_recording: false },
    office: { hours: null, timezone: null, closedOn: () => false },
    zones: ['America/New_York'],
    render: (template) => template.replaceAll('{{first_name}}', 'Maria'),
  }
}

export interface TestLine extends Conversation {
  readonly heard: string[]
  readonly state: { ended: boolean; transferred: string[]; recorded: 'never' | 'on' | 'stopped' }
}

/** A line on which the contact says (or does) one thing after the other, ten seconds apart, whatever the agent says. */
export function lineWith(
  contact: (string | CallerEvent)[],
  { transfer = 'bridged', stops = true }: { transfer?: 'bridged' | 'failed'; stops?: boolean } = {},
): TestLine {
  const heard: string[] = []
  const state: TestLine['state'] = { ended: false, transferred: [], recorded: 'never' }
  let seconds = 0
  async function* turns(): AsyncGenerator<CallerEvent> {
    for (const each of contact) {
      if (state.ended) return
      seconds += 10
      yield typeof each === 'string' ? { type: 'said', text: each } : each
    }
    if (!state.ended) yield { type: 'ended', reason: 'user_hangup' }
  }
  return {
    company_id: 1,
    call_id: 1,
    answered_at: ANSWERED,
    heard,
    state,
    elapsed: () => seconds,
    turns: turns(),
    async say(words) {
      let whole = ''
      if (typeof words === 'string') whole = words
      else for await (const token of words) whole += token
      heard.push(whole)
    },
    async transfer(number) {
      state.transferred.push(number)
      return transfer
    },
    async end() {
      state.ended = true
    },
    record() {
      state.recorded = 'on'
    },
    async stopRecording() {
      if (stops && state.recorded === 'on') state.recorded = 'stopped'
      return stops
    },
  }
}

/** A line over the frames of a relay, in real time. */
export function openRelay(): { line: RelayLine; sent: Outgoing[] } {
  const sent: Outgoing[] = []
  const line = openRelayLine({
    ref: { company_id: 1, call_id: 1 },
    socket: { send: (frame) => void sent.push(frame) },
    clock: realClock,
    answeredAt: new Date(),
    maxSeconds: 600,
    startRecording: () => {},
    stopRecording: async () => true,
  })
  return { line, sent }
}
