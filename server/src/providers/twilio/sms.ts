import type { MessageInstance } from 'twilio/lib/rest/api/v2010/account/message.js'
import { realClock } from '../../core/clock.ts'
import type { CarrierMessage, MessageEvents, SoughtMessage } from '../message.ts'
import type { SmsProvider } from '../sms.ts'
import { type TwilioAccount, twilioClient } from './account.ts'
import { sendingFailure, undelivered } from './message-errors.ts'
import { addMessageRoutes, statusAddress } from './message-routes.ts'

/** Requests under way at once, per process. */
const PARALLEL = 10

/** Its clock and ours may differ by so much. */
const SKEW_MS = 60_000

/** Texts through Twilio, or whatever speaks its interface at `apiBase`. */
export function twilioSms(account: TwilioAccount): SmsProvider {
  const client = twilioClient(account)
  const started = Promise.withResolvers<MessageEvents>()
  const sender = account.messagingService ? { messagingServiceSid: account.messagingService } : { from: account.from }

  return {
    name: 'twilio',
    sandbox: false,
    idempotent: false,
    parallel: PARALLEL,
    addRoutes: (app) => addMessageRoutes(app, { account, clock: realClock, events: started.promise }),
    async start(listener) {
      started.resolve(listener)
    },
    async send({ to, from, body, ...ref }) {
      try {
        const statusCallback = statusAddress(account.publicUrl, ref)
        const sent = await client.messages.create({ to, body, statusCallback, ...(from ? { from } : sender) })
        return {
          provider_message_id: sent.sid,
          segments: Number(sent.numSegments) || undefined,
          from: sent.from ?? undefined,
        }
      } catch (error) {
        throw sendingFailure(error)
      }
    },
    /** Twilio does not know our keys: a text is found by whom it went to, since when, and its words. */
    async lookup(sought) {
      const listed = await client.messages.list({ to: sought.to, limit: 50 })
      const possible = listed.filter((message) => mayBe(sought, message))
      const found = possible.find((message) => saysTheSame(message.body, sought.body))
      return found ? known(found) : possible.length > 0 ? 'unclear' : null
    },
    async stop() {},
  }
}

function mayBe({ since, others }: SoughtMessage, { sid, direction, dateCreated }: MessageInstance): boolean {
  return direction === 'outbound-api' && dateCreated.getTime() >= since.getTime() - SKEW_MS && !others.includes(sid)
}

/** A trial account puts a sentence before every text, and blanks may be cut off. */
function saysTheSame(theirs: string, ours: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim()
  return plain(theirs).endsWith(plain(ours))
}

function known({ sid, status, errorCode, errorMessage }: MessageInstance): CarrierMessage {
  const provider_message_id = sid
  switch (status) {
    case 'delivered':
    case 'read':
    case 'partially_delivered':
      return { provider_message_id, status: 'delivered' }
    case 'failed':
    case 'undelivered':
    case 'canceled':
      return { provider_message_id, status: 'failed', ...undelivered(errorCode, errorMessage) }
    default:
      return { provider_message_id, status: status === 'sent' ? 'sent' : 'accepted' }
  }
}
