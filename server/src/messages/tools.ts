import Type from 'typebox'
import { selectCase } from '../cases/queries.ts'
import { selectClient, selectClients } from '../clients/queries.ts'
import { refuseAll } from '../core/errors.ts'
import { Fields, Id, Text } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { compose, type Draft, MOST } from './compose.ts'
import { insertManualMessages } from './manual.ts'
import { selectTemplateValues } from './template.ts'
import { selectToolMessages, ToolMessage } from './tool-records.ts'

const about = {
  case_id: Id('Case whose clients get it'),
  send_chat_message: Type.Optional(
    Type.Boolean({ default: false, description: 'Keep it as a chat message of the case too' }),
  ),
}

const sent = {
  message_ids: Type.Array(Type.Integer()),
  skipped: Type.Array(Type.Object({ client_id: Type.Integer(), reason: Type.String() })),
}

export const listMessages = tool({
  name: 'list_messages',
  title: 'List messages',
  description:
    'Texts and e-mail, in and out, newest first. `at`: when sent, received or due. `error`: why it failed or was skipped.',
  readOnly: true,
  untrustedFields: ['messages[].body'],
  input: Fields({
    ...paging,
    case_id: Type.Optional(Id('Only about this case')),
    client_id: Type.Optional(Id('Only of this client')),
  }),
  output: Paged('messages', ToolMessage),
  async run(ctx, { case_id, client_id, ...args }) {
    if (case_id !== undefined) await selectCase(ctx, case_id)
    if (client_id !== undefined) await selectClient(ctx, client_id)
    return paged('messages', args, await selectToolMessages(ctx, { case_id, client_id }, slice(args)))
  },
})

export const sendSmsToCase = tool({
  name: 'send_sms_to_case',
  title: 'Text the clients of a case',
  description:
    'Schedules an SMS to every client of the case. Variables such as {{first_name}}, {{case_number}}, {{court_date}}, {{company_name}} are filled in for each. `skipped` names clients who opted out or have no number. Ask before you send.',
  openWorld: true,
  input: Fields({ ...about, message: Text(MOST.sms, 'Text') }),
  output: Type.Object({ status: Type.Literal('sms scheduled'), ...sent }),
  run: async (ctx, { send_chat_message, ...draft }) => ({
    status: 'sms scheduled' as const,
    ...(await sendToCase(ctx, { ...draft, channel: 'sms', subject: null }, send_chat_message)),
  }),
})

export const sendEmailToCase = tool({
  name: 'send_email_to_case',
  title: 'E-mail the clients of a case',
  description:
    'Schedules an e-mail to every client of the case; variables and `skipped` as in send_sms_to_case. Ask first.',
  openWorld: true,
  input: Fields({ ...about, subject: Text(MOST.subject, 'Subject line'), message: Text(MOST.email, 'Text') }),
  output: Type.Object({ status: Type.Literal('email scheduled'), ...sent }),
  run: async (ctx, { send_chat_message, ...draft }) => ({
    status: 'email scheduled' as const,
    ...(await sendToCase(ctx, { ...draft, channel: 'email' }, send_chat_message)),
  }),
})

/** To every client of the case who may be written to; refused when nobody may, or when the words are wrong for somebody. */
async function sendToCase(ctx: Context, draft: Draft, also_chat = false) {
  const { case_id } = draft
  const { client_ids } = await selectCase(ctx, case_id)
  if (client_ids.length === 0)
    refuseAll([{ field: 'case_id', message: `case ${case_id} has no clients; link some with set_case_clients` }])
  const occasions = client_ids.map((client_id) => ({ case_id, client_id }))
  const [clients, values] = await Promise.all([selectClients(ctx, client_ids), selectTemplateValues(ctx, occasions)])
  const byId = new Map(clients.map((client) => [client.id, client]))
  const composed = client_ids.map((id, index) => compose(draft, byId.get(id)!, values[index]!))
  const ofPerson = composed.map(({ broken }) => broken.filter(({ field }) => field === 'client_id'))
  const ofWords = composed.flatMap(({ broken }) => broken.filter(({ field }) => field !== 'client_id'))
  refuseAll([...new Map(ofWords.map((detail) => [`${detail.field} ${detail.message}`, detail])).values()])
  const good = composed.filter((_, index) => ofPerson[index]!.length === 0)
  if (good.length === 0) refuseAll(ofPerson.flat().map(({ message }) => ({ field: 'case_id', message })))
  const message_ids = await insertManualMessages(
    ctx,
    good.map(({ message }) => ({ ...message, also_chat })),
  )
  const skipped = client_ids.flatMap((client_id, index) => {
    const reasons = ofPerson[index]!.map(({ message }) => message)
    return reasons.length > 0 ? { client_id, reason: reasons.join('; ') } : []
  })
  return { message_ids, skipped }
}
