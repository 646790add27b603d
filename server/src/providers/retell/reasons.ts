import type { PhoneCallResponse } from 'retell-sdk/resources/call'
import type { Ending } from '../hosts/host.ts'

type Reason = NonNullable<PhoneCallResponse['disconnection_reason']>

const UNREACHABLE: Ending = { status: 'failed', reason: 'dial_failed' }
const BROKEN: Ending = { talked: 'error_unknown' }

/** Every `disconnection_reason`; docs.retellai.com/reliability/debug-call-disconnect. */
export const ENDINGS: Record<Reason, Ending> = {
  user_hangup: { talked: 'user_hangup' },
  agent_hangup: { talked: 'agent_hangup' },
  call_transfer: { talked: 'call_transfer' },
  transfer_bridged: { talked: 'call_transfer' },
  // A person of the firm went on with it.
  call_take_over: { talked: 'call_transfer' },
  // Nobody picked up there, and the call ended.
  transfer_cancelled: { talked: 'agent_hangup' },
  manual_stopped: { talked: 'agent_hangup' },
  voicemail_reached: { talked: 'voicemail_reached' },
  // A telephone menu is a machine, too.
  ivr_reached: { talked: 'voicemail_reached' },
  inactivity: { talked: 'inactivity' },
  max_duration_reached: { talked: 'max_duration_reached' },
  dial_busy: { status: 'busy' },
  dial_no_answer: { status: 'no_answer' },
  user_declined: { status: 'no_answer' },
  invalid_destination: { status: 'failed', reason: 'invalid_destination' },
  dial_failed: UNREACHABLE,
  marked_as_spam: UNREACHABLE,
  concurrency_limit_reached: UNREACHABLE,
  no_concurrency_fallback: UNREACHABLE,
  no_valid_payment: UNREACHABLE,
  telephony_provider_permission_denied: UNREACHABLE,
  telephony_provider_unavailable: UNREACHABLE,
  sip_routing_error: UNREACHABLE,
  registered_call_timeout: UNREACHABLE,
  error_user_not_joined: UNREACHABLE,
  scam_detected: BROKEN,
  error_llm_websocket_open: BROKEN,
  error_llm_websocket_lost_connection: BROKEN,
  error_llm_websocket_runtime: BROKEN,
  error_llm_websocket_corrupt_payload: BROKEN,
  error_no_audio_received: BROKEN,
  error_asr: BROKEN,
  error_retell: BROKEN,
  error_unknown: BROKEN,
}

/** A reason that is new to us is an error of theirs. */
export const endingOf = (reason: string | undefined): Ending =>
  Object.hasOwn(ENDINGS, reason ?? '') ? ENDINGS[reason as Reason] : BROKEN
