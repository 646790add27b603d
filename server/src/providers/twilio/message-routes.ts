import type { FastifyInstance } from 'fastify'
import twilio from 'twilio'
import type { Clock } from '../../core/clock.ts'
import type { InboundMessage, MessageEvents, MessageRef, MessageReply, MessageStatusEvent } from '../message.ts'
import { addSignedRoutes } from '../relay/signed-routes.ts'
import { isSigned, type TwilioAccount } from './account.ts'
import { undelivered } from './message-errors.ts'

interface RouteOptions {
  account: TwilioAccount
  clock: Clock
  events: Promise<MessageEvents>
}

type Form = Record<string, string | undefined>

/** Where Twilio tells what became of one text. It carries our key, and is signed when it is called. */
export const statusAddress = (publicUrl: string, { company_id, key }: MessageRef): string =>
  `${publicUrl}/providers/twilio/text-status?company=${company_id}&key=${encodeURIComponent(key)}`

/** Where Twilio hands over what people write; to be entered at the number or the messaging service. */
export const TEXT_ROUTE = '/providers/twilio/text'

/** What Twilio calls about texts. Whichever process it reaches can answer. */
export function addMessageRoutes(app: FastifyInstance, { account, clock, events }: RouteOptions): void {
  addSignedRoutes(
    app,
    (request) => isSigned(request, account),
    (routes) => {
      routes.post('/providers/twilio/text-status', async (request, reply) => {
        const event = statusEvent(request.query as Form, (request.body ?? {}) as Form, clock)
        if (event) await (await events).status(event)
        return reply.code(204).send()
      })
      routes.post(TEXT_ROUTE, async (request, reply) => {
        const message = inbound((request.body ?? {}) as Form, clock)
        const answer = message && (await (await events).received(message))
        return reply.type('text/xml').send(messageTwiml(account.publicUrl, answer))
      })
    },
  )
}

function messageTwiml(publicUrl: string, reply: MessageReply | null | undefined): string {
  const response = new twilio.twiml.MessagingResponse()
  if (reply) response.message({ action: statusAddress(publicUrl, reply), method: 'POST' }, reply.body)
  return response.toString()
}

const STATUS: Record<string, MessageStatusEvent['status']> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  partially_delivered: 'delivered',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
}

/** Null for what is no news (`queued`, `sending`) or not about a message of ours. */
function statusEvent({ company, key }: Form, form: Form, clock: Clock): MessageStatusEvent | null {
  const status = STATUS[form.MessageStatus ?? form.SmsStatus ?? '']
  const company_id = Number(company)
  if (!status || !key || !Number.isSafeInteger(company_id) || company_id <= 0) return null
  return {
    company_id,
    key,
    provider_message_id: form.MessageSid ?? form.SmsSid ?? '',
    status,
    ...(status === 'failed' ? undelivered(Number(form.ErrorCode) || null) : {}),
    from: form.From,
    at: clock.now(),
  }
}

const HANDLED: Record<string, InboundMessage['handled']> = { STOP: 'stop', START: 'start', HELP: 'help' }

function inbound(form: Form, clock: Clock): InboundMessage | null {
  const { MessageSid, SmsSid, From, To, Body, NumSegments, NumMedia, OptOutType } = form
  const provider_message_id = MessageSid ?? SmsSid
  if (!provider_message_id || !From || !To) return null
  return {
    provider: 'twilio',
    provider_message_id,
    from: From,
    to: To,
    // What PostgreSQL can't keep.
    body: (Body ?? '').replaceAll('\0', ''),
    segments: Number(NumSegments) || null,
    media: Number(NumMedia) || 0,
    handled: HANDLED[OptOutType?.toUpperCase() ?? ''] ?? null,
    at: clock.now(),
  }
}
