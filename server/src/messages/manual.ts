import sql from 'sql-template-tag'
import type { Client } from '../clients/schema.ts'
import { selectSuppressed } from '../compliance/permissions.ts'
import { entryRows } from '../core/columns.ts'
import { refuseAll } from '../core/errors.ts'
import type { Context } from '../core/operation.ts'
import { toE164 } from '../core/phone.ts'

export type MessageChannel = 'sms' | 'email'

export interface ManualMessage {
  channel: MessageChannel
  client_id: number
  case_id: number
  to_address: string
  subject: string | null
  /** Final text: braces in it came from a value. */
  body: string
  /** Also kept as a chat message of the case. */
  also_chat?: boolean
}

/** The address of a contact on a channel, or every reason why nobody may write to it there. */
export function addressOf(client: Client, channel: MessageChannel): { address: string } | { reasons: string[] } {
  const { id, mobile, email, date_of_death } = client
  const reasons: string[] = []
  if (date_of_death !== null) reasons.push(`client ${id} is deceased`)
  if (client[`${channel}_opted_out`])
    reasons.push(`client ${id} opted out of ${channel === 'sms' ? 'text messages' : 'e-mail'}`)
  const address = channel === 'sms' ? toE164(mobile) : email
  if (channel === 'email' && email === null) reasons.push(`client ${id} has no e-mail address`)
  if (channel === 'sms' && mobile === null) reasons.push(`client ${id} has no mobile number`)
  else if (channel === 'sms' && address === null)
    reasons.push(`the mobile number of client ${id} can't be dialled: ${mobile}`)
  return reasons.length === 0 && address !== null ? { address } : { reasons }
}

/**
 * Messages that a person or an integration sends: due at once, in their final text. Answers the ids in order.
 *
 * @throws {Refusal} when an address is suppressed.
 */
export async function insertManualMessages(ctx: Context, messages: ManualMessage[]): Promise<number[]> {
  const suppressed = await selectSuppressed(ctx, messages)
  refuseAll(
    suppressed.map(({ client_id, channel }) => ({
      field: 'client_id',
      message: `the ${channel === 'sms' ? 'number' : 'e-mail address'} of client ${client_id} is on the suppression list`,
    })),
  )
  const now = ctx.clock.now()
  const rows = await ctx.db.many<{ id: number }>(sql`
    with inserted as (
      insert into messages (company_id, channel, status, client_id, case_id, manual, also_chat, to_address, subject, body,
        due_at, origin, created_at)
      select ${ctx.companyId}, m.channel, 'scheduled', m.client_id, m.case_id, true, coalesce(m.also_chat, false), m.to_address,
        m.subject, m.body, ${now}, ${ctx.channel}, ${now}
      from ${entryRows(messages, {
        channel: 'text',
        client_id: 'bigint',
        case_id: 'bigint',
        also_chat: 'boolean',
        to_address: 'text',
        subject: 'text',
        body: 'text',
      })} as m
      order by m.ordinality
      returning id
    )
    select id from inserted order by id`)
  const ids = rows.map(({ id }) => id)
  for (const [index, { case_id, client_id }] of messages.entries()) {
    ctx.record({ activity: 'message_scheduled', record_type: 'message', record_id: ids[index]!, case_id, client_id })
  }
  return ids
}
