import type { Api } from './api.ts'
import type { Setup } from './campaign.ts'
import type { Import, Person } from './import/people.ts'
import { notCalled } from './not-called.ts'
import { bold, dim, type Screen, wrapped } from './screen.ts'
import type { Stats } from './watch.ts'
import { grouped, plural, RESULTS } from './words.ts'

interface Call {
  id: number
  start_time: string
  duration: string
  client_name: string
  case_name: string
  result: string | null
}

interface CallDetail extends Call {
  summary: string | null
  extracted_fields: Record<string, unknown> | null
  transcript: { speaker: 'agent' | 'contact'; text: string; at: number }[] | null
  agent_name: string
  client_phone: string
}

/** A contact of the campaign, as `list_campaign_contacts` shows it. */
export interface Contact {
  client_id: number
  reasons: { rule: string; message: string }[]
}

/** What came of it: the numbers, three conversations, and who was not called. */
export async function report(
  api: Api,
  setup: Setup,
  stats: Stats,
  book: Import,
  ids: Map<Person, number>,
  screen: Screen,
): Promise<void> {
  screen.print(...(await results(api, setup, stats)))
  for (const call of await threeCalls(api, setup)) screen.print(...transcript(call))
  screen.print(...notCalled({ book, ids, setup, contacts: await uncalled(api, setup), called: stats.called_clients }))
}

async function results(api: Api, { name }: Setup, stats: Stats): Promise<string[]> {
  const [campaign] = await api.get<{ stats: Stats }[]>(`/v1/campaigns?key=${encodeURIComponent(name)}`)
  const { total_calls, success_calls, success_calls_percentage, conversion_rate, average_sentiment_score } =
    campaign!.stats
  const tasks = await api.tool<{ total_records: number }>('list_tasks', { per_page: 1 })
  const { called_clients, total_clients, converted_clients, clients_waiting, last_results } = stats
  const rows = [
    ['Contacts called', `${grouped(called_clients)} of ${grouped(total_clients)}`],
    ['Calls', `${grouped(total_calls)}, ${shortly(stats.average_call_duration)} on average`],
    ['Completed conversations', `${grouped(success_calls)}, ${success_calls_percentage} % of the calls`],
    ['Agreed to the next step', `${grouped(converted_clients)}, ${conversion_rate} % of the contacts called`],
    ['Mood', `${average_sentiment_score} on a scale from 0 (bad) to 1 (good)`],
    ['Text messages', grouped(stats.messages_sent)],
    ['Tasks for the firm', `${grouped(tasks.total_records)}: to follow up, to call back, to answer a legal question`],
  ]
  if (clients_waiting > 0)
    rows.push(['Left open', `${plural(clients_waiting, 'contact')} with an attempt to come when the last run ended`])
  const ends = last_results.map(
    ({ result, clients }) => `  ${grouped(clients).padStart(6)}  ${RESULTS[result] ?? result}`,
  )
  return [
    '',
    bold('What came of it'),
    '',
    ...rows.map(([label, text]) => `  ${dim(label!.padEnd(26))}${text}`),
    ...(ends.length > 0 ? ['', `  ${dim('How the last call to each contact ended')}`, ...ends] : []),
  ]
}

/** Of these the first three that occurred. */
const TELLING = [
  'converted',
  'opted_out',
  'callback_requested',
  'transferred',
  'wrong_number',
  'disqualified',
  'successful',
  'unsuccessful',
]

async function threeCalls(api: Api, { campaignId }: Setup): Promise<CallDetail[]> {
  const calls = await all<Call>(api, 'list_calls', 'calls', { campaign_id: campaignId })
  const first = TELLING.flatMap((result) => calls.findLast((call) => call.result === result) ?? []).slice(0, 3)
  return Promise.all(first.map(({ id }) => api.tool<CallDetail>('get_call', { id })))
}

function transcript(call: CallDetail): string[] {
  const { client_name, case_name, client_phone, result, duration, summary, agent_name, transcript } = call
  const speakers = { agent: `${agent_name} (AI)`, contact: client_name.split(' ')[0]! }
  const width = Math.max(...Object.values(speakers).map(({ length }) => length)) + 2
  return [
    '',
    bold(`Call to ${client_name}: ${RESULTS[result!] ?? result}`),
    dim(`About ${case_name}, ${spaced(client_phone)}, ${shortly(duration)}`),
    '',
    ...(transcript ?? []).flatMap(({ speaker, text }) =>
      wrapped(text, 96 - width).map(
        (line, index) => `  ${(index === 0 ? speakers[speaker] : '').padEnd(width)}${line}`,
      ),
    ),
    '',
    ...wrapped(`Summary: ${summary}`, 96).map((line) => `  ${dim(line)}`),
  ]
}

/** `01:05` → `1:05 min` */
const shortly = (duration: string) => `${duration.replace(/^0(?=\d)/, '')} min`

/** `+14075550102` → `+1 407 555 0102` */
const spaced = (number: string) => number.replace(/^(\+1)(\d{3})(\d{3})(\d{4})$/, '$1 $2 $3 $4')

function uncalled(api: Api, { campaignId }: Setup): Promise<Contact[]> {
  return all<Contact>(api, 'list_campaign_contacts', 'contacts', { campaign_id: campaignId, called: false })
}

async function all<T>(api: Api, tool: string, records: string, args: object): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; ; page++) {
    const answer = await api.tool<Record<string, T[]> & { total_pages: number }>(tool, { ...args, page, per_page: 100 })
    found.push(...answer[records]!)
    if (page >= answer.total_pages) return found
  }
}
