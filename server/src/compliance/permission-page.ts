import { escaped } from '../core/html.ts'
import type { History, HistoryRecord } from './permission-history.ts'

/** The whole history of a contact's permissions on one page: for a file, a regulator or the contact. */

type Line = [label: string, value: string]

const CHANNEL = { call: 'calls', sms: 'text messages', email: 'e-mail', all: 'calls, texts and e-mail' }
const PURPOSE: Record<string, string> = { all: 'every purpose', informational: 'every purpose but marketing' }
const SOURCE: Record<string, string> = {
  spoken: 'spoken in a call',
  keyword: 'by text message',
  unsubscribe: 'by a link in an e-mail',
  carrier: 'told by the carrier',
  import: 'from an imported list',
  person: 'written down by a person',
  flag: "by the contact's opt-out flag",
}
const STANDING = { suppressed: 'may not be contacted', consented: 'has agreed', nothing: 'nothing on record' }

const instant = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
const purposeOf = (purpose: string): string => PURPOSE[purpose] ?? purpose.replaceAll('_', ' ')

const title = ({ client, addresses }: History): string =>
  `Consents and opt-outs: ${client ? `${client.name} (client ${client.id})` : addresses.join(', ')}`

function summary({ firm, addresses, at, standing, records }: History): Line[] {
  return [
    ['Kept by', firm],
    ['Number and address', addresses.join(', ') || 'none'],
    ['Written', instant(at)],
    ['Records', String(records.length)],
    ...standing.map((each): Line => {
      const what = each.purpose === 'marketing' ? 'marketing' : 'case updates'
      return [`${each.address}, ${CHANNEL[each.channel as keyof typeof CHANNEL]}, ${what}`, STANDING[each.standing]]
    }),
  ]
}

const heading = ({ id, kind, channel, purpose }: HistoryRecord): string =>
  `${id}. ${kind === 'consent' ? 'Consent to' : 'No more'} ${CHANNEL[channel]}, ${purposeOf(purpose)}`

function lines(record: HistoryRecord): Line[] {
  const { words, ...evidence } = record.evidence ?? {}
  const { superseded_by, position, previous_hash, hash } = record
  const optional = (label: string, value: string | null | undefined): Line[] => (value ? [[label, value]] : [])
  return [
    ['Address', record.address ?? `erased${record.address_ending ? `, ends in ${record.address_ending}` : ''}`],
    ...optional('Given', record.obtained_at && instant(record.obtained_at)),
    ['Recorded', instant(record.recorded_at)],
    ['How', `${SOURCE[record.source] ?? record.source}${record.is_flag ? ' (of this contact alone)' : ''}`],
    ['Who recorded it', `${record.recorded_by ?? 'not known'}, over ${record.origin}`],
    ...optional('For the firm', record.firm),
    ...optional('Wording', words === undefined ? null : String(words)),
    ...optional('Wording, SHA-256', record.wording_sha256),
    ...optional('Form version', record.form_version),
    ...Object.entries(evidence)
      .filter(([name]) => name !== 'form_version')
      .map(
        ([name, value]): Line => [name.replaceAll('_', ' '), typeof value === 'string' ? value : JSON.stringify(value)],
      ),
    ...optional(
      'Superseded',
      superseded_by && `by record ${superseded_by.id}${superseded_by.in_part ? ', in part' : ''}`,
    ),
    ...optional('Link', hash && `${position}: ${hash}`),
    ...optional('Link before', previous_hash),
  ]
}

export function historyText(history: History): string {
  const block = (all: Line[]) => all.map(([label, value]) => `  ${label}: ${value}`).join('\n')
  return [
    title(history),
    block(summary(history)),
    ...history.records.map((record) => `${heading(record)}\n${block(lines(record))}`),
  ].join('\n\n')
}

export function historyPage(history: History): string {
  const list = (all: Line[]) =>
    `<dl>${all.map(([label, value]) => `<dt>${escaped(label)}</dt><dd>${escaped(value)}</dd>`).join('\n')}</dl>`
  const sections = history.records.map(
    (record) => `<section>\n<h2>${escaped(heading(record))}</h2>\n${list(lines(record))}\n</section>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escaped(title(history))}</title>
<style>body{font:10pt/1.4 system-ui,sans-serif;max-width:48rem;margin:2rem auto;color:#1a1a1a}h1{font-size:14pt}h2{font-size:11pt;margin:1rem 0 .2rem}
section{break-inside:avoid;border-top:1px solid #767676}dl{display:grid;grid-template-columns:13rem 1fr;margin:0}dt{color:#555}dd{margin:0;overflow-wrap:anywhere}</style>
</head>
<body>
<h1>${escaped(title(history))}</h1>
${list(summary(history))}
${sections.join('\n')}
</body>
</html>
`
}
