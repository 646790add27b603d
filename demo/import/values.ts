/** What people write into cells, as the service wants it. Each answers null where it can't tell. */

const NOTHING = /^(?:|-+|\?+|n\/?a|none|null|nil|unknown|tbd)$/i

export const isBlank = (text: string) => NOTHING.test(text)

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

export type DateOrder = 'month first' | 'day first'

/** Dates of one column are written one way: a number above 12 in the first place shows that days come first. */
export function dateOrder(column: string[]): DateOrder {
  const days = (place: 1 | 2) => column.some((text) => Number(/^(\d{1,2})[/.-](\d{1,2})[/.-]/.exec(text)?.[place]) > 12)
  return days(1) && !days(2) ? 'day first' : 'month first'
}

/**
 * As `YYYY-MM-DD`.
 *
 * @param latest the last year that two digits may stand for
 */
export function dateIn(text: string, order: DateOrder, latest: number): string | null {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:$|[T ])/.exec(text)
  if (iso) return dateOf(iso[1]!, iso[2]!, iso[3]!, latest)
  const numbers = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{2}|\d{4})(?:$| )/.exec(text)
  if (numbers) {
    const [, one, , two, year] = numbers
    return order === 'day first' ? dateOf(year!, two!, one!, latest) : dateOf(year!, one!, two!, latest)
  }
  const worded =
    /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i.exec(text) ??
    /^(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3,9})\.?,?[ -](\d{4})$/i.exec(text)
  if (!worded) return null
  const [month, day] = /^\d/.test(worded[1]!) ? [worded[2]!, worded[1]!] : [worded[1]!, worded[2]!]
  return dateOf(worded[3]!, String(MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1), day, latest)
}

function dateOf(year: string, month: string, day: string, latest: number): string | null {
  const short = Math.floor(latest / 100) * 100 + Number(year)
  const full = year.length === 4 ? Number(year) : short > latest ? short - 100 : short
  const date = `${String(full).padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const parsed = new Date(`${date}T00:00:00Z`)
  return Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== date ? null : date
}

export function yesOrNo(text: string): boolean | null {
  if (/^(?:y|yes|t|true|1|x|✓|✔|checked|on|opted out|do not (?:call|text|contact|e-?mail)|dnc|stop)$/i.test(text))
    return true
  return /^(?:n|no|f|false|0|unchecked|off|ok|okay)$/i.test(text) || isBlank(text) ? false : null
}

/** `Okafor, María` and `María Okafor`; a name of one word has no last name. */
export function splitName(text: string): { first: string; last: string } {
  const comma = /^([^,]+),\s*([^,]+)$/.exec(text)
  if (comma && !/^(?:jr|sr|ii|iii|iv|esq|md|phd)\.?$/i.test(comma[2]!))
    return { first: comma[2]!.trim(), last: comma[1]!.trim() }
  const [first = '', ...rest] = text.split(/\s+/)
  return { first, last: rest.join(' ') }
}

/** `JOSÉ LUIS` → `José Luis`; initials and names in usual letters stay as they are. */
export function usualLetters(name: string): string {
  if (name !== name.toUpperCase() || !/\p{L}{3}/u.test(name)) return name
  return name.toLowerCase().replace(/(?<![\p{L}\p{M}])\p{L}/gu, (letter) => letter.toUpperCase())
}

const ZONES: Record<string, string> = {
  eastern: 'America/New_York',
  est: 'America/New_York',
  edt: 'America/New_York',
  et: 'America/New_York',
  central: 'America/Chicago',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  ct: 'America/Chicago',
  mountain: 'America/Denver',
  mst: 'America/Denver',
  mdt: 'America/Denver',
  mt: 'America/Denver',
  pacific: 'America/Los_Angeles',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  pt: 'America/Los_Angeles',
  alaska: 'America/Anchorage',
  hawaii: 'Pacific/Honolulu',
}

/** `Eastern`, `EST` or `Eastern Time` as an IANA zone; anything else as it is. */
export function zoneIn(text: string): string {
  return ZONES[text.toLowerCase().replace(/\s*(?:standard|daylight)?\s*time\b.*$/, '')] ?? text
}

/** For comparing names: without accents, case, punctuation and doubled blanks. */
export function folded(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
