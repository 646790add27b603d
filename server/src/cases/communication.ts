import Type from 'typebox'
import { selectClient } from '../clients/queries.ts'
import { refuseAll } from '../core/errors.ts'
import { Fields, Id, Text } from '../core/fields.ts'
import { type Context, operation } from '../core/operation.ts'
import { compose, type Draft, MOST } from '../messages/compose.ts'
import { insertManualMessages } from '../messages/manual.ts'
import { selectTemplateValues } from '../messages/template.ts'
import { selectCase } from './queries.ts'

const tag = 'Cases'
const description =
  'The client must be linked to the case. `message` may hold field names of the client and the case in double curly ' +
  'braces, such as `{{first_name}}`, `{{case_number}}`, `{{case_name}}`, `{{company_name}}` or `{{meta.KEY}}`; they are ' +
  'filled in when the message is scheduled.'

const recipient = { case_id: Id('Case that the message is about'), client_id: Id('Client who gets it') }

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

async function schedule(ctx: Context, { client_id, ...draft }: Draft & { client_id: number }): Promise<void> {
  const { case_id } = draft
  const [about, client, [values]] = await Promise.all([
    selectCase(ctx, case_id),
    selectClient(ctx, client_id),
    selectTemplateValues(ctx, [{ case_id, client_id }]),
  ])
  const { message, broken } = compose(draft, client, values!)
  const linked = about.client_ids.includes(client_id)
  const stranger = { field: 'client_id', message: `client ${client_id} is not linked to case ${case_id}` }
  refuseAll(linked ? broken : [stranger, ...broken])
  await insertManualMessages(ctx, [message])
}
