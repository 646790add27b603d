import type { Engine } from '../engine/job.ts'
import { waysOut } from '../preferences/links.ts'
import type { Appointment } from '../providers/email.ts'
import type { MessageProvider, MessageRef } from '../providers/message.ts'
import { MessagePutOff, MessageRefused } from '../providers/message.ts'
import { MOST } from './compose.ts'
import { intentWriter } from './intents.ts'
import { type Outcome, outcomeWriter } from './outcomes.ts'
import { retryDelay } from './put-off.ts'
import { render, selectTemplateValues, type TemplateValues } from './template.ts'

export interface Outgoing {
  company_id: number
  id: number
  channel: 'sms' | 'email'
  client_id: number
  case_id: number | null
  manual: boolean
  mobile_e164: string | null
  email: string | null
  subject: string | null
  body: string
  agent_name: string | null
  company_name: string
  /** No text of the firm has gone to the number before. */
  first_text: boolean
  /** That it offers for the calendar; its times as JSON has them. */
  appointment: { id: number; starts_at: string; minutes: number; created_at: string } | null
  /** How often the provider has put it off. */
  put_off: number
  /** To be asked about again after this: milliseconds since 1970 of the real clock. */
  send_by: number
}

/** How long a message waits when the provider could not be asked. */
const OUT_OF_REACH_MS = 60_000

/** Sends messages that are marked as being sent; each goes out once, whatever dies meanwhile. */
export async function deliver(engine: Engine, messages: Outgoing[]): Promise<void> {
  const ready: Outgoing[] = []
  for (const [companyId, ofCompany] of Map.groupBy(messages, (message) => message.company_id)) {
    const written = ofCompany.filter(({ manual, case_id }) => !manual && case_id !== null)
    const values = await selectTemplateValues(
      { db: engine.pool, companyId },
      written.map(({ client_id, case_id, agent_name }) => ({ client_id, case_id: case_id!, agent_name })),
    )
    const valuesOf = new Map(written.map((message, index) => [message, values[index]]))
    for (const message of ofCompany) {
      const text = filledIn(message, valuesOf.get(message))
      if (text) ready.push(text)
      else await outcomeWriter(engine)(nothingToSay(engine, message))
    }
  }
  await Promise.all(
    (['sms', 'email'] as const).map((channel) =>
      sendAll(
        engine,
        ready.filter((message) => message.channel === channel),
      ),
    ),
  )
}

/** As many at a time as the provider takes. What a process that is asked to stop has not begun is taken over. */
async function sendAll(engine: Engine, messages: Outgoing[]): Promise<void> {
  if (messages.length === 0) return
  const left = messages.values()
  const lanes = Math.min(messages.length, engine.providers[messages[0]!.channel].parallel)
  const work = async () => {
    for (const message of left) {
      if (engine.signal.aborted) return
      await sendOne(engine, message)
    }
  }
  await Promise.all(Array.from({ length: lanes }, work))
}

/**
 * Texts of campaigns are templates until now; those of people are final, braces in them came from a value. Answers
 * nothing when the contact or the case is gone that a template speaks of.
 */
function filledIn(message: Outgoing, values: TemplateValues | undefined): Outgoing | undefined {
  if (message.manual) return message
  if (!values) return undefined
  const { subject, body } = message
  const text = render(body, values)
  return {
    ...message,
    body: message.first_text ? withWayOut(text) : text,
    subject: subject === null ? null : render(subject, values),
  }
}

/** Carriers want the first text of a series to name the way out (CTIA); a firm's own words for it will do. */
function withWayOut(text: string): string {
  const whole = `${text.trimEnd()}\nReply STOP to get no more texts.`
  return /\bSTOP\b/.test(text) || whole.length > MOST.sms ? text : whole
}

const unsent = ({ nodeId, providers }: Engine, { company_id, id, channel, subject, body }: Outgoing): Outcome => ({
  company_id,
  id,
  channel,
  provider: providers[channel].name,
  node_id: nodeId,
  status: 'failed',
  to_address: null,
  subject,
  body,
})

const nothingToSay = (engine: Engine, message: Outgoing): Outcome => ({
  ...unsent(engine, message),
  status: 'skipped',
  error: 'the case or the contact was deleted',
})

/**
 * To a provider that does not know our keys, what is about to be sent is written down before, and that is also the last
 * look at whether it may still be sent.
 */
async function sendOne(engine: Engine, message: Outgoing): Promise<void> {
  const write = outcomeWriter(engine)
  const { company_id, id, channel, subject, body } = message
  const { idempotent, name: provider } = engine.providers[channel] as MessageProvider<MessageRef>
  const to = (channel === 'sms' ? message.mobile_e164 : message.email)!
  if (!idempotent) {
    const intent = { provider, to, subject, body, at: new Date() }
    const answer = await intentWriter(engine)({ company_id, id, intent })
    if (answer === 'unwanted') await write(later(engine, message, 0))
    if (answer !== 'go') return
  }
  const outcome = await send(engine, message, to)
  if (outcome) await write(outcome)
}

/** Nothing where it is not known what happened: the row says what was tried, and the provider is asked. */
async function send(engine: Engine, message: Outgoing, to: string): Promise<Outcome | null> {
  const { company_id, id, channel, subject, body, company_name, put_off } = message
  const { sms, email } = engine.providers
  const provider = engine.providers[channel]
  const ref = { company_id, key: `message:${id}` }
  const outcome = { ...unsent(engine, message), to_address: to }
  try {
    const ways_out =
      channel === 'email' ? await waysOut(engine, { company_id, client_id: message.client_id, message_id: id }) : null
    // It waited for others, or this process was stopped: the hours may be over.
    if (Date.now() > message.send_by) return later(engine, message, 0)
    const sent =
      channel === 'sms'
        ? await sms.send({ ...ref, to, from: null, body })
        : await email.send({
            ...ref,
            to,
            from_name: company_name,
            subject: subject ?? '',
            text: body,
            appointment: calendarEntry(message),
            ways_out: ways_out!,
          })
    const { provider_message_id, segments = null, from: from_address = null } = sent
    return { ...outcome, status: 'sent', provider_message_id, segments, from_address, sent_at: engine.clock.now() }
  } catch (error) {
    if (error instanceof MessageRefused) return { ...outcome, reason: error.reason, error: error.message }
    if (error instanceof MessagePutOff) {
      const seconds = retryDelay(put_off, error.seconds)
      // What a server says often names the address.
      const why = error.message.replaceAll(to, 'the address')
      engine.log.warn({ message_id: id, channel, reason: why, retry_in_seconds: seconds }, 'a message is put off')
      if (seconds === null) return { ...outcome, error: `given up after a day: ${error.message}` }
      return { ...later(engine, message, seconds * 1000), put_off: put_off + 1, error: error.message }
    }
    engine.log.warn({ err: error, message_id: id }, 'the provider did not answer whether it sent a message')
    // What is sent again there carries the same key.
    if (provider.idempotent) return later(engine, message, OUT_OF_REACH_MS)
    return { ...outcome, status: 'in_doubt', due_at: engine.clock.now() }
  }
}

function calendarEntry({ company_id, company_name, appointment }: Outgoing): Appointment | undefined {
  if (!appointment) return undefined
  const { id, starts_at, minutes, created_at } = appointment
  return {
    company_id,
    key: `appointment:${id}`,
    title: `Appointment with ${company_name}`,
    starts_at: new Date(starts_at),
    minutes,
    created_at: new Date(created_at),
  }
}

/** Back to be sent, after another look by the gate. The text stays a template. */
const later = (engine: Engine, message: Outgoing, ms: number): Outcome => ({
  ...unsent(engine, message),
  status: 'scheduled',
  body: null,
  subject: null,
  due_at: new Date(engine.clock.now().getTime() + ms),
})
