/** Records as lines of aligned columns under the names of their fields. */
export function textTable(records: object[]): string {
  if (records.length === 0) return '(none)'
  const cells = [Object.keys(records[0]!), ...records.map((record) => Object.values(record).map(cell))]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  return cells
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]!))
        .join('   ')
        .trimEnd(),
    )
    .join('\n')
}

function cell(value: unknown): string {
  if (value === null) return '-'
  if (value instanceof Date) return value.toISOString().slice(0, 19).replace('T', ' ')
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}
