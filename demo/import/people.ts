import { toE164 } from '../../server/src/core/phone.ts'
import { type Column, columnsOf } from './columns.ts'
import type { Table, Unreadable } from './read-csv.ts'
import { type Client, type Entry, type Matter, readRow } from './read-row.ts'
import { remarks as newRemarks, type Remarks } from './remarks.ts'
import { dateOrder, folded } from './values.ts'

/** A contact of the firm, from one row or several. */
export interface Person {
  /** Of the first of their rows. */
  line: number
  client: Client
  cases: Case[]
}

export interface Case {
  line: number
  matter: Matter
  people: Person[]
}

export interface Merged {
  line: number
  /** The row that was there first. */
  into: number
  why: 'same contact id' | 'same name and number'
}

/** What a file holds. Every row is a person's first row, merged into one, or rejected. */
export interface Import {
  columns: Column[]
  rows: number
  people: Person[]
  cases: Case[]
  merged: Merged[]
  rejected: Unreadable[]
  remarks: Remarks
}

/** @param year the last one that two digits may stand for */
export function readPeople(table: Table, year = new Date().getFullYear()): Import {
  const columns = columnsOf(table.header)
  const remarks = newRemarks()
  const book: Import = {
    columns,
    rows: table.rows.length + table.unreadable.length,
    people: [],
    cases: [],
    merged: [],
    rejected: [...table.unreadable],
    remarks,
  }
  if (!columns.some(({ field }) => field === 'mobile'))
    remarks.add(1, 'no column holds telephone numbers, so that nobody can be called')
  const reading = {
    columns,
    orders: columns.map((_, place) => dateOrder(table.rows.map(({ cells }) => cells[place]!))),
    namesCases: columns.some(({ field }) => field === 'case_number' || field === 'case_name'),
    year,
    remarks,
  }
  const known = new Map<string, Person>()
  const byId = new Map<string, Person>()
  const cases = new Map<string, Case>()
  for (const row of table.rows) {
    const read = readRow(row, reading)
    if ('reason' in read) {
      book.rejected.push(read)
      continue
    }
    const person = personOf(read, known, byId, book)
    if (!read.matter) continue
    if (!reading.namesCases) nameOwnCase(read.matter, person, cases)
    link(person, caseOf(read.line, read.matter, cases, book))
  }
  book.rejected.sort((a, b) => a.line - b.line)
  return book
}

function personOf(
  { line, client }: Entry,
  known: Map<string, Person>,
  byId: Map<string, Person>,
  book: Import,
): Person {
  const name = folded(`${client.first_name} ${client.last_name}`)
  const number = toE164(client.mobile)
  const idKey = `id ${client.external_source_id} ${name}`
  const numberKey = number && `number ${number} ${name}`
  const same = known.get(idKey) ?? (numberKey ? known.get(numberKey) : undefined)
  if (same) {
    const why = known.has(idKey) ? 'same contact id' : 'same name and number'
    book.merged.push({ line, into: same.line, why })
    merge(same, line, client, book.remarks)
  }
  const person = same ?? { line, client, cases: [] }
  if (!same) book.people.push(person)
  known.set(idKey, person)
  if (numberKey && !known.has(numberKey)) known.set(numberKey, person)
  const holder = byId.get(client.external_source_id)
  if (!holder) byId.set(client.external_source_id, person)
  else if (holder !== person)
    book.remarks.add(line, 'has the id of an earlier row, but another name: a person of their own')
  return person
}

/** What the first row leaves open the later ones fill; what they say otherwise is kept beside it. */
function merge(
  person: Person,
  line: number,
  { meta, external_source_id, first_name, last_name, ...later }: Client,
  remarks: Remarks,
): void {
  const { client } = person
  const otherwise = (field: string, value: string) => {
    client.meta[`${field} (line ${line})`] = value
    remarks.add(
      line,
      `says another ${field.replaceAll('_', ' ')} than the row it belongs to: the first counts, the other is kept beside it`,
    )
  }
  for (const [field, value] of Object.entries(later) as [keyof typeof later, string | true | undefined][]) {
    if (value === undefined) continue
    const first = client[field]
    if (first === undefined) Object.assign(client, { [field]: value })
    else if (value !== true && !sameValue(field, String(first), value)) otherwise(field, value)
  }
  for (const [name, value] of Object.entries(meta)) {
    if (client.meta[name] === undefined) client.meta[name] = value
    else if (client.meta[name] !== value) otherwise(name, value)
  }
}

function sameValue(field: string, one: string, other: string): boolean {
  if (field === 'mobile') return one === other || (toE164(one) !== null && toE164(one) === toE164(other))
  return folded(one) === folded(other)
}

/** A campaign calls people about cases: in a file that knows none, everybody gets a case of their own. */
function nameOwnCase(matter: Matter, person: Person, cases: Map<string, Case>): void {
  const { external_source_id, first_name, last_name } = person.client
  const number = `Contact ${external_source_id}`
  matter.case_number =
    person.cases[0]?.matter.case_number ?? (cases.has(folded(number)) ? `${number}, line ${person.line}` : number)
  matter.name ??= `${first_name} ${last_name}`
}

/** Rows with one case number are about one case, whoever they name. */
function caseOf(line: number, matter: Matter, cases: Map<string, Case>, book: Import): Case {
  const key = folded(matter.case_number)
  const known = cases.get(key)
  if (!known) {
    const fresh = { line, matter, people: [] }
    cases.set(key, fresh)
    book.cases.push(fresh)
    return fresh
  }
  const { external_source_data, ...fields } = matter
  for (const [field, value] of Object.entries(fields) as [keyof typeof fields, string | undefined][]) {
    if (value === undefined || field === 'case_number') continue
    const first = known.matter[field]
    if (first === undefined) known.matter[field] = value
    else if (folded(first) !== folded(value)) {
      known.matter.external_source_data[`${field} (line ${line})`] = value
      book.remarks.add(
        line,
        `says another case ${field.replaceAll('_', ' ')} than the row before: the first counts, the other is kept beside it`,
      )
    }
  }
  known.matter.external_source_data = { ...external_source_data, ...known.matter.external_source_data }
  return known
}

function link(person: Person, record: Case): void {
  if (record.people.includes(person)) return
  record.people.push(person)
  person.cases.push(record)
}
