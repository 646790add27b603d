import type { DialRefused } from '../voice.ts'

/** SIP answers that mean that there is no such number: RFC 3261 (404, 410, 484, 604). */
const NO_SUCH_NUMBER = new Set(['404', '410', '484', '604'])

/** Why a call failed, by what either carrier tells of it: Twilio by a SIP answer, Telnyx by a cause in words. */
export const failedReason = (sipCode?: string, cause?: string): DialRefused['reason'] =>
  (sipCode && NO_SUCH_NUMBER.has(sipCode)) || cause === 'unallocated_number' ? 'invalid_destination' : 'dial_failed'
