import Type from 'typebox'
import { selectClient } from '../clients/queries.ts'
import { type Detail, refuseAll } from '../core/errors.ts'
import { Fields, Id, Text } from '../core/fields.ts'
import { type Context, operation } from '../core/operation.ts'
import { addressOf, insertManualMessages, type MessageChannel } from '../messages/manual.ts'
import { brokenTemplate, render, selectTemplateValues } from '../messages/template.ts'
import { selectCase } from './queries.ts'

const tag = 'Cases'
const description =
  'The client must be linked to the case. `message` may hold field names of the client and the case in double curly ' +
  'braces, such as `{{first_name}}`, `{{case_number}}`, `{{case_name}}`, `{{company_name}}` or `{{meta.KEY}}`; they are ' +
  'filled in when the message is scheduled.'

const recipient = { case_id: Id('Case that the message is about'), client_id: Id('Client who gets it') }

/** Most characters of each text, as it is sent and once its variables are filled in. */
const MOST = { sms: 1600, email: 100_000, subject: 255 }

export const sendSms = operation({
  rest: 'POST /v1/cases/communication/sms',
  tag,
  summary: 'Schedule a text message to a client of a case',
  description,
  input: Fields({
    ...recipient,
    message: Text(MOST.sms, 'Text of the message', { examples: ['Hello {{first_name}}, please call us.'] }),
  }),
  output: Type.Object({ message: Type.Literal('sms scheduled', { description: 'Always this' }) }),
  namesRecord: true,
  async run(ctx, { message, ...about }) {
    await schedule(ctx, { ...about, channel: 'sms', subject: null, message })
    return { message: 'sms scheduled' } as const
  },
})

export const sendEmail = operation({
  rest: 'POST /v1/cases/communication/email',
  tag,
  summary: 'Schedule an e-mail to a client of a case',
  description,
  input: Fields({
    ...recipient,
    subject: Text(MOST.subject, 'Subject line; may hold variables too', { examples: ['Your case {{case_number}}'] }),
    message: Text(MOST.email, 'Text of the message', { examples: ['Dear {{first_name}}, …'] }),
  }),
  output: Type.Object({ message: Type.Literal('email scheduled', { description: 'Always this' }) }),
  namesRecord: true,
  async run(ctx, input) {
    await schedule(ctx, { ...input, channel: 'email' })
    return { message: 'email scheduled' } as const
  },
})

interface Asked {
  case_id: number
  client_id: number
  channel: MessageChannel
  subject: string | null
  message: string
}

/** Rendered now and not when it is sent, so that the sender hears of an empty or too long text at once. */
async function schedule(ctx: Context, { case_id, client_id, channel, subject, message }: Asked): Promise<void> {
  const [about, client, [values]] = await Promise.all([
    selectCase(ctx, case_id),
    selectClient(ctx, client_id),
    selectTemplateValues(ctx, [{ case_id, client_id }]),
  ])
  const details: Detail[] = []
  const refuse = (field: string, message: string) => details.push({ field, message })
  if (!about.client_ids.includes(client_id)) refuse('client_id', `client ${client_id} is not linked to case ${case_id}`)
  const to = addressOf(client, channel)
  if ('reasons' in to) for (const reason of to.reasons) refuse('client_id', reason)
  const texts: [field: string, text: string, most: number][] = [['message', message, MOST[channel]]]
  if (subject !== null) texts.unshift(['subject', subject, MOST.subject])
  const rendered = texts.map(([field, text, most]) => {
    const broken = brokenTemplate(field, text)
    details.push(...broken)
    const final = render(text, values!)
    if (broken.length === 0 && final.trim() === '') refuse(field, 'is empty once its variables are filled in')
    const { length } = [...final]
    if (length > most) refuse(field, `has ${length} characters once its variables are filled in; ${most} at the most`)
    return final
  })
  refuseAll(details)
  await insertManualMessages(ctx, [
    {
      channel,
      client_id,
      case_id,
      to_address: (to as { address: string }).address,
      // A header has one line, whatever a field holds.
      subject: subject === null ? null : rendered[0]!.replace(/\s*[\r\n]+\s*/g, ' '),
      body: rendered.at(-1)!,
    },
  ])
}
