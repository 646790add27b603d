import type { Api } from './api.ts'
import { OVER } from './import/case-words.ts'
import type { Case } from './import/people.ts'
import type { Notebook } from './memory.ts'
import { LINES } from './service.ts'

export interface Setup {
  campaignId: number
  name: string
  /** The cases in the campaign's list. */
  cases: Set<Case>
  runs: Run[]
}

/** A day and the hours on it, where each contact is. */
export interface Run {
  start_date: string
  end_date: string
  start_time: string
  end_time: string
}

const OFFICE = 'America/New_York'

/** The list, the agent and the campaign. */
export async function setUpCampaign(api: Api, caseIds: Map<Case, number>, notebook: Notebook): Promise<Setup> {
  const over = [...caseIds.keys()].filter(({ matter }) => OVER.includes(matter.status))
  // Where every case is over, the firm means them.
  const left = new Set(over.length < caseIds.size ? over : [])
  const list = await api.post<{ id: number }>('/v1/case_lists', {
    name: 'Cases under way',
    description: 'Every case of the export that is not settled or closed',
    filter: { external_sources: ['csv'] },
    exclude_ids: [...left].map((record) => caseIds.get(record)!),
  })
  const { voices } = await api.get<{ voices: { voice_id: string; name: string }[] }>('/v1/agent_builder/voices')
  const [voice] = voices
  const agent = await api.post<{ id: string }>('/v1/agent_builder/campaign_agents', agentOf(voice!))
  notebook.memory.runs ??= nextRuns(await api.clock())
  notebook.save()
  const { runs } = notebook.memory
  const name = 'Spring check-in'
  const { id } = await api.post<{ id: number }>('/v1/campaigns', {
    name,
    agent_id: agent.id,
    case_list_id: list.id,
    concurrency_limit: LINES,
    callback_delays: [{ hours: 4 }, { hours: 15 }],
    runs: runs.map((run, index) => ({
      ...run,
      client_run_id: `day ${index + 1}`,
      messages: MESSAGES,
    })),
  })
  return { campaignId: id, name, runs, cases: new Set([...caseIds.keys()].filter((record) => !left.has(record))) }
}

const agentOf = ({ voice_id, name }: { voice_id: string; name: string }) => ({
  name,
  voice_id,
  greeting:
    'Hello, this is {{agent_name}}, an AI assistant calling from {{company_name}}. Am I speaking with {{first_name}} {{last_name}}?',
  task: 'Check in with the client about their matter, and make sure that we have what we need from them. Give no legal advice.',
  post_call_fields: [
    {
      name: 'address_is_current',
      type: 'boolean',
      description: 'Whether the client still lives at the address we have',
    },
    {
      name: 'has_new_documents',
      type: 'boolean',
      description: 'Whether the client has received any new letters or bills',
    },
    {
      name: 'preferred_contact',
      type: 'selector',
      description: 'How the client prefers to hear from us',
      choices: ['phone', 'text message', 'e-mail'],
    },
  ],
  transfer_number: '+1 212-555-0100',
  is_transfer_enabled: true,
})

/** Texts say nothing of the matter: somebody else may hold the phone. */
const MESSAGES = [
  {
    channel: 'sms',
    trigger: 'before_call',
    delay_minutes: 10,
    message:
      'Hello {{first_name}}, this is {{company_name}}. Our AI assistant {{agent_name}} will call you shortly. Reply STOP to get no more texts.',
  },
  {
    channel: 'sms',
    trigger: 'after_successful_call',
    message: 'Thank you for your time, {{first_name}}. If anything comes up, just call the office. {{company_name}}',
  },
  {
    channel: 'sms',
    trigger: 'after_failed_call',
    message:
      'Hello {{first_name}}, we could not reach you just now. We may try again, or call the office at any time. {{company_name}}',
  },
]

/** The hour at the office from which the first run waits for the next day. */
const LATEST_START = 17

/** Two weekdays with a run on each, the first of them today unless it is too late. */
function nextRuns(now: Date): Run[] {
  const local = new Intl.DateTimeFormat('en-CA', { timeZone: OFFICE, dateStyle: 'short' }).format(now)
  const hour = Number(
    new Intl.DateTimeFormat('en', { timeZone: OFFICE, hour: 'numeric', hourCycle: 'h23' }).format(now),
  )
  const first = nextWeekday(local, hour < LATEST_START ? 0 : 1)
  return [
    { day: first, start_time: '10:00' },
    { day: nextWeekday(first, 1), start_time: '09:00' },
  ].map(({ day, start_time }) => ({ start_date: day, end_date: day, start_time, end_time: '19:30' }))
}

function nextWeekday(from: string, days: number): string {
  const day = new Date(`${from}T00:00:00Z`)
  day.setUTCDate(day.getUTCDate() + days)
  while ([0, 6].includes(day.getUTCDay())) day.setUTCDate(day.getUTCDate() + 1)
  return day.toISOString().slice(0, 10)
}
