import { parse } from 'csv-parse/sync'

export interface Row {
  /** Where the row begins in the file, from 1. */
  line: number
  /** As many as the header has. */
  cells: string[]
}

export interface Unreadable {
  line: number
  reason: string
}

export interface Table {
  header: string[]
  rows: Row[]
  unreadable: Unreadable[]
  /** Lines below the header that hold nothing. */
  blank: number
}

/**
 * Reads a CSV file as spreadsheets and practice managements write it: separated by commas, semicolons, tabs or bars, in
 * UTF-8, UTF-16 or the older Windows encoding. No line gets lost: each is a row, unreadable, blank, or part of the row
 * it began in. A quotation mark that is never closed costs its own line, not the rest of the file.
 */
export function readCsv(bytes: Uint8Array): Table {
  const lines = decode(bytes).split(/\r\n|\r|\n/)
  if (lines.at(-1) === '') lines.pop()
  const first = lines.findIndex((line) => line.trim() !== '')
  const table: Table = { header: [], rows: [], unreadable: [], blank: 0 }
  if (first < 0) return table
  const delimiter = delimiterOf(lines[first]!)
  table.header = records(lines[first]!, delimiter).found[0]!.record.map((name) => name.trim())
  let at = first + 1
  while (at < lines.length) at = readFrom(lines, at, delimiter, table)
  return table
}

/** Reads to the end, or to the first line that can't be believed; answers where to go on. */
function readFrom(lines: string[], from: number, delimiter: string, table: Table): number {
  const width = table.header.length
  const { found, unclosed } = records(lines.slice(from).join('\n'), delimiter)
  let at = from
  for (const { record, raw } of found) {
    const height = raw.replace(/\n$/, '').split('\n').length
    const cells = record.map((cell) => cell.trim())
    if (cells.every((cell) => cell === '')) table.blank += height
    else if (swallows(lines.slice(at + 1, at + height), delimiter, width)) return giveUp(table, at, UNCLOSED)
    else if (cells.length === width) table.rows.push({ line: at + 1, cells })
    else {
      const next = giveUp(table, at, wrongWidth(cells.length, width))
      if (height > 1) return next
    }
    at += height
  }
  return unclosed ? giveUp(table, at, UNCLOSED) : lines.length
}

const UNCLOSED = 'a quotation mark is opened and not closed'

function giveUp({ unreadable }: Table, at: number, reason: string): number {
  unreadable.push({ line: at + 1, reason })
  return at + 1
}

/** A cell that goes over several lines may hold whole rows, where its closing quotation mark was another cell's. */
function swallows(inside: string[], delimiter: string, width: number): boolean {
  return width > 1 && inside.some((line) => records(line, delimiter).found[0]?.record.length === width)
}

function wrongWidth(cells: number, columns: number): string {
  const what = cells > columns ? 'a comma may lack its quotation marks' : 'some are missing'
  return `${cells} ${cells === 1 ? 'cell' : 'cells'} for ${columns} columns: ${what}`
}

interface Parsed {
  record: string[]
  raw: string
}

function records(text: string, delimiter: string): { found: Parsed[]; unclosed: boolean } {
  const found: Parsed[] = []
  const options = {
    delimiter,
    raw: true,
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: 0,
    on_record: (parsed: unknown) => {
      found.push(parsed as Parsed)
      return null
    },
  }
  try {
    parse(text, options)
    return { found, unclosed: false }
  } catch (error) {
    if ((error as { code?: string }).code !== 'CSV_QUOTE_NOT_CLOSED') throw error
    return { found, unclosed: true }
  }
}

function decode(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '')
  const counted = [',', ';', '\t', '|'].map((each) => [each, bare.split(each).length] as const)
  return counted.sort((a, b) => b[1] - a[1])[0]![0]
}
