/**
 * `node examples/generate.ts` writes `firm-export.csv`: what a law firm's practice management might export, with all
 * that is wrong with such files. Everything in it is made up, the telephone numbers are the ones reserved for fiction
 * (555-0100 to 555-0199 in each area code), and the same file comes out every time.
 */
import { writeFileSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import { ATTORNEYS, FAMILIES, MEN, OPPONENTS, STREETS, WOMEN } from './names.ts'
import { PLACES, type Place } from './places.ts'
import { type Random, random } from './random.ts'

const HOUSEHOLDS = 500

const COLUMNS = [
  'Contact ID',
  'First Name',
  'Last Name',
  'Email',
  'Cell Phone',
  'Date of Birth',
  'Date of Death',
  'Address',
  'City',
  'State',
  'ZIP',
  'Time Zone',
  'Do Not Call',
  'Do Not Text',
  'Case Number',
  'Case Name',
  'Case Type',
  'Case Status',
  'Court',
  'Jurisdiction',
  'Date Opened',
  'Next Court Date',
  'Attorney',
  'Language',
  'Referred By',
] as const

type Row = Partial<Record<(typeof COLUMNS)[number], string>>

const TYPES = [
  ['personal injury', 46],
  ['civil', 13],
  ['employment', 12],
  ['immigration', 9],
  ['family', 10],
  ['estate', 6],
  ['criminal', 4],
] as const
type CaseType = (typeof TYPES)[number][0]

const STATUSES = [
  ['new', 9],
  ['open', 24],
  ['active', 43],
  ['pending', 14],
  ['settled', 3],
  ['closed', 3],
] as const

/** As people write numbers. */
const FORMATS = [
  (a: number, n: number) => `(${a}) 555-0${n}`,
  (a: number, n: number) => `${a}-555-0${n}`,
  (a: number, n: number) => `${a}.555.0${n}`,
  (a: number, n: number) => `+1 ${a} 555 0${n}`,
  (a: number, n: number) => `${a}5550${n}`,
  (a: number, n: number) => `1-${a}-555-0${n}`,
]

/** What is found where a number should be. */
const NO_NUMBERS = ['555-0142', 'n/a', 'call his wife first', '(212) 555-01', 'see file', '917 555 0188 / 917 555 0190']

export function firmExport(): string {
  const draw = random(20_260_302)
  const numbers = numberBook(draw)
  const rows: Row[] = []
  let contact = 10_400
  let serial = 100

  const newId = () => `C-${++contact}`

  for (let h = 0; h < HOUSEHOLDS; h++) {
    const place = draw.weighted(PLACES.map((each) => [each, each.weight] as const))
    const family = draw.pick(FAMILIES)
    const matter = newCase(draw, place, family, ++serial)
    const home = newHome(draw, place)
    const people = draw.percent(8) ? 2 : draw.percent(1) ? 3 : 1
    const phone = numbers(place)
    for (let p = 0; p < people; p++) {
      const mobile = p === 0 || draw.percent(30) ? phone : numbers(place)
      const last = p > 0 && draw.percent(25) ? draw.pick(FAMILIES) : family
      rows.push({ ...newPerson(draw, newId(), p, last, mobile), ...home, ...matter })
    }
    // The same person with another matter is a row of its own.
    if (people === 1 && draw.percent(2)) {
      rows.push({ ...rows.at(-1)!, ...newCase(draw, place, family, ++serial) })
    }
  }
  return write(spoil(draw, rows, newId))
}

/** Hands out each reserved number once. */
function numberBook(draw: Random): (place: Place) => string {
  const left = new Map<number, number[]>()
  return (place) => {
    const area = draw.pick(place.area_codes)
    const free = left.get(area) ?? draw.shuffled(Array.from({ length: 100 }, (_, n) => 100 + n))
    left.set(area, free)
    return draw.pick(FORMATS)(area, free.pop()!)
  }
}

function newHome(draw: Random, { city, state, zip }: Place): Row {
  const street = `${10 + draw.below(1980)} ${draw.pick(STREETS)} ${draw.pick(['St', 'Ave', 'Rd', 'Blvd', 'Ln'])}`
  const flat = draw.percent(20) ? `, Apt ${1 + draw.below(40)}${draw.pick(['A', 'B', 'C', ''])}` : ''
  return { Address: street + flat, City: city, State: state, ZIP: draw.percent(3) ? '' : zip }
}

function newPerson(draw: Random, id: string, position: number, last: string, phone: string): Row {
  const first = draw.pick((position === 1) !== draw.percent(50) ? WOMEN : MEN)
  const handle = plain(`${first}.${last}`)
  const year = 1938 + draw.below(67)
  return {
    'Contact ID': id,
    'First Name': first,
    'Last Name': last,
    Email: draw.percent(74) ? `${handle}${draw.below(90) + 10}@example.${draw.pick(['com', 'org', 'net'])}` : '',
    'Cell Phone': phone,
    'Date of Birth': `${1 + draw.below(12)}/${1 + draw.below(28)}/${year}`,
    'Do Not Call': draw.percent(2.5) ? 'Yes' : '',
    'Do Not Text': draw.percent(4) ? 'Yes' : '',
    Language: draw.percent(12) ? 'Spanish' : 'English',
    'Referred By': draw.pick(['', '', '', 'Website', 'Former client', 'Bar association', 'Radio']),
  }
}

function newCase(draw: Random, place: Place, family: string, serial: number): Row {
  const type = draw.weighted(TYPES)
  const status = draw.weighted(STATUSES)
  const year = status === 'new' ? 2026 : 2022 + draw.below(4)
  const code = {
    'personal injury': 'PI',
    civil: 'CV',
    employment: 'EM',
    immigration: 'IM',
    family: 'FA',
    estate: 'ES',
    criminal: 'CR',
  }
  const over = status === 'closed' || status === 'settled'
  return {
    'Case Number': `${year}-${code[type]}-${String(serial).padStart(4, '0')}`,
    'Case Name': caseName(draw, type, family, place),
    'Case Type': type,
    'Case Status': status,
    Court: status === 'new' ? '' : place.court,
    Jurisdiction: place.state,
    'Date Opened': `${1 + draw.below(year === 2026 ? 2 : 12)}/${1 + draw.below(28)}/${year}`,
    'Next Court Date': over || draw.percent(45) ? '' : courtDay(draw),
    Attorney: draw.pick(ATTORNEYS),
  }
}

function caseName(draw: Random, type: CaseType, family: string, { state }: Place): string {
  switch (type) {
    case 'family':
      return `In re Marriage of ${family}`
    case 'estate':
      return `Estate of ${family}`
    case 'immigration':
      return `Matter of ${family}`
    case 'criminal':
      return `${state === 'PA' || state === 'MA' || state === 'VA' || state === 'KY' ? 'Commonwealth' : 'State'} v. ${family}`
    default:
      return `${family} v. ${draw.pick(OPPONENTS)}`
  }
}

/** A weekday in the half year after the demo's first day. */
function courtDay(draw: Random): string {
  const day = new Date(Date.UTC(2026, 2, 9 + draw.below(170)))
  const weekend = day.getUTCDay() === 0 ? 1 : day.getUTCDay() === 6 ? 2 : 0
  day.setUTCDate(day.getUTCDate() + weekend)
  return `${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`
}

/** What years of use do to such data. */
function spoil(draw: Random, clean: Row[], newId: () => string): Row[] {
  const rows = clean.map((row) => ({ ...row }))
  const order = draw.shuffled([...rows.keys()])
  const take = (count: number) => order.splice(0, count).map((index) => rows[index]!)

  for (const row of take(13)) row['Cell Phone'] = ''
  for (const row of take(11)) row['Cell Phone'] = draw.pick(NO_NUMBERS)
  for (const row of take(2)) row['Date of Death'] = `${1 + draw.below(12)}/${1 + draw.below(28)}/2025`
  for (const row of take(3)) row.Email = row.Email?.replace(/@.*/, '@') || 'none'
  for (const row of take(4)) Object.assign(row, { Address: '', City: '', State: '', ZIP: '' })
  for (const row of take(3)) row['Time Zone'] = 'America/Los_Angeles'
  for (const row of take(2)) row['Time Zone'] = 'America/New_York'
  for (const [row] of [take(1)])
    Object.assign(row!, { Address: 'PSC 808 Box 12', City: 'APO', State: 'AE', ZIP: '09618' })
  for (const row of take(4)) row['First Name'] = `  ${row['First Name']!.toUpperCase()}`
  for (const row of take(2)) Object.assign(row, emptyCase())

  // Exported twice.
  const doubled = take(7).map((row) => ({ ...row }))
  // Entered a second time by somebody else, under a new id and with less care.
  const again = take(8).map((row) => ({
    ...row,
    'Contact ID': newId(),
    'Last Name': plainName(row['Last Name']!),
    'Cell Phone': rewritten(row['Cell Phone']!),
    Email: '',
    'Date of Birth': '',
  }))
  const nameless: Row = { 'Contact ID': newId(), 'Cell Phone': '(212) 555-0187', Attorney: 'R. Hartwell' }
  const middle = Math.floor(rows.length / 2)
  return [...rows.slice(0, middle), ...doubled, ...rows.slice(middle), ...again, nameless]
}

function emptyCase(): Row {
  const empty: Row = {}
  for (const column of COLUMNS.slice(COLUMNS.indexOf('Case Number'), COLUMNS.indexOf('Attorney'))) empty[column] = ''
  return empty
}

/** Some people type no accents. */
const plainName = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '')

const plain = (name: string) =>
  plainName(name)
    .toLowerCase()
    .replace(/[^a-z.]/g, '')

const rewritten = (phone: string) => phone.replace(/\D/g, '').replace(/^1?(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3')

function write(rows: Row[]): string {
  const lines = stringify(
    rows.map((row) => COLUMNS.map((column) => row[column] ?? '')),
    { header: true, columns: [...COLUMNS] },
  ).split('\n')
  // A comma that the export forgot to put in quotes shifts everything after it.
  const broken = lines.findIndex((line, index) => index > 200 && /"\d+ \w+ \w+, Apt/.test(line))
  lines[broken] = lines[broken]!.replace(/"(\d+ \w+ \w+, Apt[^"]*)"/, '$1')
  lines.splice(412, 0, ','.repeat(COLUMNS.length - 1))
  return lines.join('\n')
}

if (import.meta.main) writeFileSync(new URL('firm-export.csv', import.meta.url), firmExport())
