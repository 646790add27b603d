import Type from 'typebox'
import { scheduleCall } from '../calls/schedule-call.ts'
import { selectCase } from '../cases/queries.ts'
import { selectClient } from '../clients/queries.ts'
import { selectHistory } from '../compliance/permission-history.ts'
import { CHANNELS as LEGAL_CHANNELS, PURPOSES } from '../compliance/rule-schema.ts'
import { badRequest, refuseAll } from '../core/errors.ts'
import { Choice, Fields, Id, Nullable, OptionalBoolean, OptionalText } from '../core/fields.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { insertCampaign } from './create.ts'
import { explainCalls } from './explain.ts'
import { explainContact } from './explain-contact.ts'
import { CreateCampaign } from './schema.ts'
import { resumeCampaign, updateCampaignStatus } from './status.ts'
import { STANDINGS, selectToolContacts, ToolContact } from './tool-contacts.ts'
import { selectToolCampaign, selectToolCampaigns, ToolCampaign } from './tool-records.ts'
import { CampaignStats, selectCampaignStats } from './tool-stats.ts'

const id = Id('Campaign id')

export const listCampaigns = tool({
  name: 'list_campaigns',
  title: 'List campaigns',
  description:
    'Campaigns, newest first. scheduled: the first run lies ahead; paused: pause_reason says why; `is_public`: made over REST.',
  readOnly: true,
  input: Fields({ ...paging, key: Type.Optional(Type.String({ description: 'Part of the name' })) }),
  output: Paged('campaigns', ToolCampaign),
  run: async (ctx, args) => paged('campaigns', args, await selectToolCampaigns(ctx, { ...args, ...slice(args) })),
})

export const getCampaign = tool({
  name: 'get_campaign',
  title: 'Get a campaign',
  description: 'One campaign. For its results take get_campaign_stats.',
  readOnly: true,
  input: Fields({ id }),
  output: ToolCampaign,
  run: (ctx, args) => selectToolCampaign(ctx, args.id),
})

export const createCampaign = tool({
  name: 'create_campaign',
  title: 'Create a campaign',
  description:
    'Creates and starts a campaign: it calls and writes to real people once its first run begins, so ask first. Times are local to each contact; nobody is reached outside of 08:00 to 21:00. Messages may hold variables such as {{first_name}}.',
  openWorld: true,
  input: CreateCampaign,
  output: Type.Object({ id: Type.Integer(), status: Type.String() }),
  run: (ctx, input) => insertCampaign(ctx, input),
})

export const pauseCampaign = tool({
  name: 'pause_campaign',
  title: 'Pause a campaign',
  description: 'Stops calls and automatic messages until resume_campaign. Calls under way are finished.',
  idempotent: true,
  input: Fields({ id, reason: OptionalText(255, 'Why, for the people of the firm') }),
  output: ToolCampaign,
  async run(ctx, { id, reason }) {
    const { status } = await selectToolCampaign(ctx, id)
    if (status === 'completed' || status === 'draft')
      badRequest(`campaign ${id} is ${status}: there is nothing to pause`)
    await updateCampaignStatus(ctx, [id], 'paused', reason ?? `paused by ${ctx.actor.name}`)
    return selectToolCampaign(ctx, id)
  },
})

export const resumeCampaignTool = tool({
  name: 'resume_campaign',
  title: 'Resume a campaign',
  description: 'Lets a paused campaign go on: calls and messages to real people follow. Read pause_reason first.',
  idempotent: true,
  openWorld: true,
  input: Fields({ id }),
  output: ToolCampaign,
  async run(ctx, { id }) {
    const { status } = await selectToolCampaign(ctx, id)
    if (status === 'completed' || status === 'draft') badRequest(`campaign ${id} is ${status}: it cannot be resumed`)
    await resumeCampaign(ctx, id)
    return selectToolCampaign(ctx, id)
  },
})

export const getCampaignStats = tool({
  name: 'get_campaign_stats',
  title: 'Get the results of a campaign',
  description:
    'Counters, and where the contacts stand now. Rates: 0 to 100; sentiment: 0 to 1; durations: mm:ss; success: the conversation with a person was completed. `last_results`: contacts by their latest call; `not_called`: those without one, by the first reason (list_campaign_contacts names them).',
  readOnly: true,
  input: Fields({ id }),
  output: CampaignStats,
  async run(ctx, { id }) {
    await selectToolCampaign(ctx, id)
    return selectCampaignStats(ctx, id)
  },
})

export const listCampaignContacts = tool({
  name: 'list_campaign_contacts',
  title: 'List the contacts of a campaign',
  description:
    'Where each contact stands: waiting for an attempt, in_call, or done. `reasons`: what was last found against calling them. Take called: false for those nobody has called.',
  readOnly: true,
  input: Fields({
    ...paging,
    campaign_id: id,
    standing: Type.Optional(Choice(STANDINGS, 'Only who stands there')),
    called: Type.Optional(Type.Boolean({ description: 'Only contacts with, or without, an attempt' })),
  }),
  output: Paged('contacts', ToolContact),
  async run(ctx, args) {
    await selectToolCampaign(ctx, args.campaign_id)
    return paged('contacts', args, await selectToolContacts(ctx, args, slice(args)))
  },
})

export const scheduleCallTool = tool({
  name: 'schedule_call',
  title: 'Schedule one call',
  description:
    'Has the first client of the case that may be called phoned by the agent of the campaign, as soon as hours and limits allow. Real call: ask first.',
  openWorld: true,
  input: Fields({ campaign_id: id, case_id: Id('Case that the call is about') }),
  output: Type.Object({ campaign_id: Type.Integer(), client_id: Type.Integer(), case_id: Type.Integer() }),
  run: (ctx, { campaign_id, case_id }) => scheduleCall(ctx, { campaign_id, case_id }),
})

const Instant = Nullable<Date>('string', undefined, { format: 'date-time' })
const ruleVersions = Type.Unsafe<readonly string[]>({ type: 'array', items: { type: 'string' } })
const reasons = Type.Array(
  Type.Object({
    rule: Type.String(),
    message: Type.String(),
    until: Instant,
    law: ruleVersions,
  }),
)

export const explainCall = tool({
  name: 'explain_call',
  title: 'Explain whether someone may be called',
  description:
    'May the campaign call this client, or each client of this case, now? Answers every reason against it with its end and legal rule, and when it will try next. Use it when someone was not called.',
  readOnly: true,
  input: Fields({
    campaign_id: id,
    client_id: Type.Optional(Id('Client id')),
    case_id: Type.Optional(Id('Case id')),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'Another moment than now' })),
  }),
  output: Type.Object({
    campaign_id: Type.Integer(),
    contacts: Type.Array(
      Type.Object({
        client_id: Type.Integer(),
        case_id: Type.Integer(),
        standing: Type.Unsafe<'not_planned' | 'due' | 'live' | 'settled'>({
          type: 'string',
          enum: ['not_planned', 'due', 'live', 'settled'],
        }),
        attempts: Type.Integer(),
        last_result: Nullable<string>('string'),
        settled_reason: Nullable<string>('string'),
        allowed: Type.Boolean(),
        reasons,
        rule_versions: ruleVersions,
        next_at: Instant,
      }),
    ),
  }),
  async run(ctx, { campaign_id, client_id, case_id, at }) {
    if ((client_id === undefined) === (case_id === undefined)) {
      const message = 'give either client_id or case_id'
      refuseAll([
        { field: 'client_id', message },
        { field: 'case_id', message },
      ])
    }
    await selectToolCampaign(ctx, campaign_id)
    if (client_id !== undefined) await selectClient(ctx, client_id)
    if (case_id !== undefined) await selectCase(ctx, case_id)
    const contacts = await explainCalls(
      ctx,
      campaign_id,
      client_id === undefined ? { case_id: case_id! } : { client_id },
      at === undefined ? undefined : new Date(at),
    )
    if (contacts.length === 0)
      badRequest(
        client_id === undefined
          ? `case ${case_id} has no clients to call; link some with set_case_clients`
          : `client ${client_id} is linked to no case, so no campaign can call them; link one with set_case_clients`,
      )
    return { campaign_id, contacts }
  },
})

export const explainContactTool = tool({
  name: 'explain_contact',
  title: 'Explain whether someone may be contacted',
  description: 'As explain_call, for any channel and without a campaign.',
  readOnly: true,
  untrustedFields: ['record.records[].evidence'],
  input: Fields({
    client_id: Id('Client id'),
    channel: Choice(LEGAL_CHANNELS, 'Channel'),
    purpose: Type.Optional(Choice(PURPOSES, 'case_update when left out')),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'Another moment than now' })),
    record: OptionalBoolean('Also all consents and opt-outs on record'),
  }),
  output: Type.Object({
    client_id: Type.Integer(),
    allowed: Type.Boolean(),
    reasons,
    rule_versions: ruleVersions,
    zones: ruleVersions,
    next_at: Instant,
    record: Type.Optional(Type.Object({ records: Type.Array(Type.Object({ id: Type.Integer() })) })),
  }),
  async run(ctx, { client_id, channel, purpose = 'case_update', at, record }) {
    const moment = at === undefined ? undefined : new Date(at)
    const decision = await explainContact(ctx, client_id, { channel, purpose, at: moment })
    const { allowed, rule_versions, zones, retry_at } = decision
    const shown = decision.reasons.map(({ rule, message, until, law = [] }) => ({ rule, message, until, law }))
    const history = record ? { record: await selectHistory(ctx, { client_id }, ctx.clock.now()) } : {}
    return { client_id, allowed, reasons: shown, rule_versions, zones, next_at: retry_at, ...history }
  },
})
