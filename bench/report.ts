/** One line of the table. Numbers are text already: units differ. */
export interface Row {
  what: string
  service: string
  /** What it is held against, where there is something. */
  bare?: string
  ratio?: string
  aim?: string
}

/** To `run.ts`, which prints the rows of all parts as one table; or, where a part is run by itself, to the terminal. */
export function report(rows: Row[]): void {
  if (process.send) process.send(rows)
  else process.stdout.write(table(rows))
}

/** As Markdown, to be pasted into the README. */
export function table(rows: Row[]): string {
  const cells = [
    ['', 'Ratio', 'Aim', 'Service', 'Bare'],
    ...rows.map(({ what, ratio = '', aim = '', service, bare = '' }) => [what, ratio, aim, service, bare]),
  ]
  const widths = cells[0]!.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`
  const [head, ...body] = cells
  return [head!, widths.map((width) => '-'.repeat(width)), ...body].map(line).join('')
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export const number = (value: number, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

export const percent = (ratio: number) => `${Math.round(ratio * 100)} %`
