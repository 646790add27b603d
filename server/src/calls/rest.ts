import Type from 'typebox'
import { Fields, Id, ResponseOnly } from '../core/fields.ts'
import { operation } from '../core/operation.ts'
import { scheduleCall } from './schedule-call.ts'

export const createCall = operation({
  rest: 'POST /v1/calls',
  tag: 'Calls',
  summary: 'Schedule one AI call',
  description:
    'Calls the first client of the case that may be called, as soon as the hours of the campaign, the law and the limits ' +
    'allow. The case need not be in the list of the campaign. A campaign that has not begun or is paused takes the ' +
    'request and waits; failed attempts are repeated by its `callback_delays`.',
  input: Fields({
    campaign_id: Id('The campaign whose agent, hours and retries are used'),
    case_id: Id('The case that the call is about'),
    client_id: ResponseOnly('Chosen by the service'),
  }),
  output: Type.Object({
    campaign_id: Id('The campaign'),
    client_id: Id('Who is called'),
    case_id: Id('The case'),
  }),
  status: 201,
  namesRecord: true,
  run: (ctx, { campaign_id, case_id }) => scheduleCall(ctx, { campaign_id, case_id }),
})
