import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as vapiSdk from '@vapi-ai/server-sdk'
import { ENDINGS as RETELL, endingOf as retellEnding } from '../retell/reasons.ts'
import { endingOf as vapiEnding } from '../vapi/reasons.ts'
import type { Ending } from './host.ts'

const FAILED: Ending = { status: 'failed', reason: 'dial_failed' }
const BROKEN: Ending = { talked: 'error_unknown' }

const OF_RETELL: [reason: string, ending: Ending][] = [
  ['user_hangup', { talked: 'user_hangup' }],
  ['agent_hangup', { talked: 'agent_hangup' }],
  ['call_transfer', { talked: 'call_transfer' }],
  ['voicemail_reached', { talked: 'voicemail_reached' }],
  ['ivr_reached', { talked: 'voicemail_reached' }],
  ['inactivity', { talked: 'inactivity' }],
  ['max_duration_reached', { talked: 'max_duration_reached' }],
  ['concurrency_limit_reached', FAILED],
  ['no_concurrency_fallback', FAILED],
  ['no_valid_payment', FAILED],
  ['scam_detected', BROKEN],
  ['dial_busy', { status: 'busy' }],
  ['dial_failed', FAILED],
  ['dial_no_answer', { status: 'no_answer' }],
  ['invalid_destination', { status: 'failed', reason: 'invalid_destination' }],
  ['telephony_provider_permission_denied', FAILED],
  ['telephony_provider_unavailable', FAILED],
  ['sip_routing_error', FAILED],
  ['marked_as_spam', FAILED],
  ['user_declined', { status: 'no_answer' }],
  ['error_llm_websocket_open', BROKEN],
  ['error_llm_websocket_lost_connection', BROKEN],
  ['error_llm_websocket_runtime', BROKEN],
  ['error_llm_websocket_corrupt_payload', BROKEN],
  ['error_no_audio_received', BROKEN],
  ['error_asr', BROKEN],
  ['error_retell', BROKEN],
  ['error_unknown', BROKEN],
  ['error_user_not_joined', FAILED],
  ['registered_call_timeout', FAILED],
  ['transfer_bridged', { talked: 'call_transfer' }],
  ['transfer_cancelled', { talked: 'agent_hangup' }],
  ['manual_stopped', { talked: 'agent_hangup' }],
  ['call_take_over', { talked: 'call_transfer' }],
]

for (const [reason, ending] of OF_RETELL)
  test(`Retell's ${reason} is ${JSON.stringify(ending)}`, () => assert.deepEqual(retellEnding(reason), ending))

test('all reasons that Retell knows are told apart above', () =>
  assert.deepEqual(Object.keys(RETELL).sort(), OF_RETELL.map(([reason]) => reason).sort()))

const OF_VAPI: [reason: string, ending: Ending][] = [
  ['customer-ended-call', { talked: 'user_hangup' }],
  ['customer-ended-call-during-transfer', { talked: 'user_hangup' }],
  ['call.in-progress.twilio-completed-call', { talked: 'user_hangup' }],
  ['assistant-ended-call', { talked: 'agent_hangup' }],
  ['assistant-ended-call-after-message-spoken', { talked: 'agent_hangup' }],
  ['assistant-said-end-call-phrase', { talked: 'agent_hangup' }],
  ['manually-canceled', { talked: 'agent_hangup' }],
  ['call.forwarding.operator-busy', { talked: 'agent_hangup' }],
  ['call.ending.hook-executed-say', { talked: 'agent_hangup' }],
  ['call.ending.hook-executed-transfer', { talked: 'call_transfer' }],
  ['assistant-forwarded-call', { talked: 'call_transfer' }],
  ['voicemail', { talked: 'voicemail_reached' }],
  ['silence-timed-out', { talked: 'inactivity' }],
  ['exceeded-max-duration', { talked: 'max_duration_reached' }],
  ['customer-busy', { status: 'busy' }],
  ['customer-did-not-answer', { status: 'no_answer' }],
  ['call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable', { status: 'no_answer' }],
  ['scheduled-call-deleted', { status: 'canceled' }],
  ['twilio-reported-customer-misdialed', { status: 'failed', reason: 'invalid_destination' }],
  ['twilio-failed-to-connect-call', FAILED],
  ['call.in-progress.error-providerfault-outbound-sip-403-forbidden', FAILED],
  ['call.start.error-subscription-concurrency-limit-reached', FAILED],
  ['call.start.error-vapifault-database-error', FAILED],
  ['assistant-not-found', FAILED],
  ['pipeline-error-openai-voice-failed', BROKEN],
  ['call.in-progress.error-vapifault-worker-died', BROKEN],
  ['call.in-progress.error-assistant-did-not-receive-customer-audio', BROKEN],
  ['phone-call-provider-closed-websocket', BROKEN],
]

for (const [reason, ending] of OF_VAPI)
  test(`Vapi's ${reason} is ${JSON.stringify(ending)}`, () => assert.deepEqual(vapiEnding(reason), ending))

test("none of the reasons in Vapi's own list is taken for a conversation but those that are one", () => {
  const all = Object.values(vapiSdk.Vapi.CallEndedReason)
  assert.ok(all.length > 500)
  const talked = all.filter((reason) => {
    const ending = vapiEnding(reason)
    return 'talked' in ending && ending.talked !== 'error_unknown'
  })
  assert.deepEqual(
    talked.filter((reason) => /error|fail|fault/.test(reason)),
    [],
  )
  assert.ok(talked.length >= 20 && talked.length < 30, talked.join(' '))
})

test('a reason that nobody has heard of is an error of theirs, and nothing crashes', () => {
  for (const reason of ['', 'toString', '__proto__', 'constructor', 'a-new-one', undefined]) {
    assert.deepEqual(retellEnding(reason), BROKEN)
    assert.deepEqual(vapiEnding(reason), BROKEN)
  }
})
