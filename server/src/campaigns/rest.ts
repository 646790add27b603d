import Type from 'typebox'
import { Fields, Id, OptionalText } from '../core/fields.ts'
import { operation } from '../core/operation.ts'
import { insertCampaign } from './create.ts'
import { selectCampaigns, selectSettings } from './queries.ts'
import { brokenRules, NOTHING_MISSING } from './rules.ts'
import { Campaign, CampaignSettings, CreateCampaign } from './schema.ts'

const tag = 'Campaigns'

export const createCampaign = operation({
  rest: 'POST /v1/campaigns',
  tag,
  summary: 'Create a campaign',
  description:
    'Times and dates are local to each contact. Nobody is called or written to outside of 08:00 to 21:00 there, ' +
    'whatever the campaign says. The older flat shape, without `runs`, is taken too.',
  input: CreateCampaign,
  output: Type.Object({ id: Id('Campaign id') }),
  rules: (input) => brokenRules(input, NOTHING_MISSING),
  status: 201,
  example: {
    name: 'Hearing reminders',
    agent_id: 'agent_01jnh3wq8z4v6x0y2b5c7d9e1f',
    case_list_id: 42,
    concurrency_limit: 10,
    callback_delays: [{ hours: 4 }, { days: 1 }],
    runs: [
      {
        client_run_id: 'first-week',
        start_date: '2026-03-02',
        end_date: '2026-03-06',
        start_time: '09:00',
        end_time: '17:30',
        messages: [
          {
            channel: 'sms',
            trigger: 'before_call',
            delay_minutes: 10,
            message: 'Hello {{first_name}}, we are about to call you about {{case_name}}.',
          },
        ],
      },
    ],
    report_schedule: {
      name: 'Every evening',
      frequency: 'daily',
      time: '23:00',
      recipients: ['reports@example.com'],
      date_range: 'today_so_far',
    },
  },
  async run(ctx, input) {
    const { id } = await insertCampaign(ctx, input)
    return { id }
  },
})

export const listCampaigns = operation({
  rest: 'GET /v1/campaigns',
  tag,
  summary: 'List the campaigns',
  description: 'Every campaign, newest first.',
  input: Fields({ key: OptionalText(255, 'Part of the name, in any case') }),
  output: Type.Array(Campaign),
  run: (ctx, { key }) => selectCampaigns(ctx, key ?? undefined),
})

export const getCampaignSettings = operation({
  rest: 'GET /v1/campaigns/settings',
  tag,
  summary: 'Read the campaign settings',
  input: Fields({}),
  output: CampaignSettings,
  run: (ctx) => selectSettings(ctx),
})
