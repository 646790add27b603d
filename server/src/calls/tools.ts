import Type from 'typebox'
import { selectToolCampaign } from '../campaigns/tool-records.ts'
import { selectCase } from '../cases/queries.ts'
import { Fields, Id } from '../core/fields.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { selectToolCall, selectToolCalls, ToolCall, ToolCallDetail } from './tool-records.ts'

export const listCalls = tool({
  name: 'list_calls',
  title: 'List calls',
  description:
    'Calls that were dialled, newest first. `result` is null while the call is under way; `duration` mm:ss; sentiment 0 (bad) to 1 (good). get_call has the summary.',
  readOnly: true,
  input: Fields({
    ...paging,
    campaign_id: Type.Optional(Id('Only of this campaign')),
    case_id: Type.Optional(Id('Only about this case')),
    key: Type.Optional(
      Type.String({ description: 'Part of the name of client, case or campaign, or of the case number' }),
    ),
  }),
  output: Paged('calls', ToolCall),
  async run(ctx, args) {
    if (args.campaign_id !== undefined) await selectToolCampaign(ctx, args.campaign_id)
    if (args.case_id !== undefined) await selectCase(ctx, args.case_id)
    return paged('calls', args, await selectToolCalls(ctx, args, slice(args)))
  },
})

export const getCall = tool({
  name: 'get_call',
  title: 'Get a call',
  description: 'One call with its summary, the fields the agent extracted and the transcript (`at`: seconds).',
  readOnly: true,
  untrustedFields: ['summary', 'extracted_fields', 'transcript[].text'],
  input: Fields({ id: Id('Call id') }),
  output: ToolCallDetail,
  run: (ctx, { id }) => selectToolCall(ctx, id),
})
