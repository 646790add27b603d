import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from './api.ts'
import type { Setup } from './campaign.ts'
import { bold, dim, type Screen, wrapped } from './screen.ts'
import { LINES } from './service.ts'
import { grouped, NOT_REACHED, plural, REACHED, REASONS, WAITING } from './words.ts'

/** What `get_campaign_stats` answers. */
export interface Stats {
  total_calls: number
  success_calls: number
  success_calls_percentage: number
  failed_calls: number
  average_sentiment_score: number
  conversion_rate: number
  total_clients: number
  called_clients: number
  converted_clients: number
  total_call_duration: string
  average_call_duration: string
  clients_waiting: number
  clients_in_call: number
  clients_settled: number
  last_results: { result: string; clients: number }[]
  not_called: { reason: string; clients: number }[]
  messages_sent: number
}

const EVERY_MS = 250

/** Shows how the campaign goes until it is completed. */
export async function watch(api: Api, setup: Setup, speed: number, screen: Screen): Promise<Stats> {
  const begun = Date.now()
  const anchor = (await api.clock()).getTime() - begun * speed
  for (;;) {
    const id = setup.campaignId
    // Asked first: what is counted after a campaign is completed is final.
    const { status } = await api.tool<{ status: string }>('get_campaign', { id })
    const stats = await api.tool<Stats>('get_campaign_stats', { id })
    const now = new Date(anchor + Date.now() * speed)
    const left = status === 'completed' ? 0 : Math.max(1, Math.ceil((endOf(setup) - now.getTime()) / speed / 1000))
    const view = { stats, now, left, seconds: Math.round((Date.now() - begun) / 1000), setup }
    screen.live((columns) => block(view, columns), plain(view))
    if (status === 'completed') break
    if (status === 'paused') throw new Error('the campaign was paused')
    await pause(EVERY_MS)
  }
  screen.settle()
  return api.tool<Stats>('get_campaign_stats', { id: setup.campaignId })
}

interface View {
  stats: Stats
  now: Date
  left: number
  seconds: number
  setup: Setup
}

/** The last day of the last run is over in American Samoa: by then nobody is waited for any more. */
const endOf = ({ runs }: Setup) => Date.parse(`${runs.at(-1)!.end_date}T00:00:00-11:00`) + 86_400_000

function block(view: View, columns: number): string[] {
  const { stats, now, left, seconds } = view
  const share = stats.total_clients === 0 ? 0 : stats.clients_settled / stats.total_clients
  const bar = '█'.repeat(Math.round(share * 30)).padEnd(30, '░')
  const row = (label: string, count: number | string, more: string) =>
    `  ${dim(label.padEnd(16))}${more ? `${String(count).padEnd(7)}${dim(more)}` : count}`
  const { total, reasons } = skipped(stats)
  const [first = '', ...rest] = wrapped(reasons, columns - 27)
  return [
    `  ${bold(clock(now))} ${dim(`in New York: ${moment(view)}`)}`,
    `  ${bar} ${done(stats)}   ${dim(left > 0 ? `${seconds} s, about ${left} s to go` : `completed in ${seconds} s`)}`,
    '',
    row('On the phone', stats.clients_in_call, `of ${LINES} lines`),
    row('Reached', count(stats, REACHED), `${stats.converted_clients} agreed to the next step`),
    row('Voicemail', count(stats, ['voicemail']), ''),
    row('No answer', count(stats, NOT_REACHED), 'busy and failed calls included'),
    row('Opted out', count(stats, ['opted_out']), 'asked on the phone not to be called again'),
    row('Not called', total, first),
    ...rest.map((line) => row('', '', line)),
    row('Texts sent', stats.messages_sent, ''),
  ]
}

function plain(view: View): string {
  const { stats, now, left } = view
  const { total, reasons } = skipped(stats)
  return (
    `  ${clock(now)} in New York: ${done(stats)}; on the phone ${stats.clients_in_call}, ` +
    `reached ${count(stats, REACHED)}, voicemail ${count(stats, ['voicemail'])}, no answer ${count(stats, NOT_REACHED)}, ` +
    `opted out ${count(stats, ['opted_out'])}, not called ${total}${reasons && ` (${reasons})`}, ` +
    `texts ${stats.messages_sent}; ${left > 0 ? `about ${left} s to go` : 'completed'}`
  )
}

const done = ({ clients_settled, total_clients }: Stats) =>
  total_clients === 0
    ? 'working out whom to call'
    : `${grouped(clients_settled)} of ${plural(total_clients, 'contact')} done`

const clock = (now: Date) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  }).format(now)

/** What the hour means for the campaign. Between these two zones all other states lie. */
function moment({ now, setup: { runs } }: View): string {
  const local = ['America/Puerto_Rico', 'Pacific/Honolulu'].map((zone) => localTime(now, zone))
  const [east, west] = local as [string, string]
  const open = runs.findIndex(({ start_date, start_time, end_time }) => {
    return east >= `${start_date} ${start_time}` && west < `${start_date} ${end_time}`
  })
  if (open >= 0) return `run ${open + 1} of ${runs.length}`
  const next = runs.findIndex(({ start_date, start_time }) => east < `${start_date} ${start_time}`)
  if (next < 0) return 'the last run is over'
  return next === 0 ? 'before the first run' : `night, nobody is called until run ${next + 1}`
}

const localTime = (now: Date, timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(now)

const count = ({ last_results }: Stats, results: string[]) =>
  last_results.filter(({ result }) => results.includes(result)).reduce((sum, { clients }) => sum + clients, 0)

/** Those who are not going to be called, and why. */
function skipped({ not_called }: Stats): { total: number; reasons: string } {
  const final = not_called.filter(({ reason }) => !WAITING.includes(reason))
  const named = final.map(({ reason, clients }) => `${REASONS[reason] ?? reason.replaceAll('_', ' ')}\u00a0${clients}`)
  return { total: final.reduce((sum, { clients }) => sum + clients, 0), reasons: named.join(', ') }
}
