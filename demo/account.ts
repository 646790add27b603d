import type { Import } from './import/people.ts'
import { bold, dim, wrapped } from './screen.ts'
import { grouped, plural } from './words.ts'

/** Rejected rows and remarks that are shown; all of them are in the report. */
const SHOWN = 12

/** What became of every row of the file. The numbers add up. */
export function account(book: Import, report: string): string[] {
  const { rows, people, merged, rejected } = book
  const row = (count: number, text: string, more = '') =>
    `  ${grouped(count).padStart(7)}  ${text}${more && dim(`   ${more}`)}`
  const sum = people.length + merged.length + rejected.length
  const remarks = remarksOf(book)
  return [
    row(rows, 'rows read'),
    row(people.length, 'imported as contacts', casesOf(book)),
    row(merged.length, 'merged with the row of the same contact', mergersOf(book)),
    row(rejected.length, 'rejected'),
    ...shownOf(rejected.map(({ line, reason }) => `line ${line}: ${reason}`)),
    `           ${dim(`${people.length} + ${merged.length} + ${rejected.length} = ${sum}`)}`,
    ...(remarks.length > 0 ? ['', `  ${bold('Worth a look')}`, ...shownOf(remarks)] : []),
    '',
    ...keptOf(book).map((line) => `  ${dim(line)}`),
    `  ${dim(`Row by row: ${report}`)}`,
  ]
}

function casesOf({ cases }: Import): string {
  const shared = cases.filter((record) => record.people.length > 1).length
  return `${plural(cases.length, 'case')}${shared > 0 ? `, ${shared} of them shared by several people` : ''}`
}

function mergersOf({ merged }: Import): string {
  if (merged.length === 0) return ''
  const byId = merged.filter(({ why }) => why === 'same contact id').length
  return `${byId} by id, ${merged.length - byId} by name and number`
}

function keptOf({ columns }: Import): string[] {
  const kept = columns.filter(({ field }) => field === null).map(({ header }) => header)
  return kept.length > 0 ? wrapped(`Kept as extra details of the contact: ${kept.join(', ')}.`, 92) : []
}

function shownOf(all: string[]): string[] {
  const lines = all
    .slice(0, SHOWN)
    .flatMap((text) => wrapped(text, 84).map((line, n) => (n === 0 ? line : `  ${line}`)))
  const more = all.length > SHOWN ? [`and ${all.length - SHOWN} more`] : []
  return [...lines, ...more].map((line) => `           ${dim(line)}`)
}

function remarksOf({ remarks }: Import): string[] {
  return remarks.list().map(({ remark, lines }) => {
    const named = lines.slice(0, 8).join(', ') + (lines.length > 8 ? ', …' : '')
    return `${lines.length === 1 ? 'line' : `${lines.length} rows, lines`} ${named}: ${remark}`
  })
}

/** The whole account, row by row. */
export function rowByRow(book: Import): string {
  const said = [
    ...book.people.map(({ line, client, cases }) => {
      const about = cases.map(({ matter }) => matter.case_number).join(', ')
      return { line, text: `imported: ${client.first_name} ${client.last_name}${about && `, ${about}`}` }
    }),
    ...book.merged.map(({ line, into, why }) => ({ line, text: `merged with line ${into}: ${why}` })),
    ...book.rejected.map(({ line, reason }) => ({ line, text: `rejected: ${reason}` })),
    ...book.remarks.list().flatMap(({ remark, lines }) => lines.map((line) => ({ line, text: `  ${remark}` }))),
  ]
  return said
    .sort((a, b) => a.line - b.line)
    .map(({ line, text }) => `${line}\t${text}\n`)
    .join('')
}
