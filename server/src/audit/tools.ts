import Type from 'typebox'
import { refuseAll } from '../core/errors.ts'
import { Fields, Id } from '../core/fields.ts'
import { paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { selectAuditLog } from './queries.ts'
import { AuditEntry } from './schema.ts'

const Moment = (description: string) => Type.Optional(Type.String({ description }))

export const listAuditLogs = tool({
  name: 'list_audit_logs',
  title: 'List audit log entries',
  description:
    'Who did what to which record, when and through which channel (public_api, mcp, dashboard, import, system), newest first.',
  readOnly: true,
  untrustedFields: ['audit_logs[].changes'],
  input: Fields({
    page: paging.page,
    page_size: paging.per_page,
    activity: Type.Optional(Type.String({ description: "Exact word, such as 'case_updated'" })),
    actor: Type.Optional(Type.String({ description: 'Exact name of an API key, a user or the engine' })),
    from: Moment('First moment: YYYY-MM-DD or ISO 8601 with time'),
    to: Moment('Last moment, the whole day where it is only a date'),
    case_id: Type.Optional(Id('About this case')),
    client_id: Type.Optional(Id('About this client')),
  }),
  output: Type.Object({
    total: Type.Integer(),
    page: Type.Integer(),
    page_size: Type.Integer(),
    audit_logs: Type.Array(AuditEntry),
  }),
  async run(ctx, { page = 1, page_size = 25, from, to, ...filter }) {
    const window = readWindow(from, to)
    const found = await selectAuditLog(ctx, { ...filter, ...window }, slice({ page, per_page: page_size }))
    return { total: found.total, page, page_size, audit_logs: found.rows }
  },
})

const DAY_MS = 86_400_000

/** Dates are days of UTC; the end is the first moment after the window. */
function readWindow(from: string | undefined, to: string | undefined): { from?: Date; before?: Date } {
  const read = (field: string, text: string | undefined) => {
    if (text === undefined) return undefined
    const moment = /^\d{4}-\d\d-\d\d(T.+)?$/.test(text) ? new Date(text) : new Date(Number.NaN)
    if (Number.isNaN(moment.getTime())) {
      const message = 'must be a date (YYYY-MM-DD) or an ISO 8601 date and time'
      refuseAll([{ field, message }])
    }
    return moment
  }
  const last = read('to', to)
  return { from: read('from', from), before: last && new Date(last.getTime() + (to!.includes('T') ? 1 : DAY_MS)) }
}
