import { ANY_STATUS, ANY_TYPE, statusOf, typeOf } from './case-words.ts'
import type { Column, Field } from './columns.ts'
import type { Row, Unreadable } from './read-csv.ts'
import type { Remarks } from './remarks.ts'
import { type DateOrder, dateIn, isBlank, splitName, usualLetters, yesOrNo, zoneIn } from './values.ts'

/** One row in the service's words. */
export interface Entry {
  line: number
  client: Client
  /** Null where the row names no case; without a number where the file numbers and names none. */
  matter: Matter | null
}

/** The fields of a client; `meta` also holds what has no field or could not be read. */
export interface Client {
  external_source_id: string
  first_name: string
  last_name: string
  email?: string
  mobile?: string
  gender?: string
  date_of_birth?: string
  date_of_death?: string
  address_line1?: string
  address_line2?: string
  city?: string
  state?: string
  postal_code?: string
  timezone?: string
  voice_calls_opted_out?: true
  sms_opted_out?: true
  email_opted_out?: true
  meta: Record<string, string>
}

/** The fields of a case. */
export interface Matter {
  case_number: string
  type: string
  status: string
  name?: string
  court_name?: string
  jurisdiction?: string
  description?: string
  court_date?: string
  created_date?: string
  end_date?: string
  external_source_data: Record<string, string>
}

export interface Reading {
  columns: Column[]
  /** How the dates of a column are written, by its place. */
  orders: DateOrder[]
  /** A column numbers or names cases. */
  namesCases: boolean
  /** The last year that two digits may stand for. */
  year: number
  remarks: Remarks
}

/** Answers why nothing can be made of the row, or what it says. */
export function readRow(row: Row, reading: Reading): Entry | Unreadable {
  const cells = gather(row, reading.columns)
  const { line } = row
  const { said } = cells
  const whole = splitName(said('full_name') ?? '')
  const first_name = usualLetters(said('first_name') ?? whole.first)
  const last_name = usualLetters(said('last_name') ?? whole.last)
  if (!first_name && !last_name) return { line, reason: 'no name' }
  if (!first_name || !last_name)
    return { line, reason: `no ${first_name ? 'last' : 'first'} name beside “${first_name || last_name}”` }

  const date = (field: Field, meta: Record<string, string>, ahead = 0) => {
    const text = said(field)
    if (text === undefined) return undefined
    const at = cells.place(field)
    const found = dateIn(text, reading.orders[at]!, reading.year + ahead)
    if (found) return found
    meta[reading.columns[at]!.header] = text
    reading.remarks.add(line, `a date under “${reading.columns[at]!.header}” can't be read; it is kept as text`)
  }

  const zone = said('timezone')
  const client: Client = {
    external_source_id: said('id') ?? `line ${line}`,
    first_name,
    last_name,
    email: said('email'),
    // Kept as it is written: what is wrong with it is a reason not to dial, and shown as one.
    mobile: said('mobile'),
    gender: said('gender'),
    date_of_birth: date('date_of_birth', cells.extra),
    date_of_death: date('date_of_death', cells.extra),
    address_line1: said('address_line1'),
    address_line2: said('address_line2'),
    city: said('city'),
    state: said('state'),
    postal_code: said('postal_code'),
    timezone: zone && zoneIn(zone),
    meta: cells.extra,
  }
  readOptOuts(client, cells, line, reading)

  const case_number = said('case_number') ?? said('case_name') ?? ''
  if (!case_number && reading.namesCases) return { line, client, matter: null }
  const data: Record<string, string> = {}
  const handler = said('handled_by')
  if (handler) data[reading.columns[cells.place('handled_by')]!.header] = handler
  const matter: Matter = {
    case_number,
    type: configured('type', said('case_type'), typeOf, ANY_TYPE, data, line, reading),
    status: configured('status', said('case_status'), statusOf, ANY_STATUS, data, line, reading),
    name: said('case_name'),
    court_name: said('court_name'),
    jurisdiction: said('jurisdiction'),
    description: said('description'),
    court_date: date('court_date', data, 30),
    created_date: date('created_date', data),
    end_date: date('end_date', data),
    external_source_data: data,
  }
  return { line, client, matter }
}

interface Cells {
  /** What the row says about a field; undefined where nothing. */
  said(field: Field): string | undefined
  /** The place of the column that says it, or -1. */
  place(field: Field): number
  /** What has no field, by the name of its column. */
  extra: Record<string, string>
}

function gather({ cells }: Row, columns: Column[]): Cells {
  const places = new Map<Field, number>()
  const extra: Record<string, string> = {}
  for (const [place, { field, header }] of columns.entries()) {
    const blank = isBlank(cells[place]!)
    if (blank && !(field === 'mobile' && cells[place])) continue
    // Of several numbers the first that is one counts, and the others are kept.
    const first = field === null ? undefined : places.get(field)
    if (field && (first === undefined || (isBlank(cells[first]!) && !blank))) places.set(field, place)
    else extra[header] = cells[place]!
  }
  const place = (field: Field) => places.get(field) ?? -1
  return { place, said: (field) => cells[place(field)], extra }
}

type Flag = 'voice_calls_opted_out' | 'sms_opted_out' | 'email_opted_out'
const FLAGS: Flag[] = ['voice_calls_opted_out', 'sms_opted_out', 'email_opted_out']

const OPT_OUTS: [Field, Flag[]][] = [
  ['no_calls', ['voice_calls_opted_out']],
  ['no_texts', ['sms_opted_out']],
  ['no_email', ['email_opted_out']],
  ['no_contact', FLAGS],
]

const CONSENTS: [Field, Flag][] = [
  ['calls_allowed', 'voice_calls_opted_out'],
  ['texts_allowed', 'sms_opted_out'],
  ['email_allowed', 'email_opted_out'],
]

/** In doubt a person is left alone. */
function readOptOuts(client: Client, { said, place }: Cells, line: number, reading: Reading): void {
  const { columns, remarks } = reading
  const optOut = (flags: Flag[]) => {
    for (const flag of flags) client[flag] = true
  }
  for (const [field, flags] of OPT_OUTS) {
    const answer = yesOrNo(said(field) ?? '')
    if (answer !== false) optOut(flags)
    if (answer === null)
      remarks.add(line, `“${said(field)}” under “${columns[place(field)]!.header}” is neither yes nor no: taken as yes`)
  }
  for (const [field, flag] of CONSENTS) {
    const column = columns.find((each) => each.field === field)
    if (!column || yesOrNo(said(field) ?? '')) continue
    optOut([flag])
    if (!said(field)) remarks.add(line, `nothing under “${column.header}”: taken as no`)
  }
  const died = said('deceased')
  if (died === undefined || yesOrNo(died) === false || client.date_of_death) return
  const date = dateIn(died, reading.orders[place('deceased')]!, reading.year)
  if (date) client.date_of_death = date
  else {
    optOut(FLAGS)
    remarks.add(line, 'deceased, without a date: neither called nor written to')
  }
}

/** The configured word for a firm's own; its own is kept with the case. */
function configured(
  what: 'type' | 'status',
  said: string | undefined,
  wordFor: (said: string) => string | null,
  otherwise: string,
  data: Record<string, string>,
  line: number,
  { remarks, namesCases }: Reading,
): string {
  const word = wordFor(said ?? '') ?? otherwise
  if (said && said.toLowerCase() !== word) {
    data[`case_${what}`] = said
    remarks.add(line, `case ${what} “${said}” is taken as “${word}”; the firm's own word is kept with the case`)
  } else if (!said && namesCases) remarks.add(line, `no case ${what}: taken as “${word}”`)
  return word
}
