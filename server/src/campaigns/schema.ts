import Type from 'typebox'
import { CALL_RESULTS } from '../calls/results.ts'
import { PURPOSES } from '../compliance/rule-schema.ts'
import {
  Choice,
  deprecated,
  Fields,
  Id,
  Nullable,
  OptionalArray,
  OptionalBoolean,
  OptionalChoice,
  OptionalDate,
  OptionalFields,
  OptionalId,
  OptionalInteger,
  OptionalText,
  OptionalTime,
  ResponseOnly,
  type Static,
  Text,
} from '../core/fields.ts'

const Day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-03-02'] })
const Time = (description: string) => Type.String({ format: 'hh-mm', description, examples: ['09:30'] })

/** Kept in an integer column. */
const MOST = 2 ** 31 - 1
const DAY_MINUTES = 24 * 60

export const Slot = Fields(
  {
    start_time: Time('Within 08:00 to 21:00'),
    end_time: Time('Within 08:00 to 21:00, after start_time'),
  },
  { title: 'BusinessHours', examples: [{ start_time: '09:00', end_time: '17:30' }] },
)
export type Slot = Static<typeof Slot>

export const CHANNELS = ['sms', 'email'] as const
export const TRIGGERS = ['scheduled', 'before_call', 'after_successful_call', 'after_failed_call'] as const

export const RunMessage = Fields({
  channel: Choice(CHANNELS, 'How it is sent'),
  trigger: Choice(TRIGGERS, 'What it is sent for'),
  date: OptionalDate('Scheduled messages: the run day it goes out on; every run day when left out'),
  time: OptionalTime('Scheduled messages: local time of the contact, within 08:00 to 21:00'),
  delay_minutes: OptionalInteger('before_call: how long before the call; after a call: how long after its end', {
    minimum: 0,
    maximum: DAY_MINUTES,
    examples: [10],
  }),
  subject: OptionalText(255, 'E-mail only; may hold template variables'),
  message: Text(100_000, 'The text, at most 1,600 characters for an SMS; may hold template variables', {
    examples: ['Hello {{first_name}}, we will call you about {{case_name}} today.'],
  }),
})
export type RunMessage = Static<typeof RunMessage>

export const Run = Fields({
  client_run_id: OptionalText(255, 'Your identifier of the run, unique in the campaign', { examples: ['first-week'] }),
  start_date: Day('First day, local to each contact'),
  end_date: Day('Last day, local to each contact'),
  start_time: OptionalTime('Calls begin at this local time of the contact, 08:00 or later'),
  end_time: OptionalTime('Calls end at this local time of the contact, 21:00 or earlier'),
  messaging_only: OptionalBoolean('Sends messages and makes no calls'),
  selected_days: OptionalArray(
    Type.String({ description: 'A date inside the run or an English weekday name' }),
    'The days on which it works: dates inside the run or weekday names; Monday to Friday when left out',
    { maxItems: 1000, examples: [['Monday', 'Wednesday', '2026-03-07']] },
  ),
  messages: OptionalArray(RunMessage, 'Messages of the run', { maxItems: 100 }),
})
export type Run = Static<typeof Run>

export const ReportFilters = Fields({
  results: OptionalArray(Choice(CALL_RESULTS, 'A call result'), 'Only calls with these results'),
  case_type_ids: OptionalArray(Id('A case type id'), 'Only calls about cases of these types'),
})

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const
export const DATE_RANGES = ['cumulative', 'today_so_far', 'previous_day', 'previous_week', 'previous_month'] as const

export const ReportSchedule = Fields({
  name: Text(255, 'Name of the report'),
  run_client_ids: OptionalArray(
    Type.String(),
    "The client_run_id's of the runs it covers; the entire campaign when empty",
  ),
  frequency: Choice(FREQUENCIES, 'How often it is delivered'),
  weekday: OptionalInteger('Weekly reports: 0 is Sunday, 6 is Saturday', { minimum: 0, maximum: 6 }),
  day_of_month: OptionalInteger('Monthly reports: 1 to 31; the last day in shorter months', {
    minimum: 1,
    maximum: 31,
  }),
  time: Time('Delivery time, UTC'),
  recipients: Type.Array(Type.String({ format: 'email', maxLength: 255 }), {
    minItems: 1,
    maxItems: 100,
    description: 'E-mail addresses',
    examples: [['reports@example.com']],
  }),
  format: OptionalChoice(['csv'] as const, 'csv by default'),
  date_range: OptionalChoice(DATE_RANGES, 'Which calls it covers; cumulative by default'),
  filters: OptionalFields(ReportFilters, 'Which of these calls; all when left out'),
})
export type ReportSchedule = Static<typeof ReportSchedule>

const delayPart = (unit: string, most: number) => OptionalInteger(`Whole ${unit}`, { minimum: 0, maximum: most })

/** At least one part is given, and their sum is above zero. */
export const CallbackDelay = Fields({
  minutes: delayPart('minutes', 525_600),
  hours: delayPart('hours', 8_760),
  days: delayPart('days', 365),
})
export type CallbackDelay = Static<typeof CallbackDelay>

/** Taken for integrations that were written for it; the catalogue of the tools doesn't show it. */
const older = deprecated({
  start_time: OptionalTime('Older shape, without runs: calls begin at this local time'),
  end_time: OptionalTime('Older shape, without runs: calls end at this local time'),
  days: OptionalArray(Type.String({ description: 'An English weekday name' }), 'Older shape, without runs: weekdays', {
    maxItems: 100,
  }),
  send_sms_before_call: OptionalBoolean('Older form of a before_call message'),
  send_sms_before_call_delay_minutes: OptionalInteger('2 minutes or more; 2 when left out', {
    minimum: 2,
    maximum: DAY_MINUTES,
  }),
  sms_before_call_text: OptionalText(1600, 'Text of that SMS'),
  send_sms_after_successful_call: OptionalBoolean('Older form of an after_successful_call message'),
  sms_after_successful_call_text: OptionalText(1600, 'Text of that SMS'),
  send_sms_after_failed_call: OptionalBoolean('Older form of an after_failed_call message'),
  sms_after_failed_call_text: OptionalText(1600, 'Text of that SMS'),
})

export const CreateCampaign = Fields({
  name: Text(255, 'Name'),
  agent_id: OptionalText(255, 'The voice agent; required unless every run is messaging-only'),
  case_list_id: Id('The case list whose contacts are reached'),
  is_obo: OptionalBoolean('Works on on-behalf-of clients'),
  calls_scheduled_externally: OptionalBoolean('Calls are made only when they are asked for by POST /v1/calls'),
  never_ending: OptionalBoolean('Runs do not complete when the contact list is exhausted'),
  concurrency_limit: OptionalInteger('Most calls at the same time; 0 means unlimited', { minimum: 0, maximum: MOST }),
  self_healing_disabled: OptionalBoolean('Disables enrichment'),
  form_id: OptionalId('Linked form'),
  purpose: OptionalChoice(
    PURPOSES,
    'case_update when left out; marketing reaches only those whose consent to it is recorded',
  ),
  use_company_hours: OptionalBoolean("Use the campaign's business_hours instead of the calling times of the runs"),
  business_hours: OptionalArray(Slot, 'Required with use_company_hours', { maxItems: 24 }),
  runs: OptionalArray(Run, 'At least one, unless the older flat shape is used', { minItems: 1, maxItems: 100 }),
  report_schedule: OptionalFields(ReportSchedule, 'A report created together with the campaign'),
  callback_delays: OptionalArray(
    CallbackDelay,
    'How long after a failed attempt the next one follows, one entry per retry; one retry after 4 hours when left out',
    { maxItems: 50, examples: [[{ hours: 4 }, { days: 1 }]] },
  ),
  ...older,
  id: ResponseOnly('Set by the service'),
  origin: ResponseOnly('Set by the service'),
  update_origin: ResponseOnly('Set by the service'),
  stats: ResponseOnly('Set by the service'),
})
export type CreateCampaign = Static<typeof CreateCampaign>

const Percentage = (description: string) => Type.Number({ minimum: 0, maximum: 100, description })

export const Stats = Type.Object(
  {
    total_calls: Type.Integer({ description: 'Attempts that have ended' }),
    success_calls: Type.Integer({ description: 'A person was reached and the conversation was completed' }),
    success_calls_percentage: Percentage('Success per ended attempt'),
    failed_calls: Type.Integer({ description: 'All other ended attempts' }),
    average_sentiment_score: Type.Number({ minimum: 0, maximum: 1, description: '0 (bad) to 1 (good)' }),
    conversion_rate: Percentage('Converted contacts per contact called'),
  },
  { description: 'Counted as calls end' },
)
export type Stats = Static<typeof Stats>

const example = {
  id: 5,
  name: 'Hearing reminders',
  agent_id: 'agent_01jnh3wq8z4v6x0y2b5c7d9e1f',
  case_list_id: 8,
  origin: 'public_api',
  update_origin: null,
  stats: {
    total_calls: 180,
    success_calls: 117,
    success_calls_percentage: 65,
    failed_calls: 63,
    average_sentiment_score: 0.71,
    conversion_rate: 38.2,
  },
}

const campaignFields = {
  id: Id('Campaign id'),
  name: Type.String({ description: 'Name' }),
  agent_id: Nullable<string>('string', 'The voice agent; null where it sends messages only'),
  case_list_id: Id('The case list'),
  origin: Type.String({ description: 'The channel that created the record' }),
  update_origin: Nullable<string>('string', 'The channel of the last update; null until then'),
  stats: Stats,
}

export const Campaign = Type.Object(campaignFields, { title: 'Campaign', examples: [example] })
export type Campaign = Static<typeof Campaign>

export const CampaignSettings = Type.Object({
  is_enabled: Type.Boolean({ description: 'Whether campaigns are enabled for the company' }),
  concurrency_rate: Type.Integer({ minimum: 1, maximum: 100, description: 'Outbound call limit percentage' }),
  business_hours: Type.Unsafe<Slot[] | null>({
    type: ['array', 'null'],
    items: Slot,
    description: 'Default slots; null when none are configured',
  }),
})
