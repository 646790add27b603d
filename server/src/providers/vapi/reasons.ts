import type { Ending } from '../hosts/host.ts'

const UNREACHABLE: Ending = { status: 'failed', reason: 'dial_failed' }
const BROKEN: Ending = { talked: 'error_unknown' }

/** What begins with one of these ended so, the longest that fits; Vapi has some 570 reasons and adds to them. */
const ENDINGS: [beginning: string, ending: Ending][] = [
  ['customer-ended-call', { talked: 'user_hangup' }],
  ['call.in-progress.twilio-completed-call', { talked: 'user_hangup' }],
  ['call.in-progress.sip-completed-call', { talked: 'user_hangup' }],
  ['vonage-completed', { talked: 'user_hangup' }],
  ['assistant-ended-call', { talked: 'agent_hangup' }],
  ['assistant-said-end-call-phrase', { talked: 'agent_hangup' }],
  ['call.ending.hook-executed-', { talked: 'agent_hangup' }],
  ['manually-canceled', { talked: 'agent_hangup' }],
  // Nobody picked up where they were to be put through, and the call ended.
  ['call.forwarding.', { talked: 'agent_hangup' }],
  ['assistant-forwarded-call', { talked: 'call_transfer' }],
  ['call.ending.hook-executed-transfer', { talked: 'call_transfer' }],
  ['voicemail', { talked: 'voicemail_reached' }],
  ['silence-timed-out', { talked: 'inactivity' }],
  ['exceeded-max-duration', { talked: 'max_duration_reached' }],
  ['customer-busy', { status: 'busy' }],
  ['customer-did-not-answer', { status: 'no_answer' }],
  ['scheduled-call-deleted', { status: 'canceled' }],
  ['call-deleted', { status: 'canceled' }],
  ['twilio-reported-customer-misdialed', { status: 'failed', reason: 'invalid_destination' }],
  ['call.in-progress.error-providerfault-outbound-sip-480', { status: 'no_answer' }],
  ['call.in-progress.error-providerfault-outbound-sip-', UNREACHABLE],
  ['call.in-progress.error-sip-outbound-call-failed-to-connect', UNREACHABLE],
  ['twilio-failed-to-connect-call', UNREACHABLE],
  ['vonage-failed-to-connect-call', UNREACHABLE],
  ['vonage-rejected', UNREACHABLE],
  ['call.start.', UNREACHABLE],
  ['call-start-error-', UNREACHABLE],
  ['call.ringing.', UNREACHABLE],
  ['assistant-not-', UNREACHABLE],
  ['assistant-request-', UNREACHABLE],
  ['assistant-join-timed-out', UNREACHABLE],
  ['pipeline-error-', BROKEN],
  ['call.in-progress.error-', BROKEN],
]
ENDINGS.sort(([a], [b]) => b.length - a.length)

/** A reason that is new to us is an error of theirs. */
export const endingOf = (reason: string | undefined): Ending =>
  ENDINGS.find(([beginning]) => reason?.startsWith(beginning))?.[1] ?? BROKEN
