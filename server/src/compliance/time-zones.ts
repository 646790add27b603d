import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/min'
import { isZone, wallTime } from './local-time.ts'
import { anywhere, type Place, placeByName, type Spot, spotByAreaCode, spotByZip, union } from './places.ts'

/** What is known about where a contact lives: columns of `clients`. */
export interface Whereabouts {
  timezone: string | null
  state: string | null
  postal_code: string | null
  mobile_e164: string | null
}

/** `country`: the calling code of a number outside North America; `unknown`: anywhere in the United States. */
export type ZoneSource = 'stated' | 'address' | 'area_code' | 'country' | 'unknown'

export interface ZoneCandidates {
  /** The contact lives in one of these. Empty when nobody can tell (military mail): then nothing may be allowed. */
  readonly zones: readonly string[]
  readonly source: ZoneSource
  /**
   * Where the contact may be, by address and by area code, for "the strictest of": ISO 3166-2 (`US-FL`), `US` always
   * among them, because it is where the firm acts from. Every state of the US when neither is known; every state whose
   * clocks go as stated, too, where they go so in none of these.
   */
  readonly jurisdictions: readonly string[]
}

/**
 * The zones a contact may be in: stated, else by address, else by the number's area code or country, else every zone
 * of the United States. What can't be understood is passed over, and whatever leaves a doubt adds zones, never takes
 * them away.
 *
 * 0.3 µs when a contact of the same ZIP code and area code was asked about before, else about 7 µs.
 */
export function candidateZones(contact: Whereabouts): ZoneCandidates {
  const timezone = text(contact.timezone)
  const state = text(contact.state)
  const postalCode = text(contact.postal_code)
  // +1 and the area code, or the country's calling code and a bit more.
  const number = text(contact.mobile_e164).slice(0, 5)
  const key = `${timezone}|${state}|${postalCode}|${number}`
  let found = known.get(key)
  if (!found) {
    found = shared(resolve(timezone, state, postalCode, number))
    if (known.size >= 100_000) known.clear()
    known.set(key, found)
  }
  return found
}

const known = new Map<string, ZoneCandidates>()
const distinct = new Map<string, ZoneCandidates>()

/** Contacts with the same answer share it, so that what is worked out for an answer can be kept beside it. */
function shared(candidates: ZoneCandidates): ZoneCandidates {
  const key = JSON.stringify(candidates)
  const first = distinct.get(key)
  if (first) return first
  if (distinct.size >= 100_000) distinct.clear()
  distinct.set(key, candidates)
  return candidates
}

function resolve(timezone: string, state: string, postalCode: string, number: string): ZoneCandidates {
  const address = spotByAddress(state, postalCode, number)
  const line = spotByNumber(number)
  const stated = isZone(timezone) ? withDaylightSaving(timezone) : null
  const known = union([address?.places ?? [], line?.places ?? []])
  const moved = stated && !known.some((place) => keepsTime(place, stated))
  const places = known.length === 0 ? anywhere.places : moved ? [...known, ...placesKeeping(stated)] : known
  const jurisdictions = union([['US'], places.map(({ code }) => code)])
  const candidates = (zones: readonly string[], source: ZoneSource) => ({ zones, source, jurisdictions })
  if (stated) return candidates(stated, 'stated')
  if (address) return candidates(address.zones, 'address')
  if (line) return candidates(line.zones, isNorthAmerican(number) ? 'area_code' : 'country')
  return candidates(anywhere.zones, 'unknown')
}

const WINTER = Date.UTC(2026, 0, 15)
const SUMMER = Date.UTC(2026, 6, 15)

/** Detroit and New York are two zones with the same clocks. */
const sameClocks = (one: string, other: string): boolean =>
  [WINTER, SUMMER].every((at) => wallTime(one, at) === wallTime(other, at))

const keepsTime = (place: Place, zones: readonly string[]): boolean =>
  place.zones.some((zone) => zones.some((each) => sameClocks(zone, each)))

const placesKeeping = (zones: readonly string[]): readonly Place[] =>
  anywhere.places.filter((place) => keepsTime(place, zones))

/** Names for a fixed offset: whoever writes EST most likely means the zone that has daylight saving time. */
const abbreviations: Record<string, string> = { EST: 'America/New_York', MST: 'America/Denver' }

function withDaylightSaving(timezone: string): string[] {
  const likely = abbreviations[timezone.toUpperCase()]
  return likely ? [timezone, likely] : [timezone]
}

function spotByAddress(state: string, postalCode: string, number: string): Spot | undefined {
  const abroad = number !== '' && !isNorthAmerican(number)
  const place = state ? placeByName(state) : undefined
  const zip = zipOf(postalCode)
  // Without the United States in sight, few digits are a postal code of somewhere else.
  const spot = zip && (postalCode.length >= 5 || !abroad) ? spotByZip(zip) : undefined
  if (place && spot?.places.includes(place)) return spot
  // WA may be Washington or Western Australia.
  if (place) return both(both(spotOf(place), spot), abroad ? spotByNumber(number) : undefined)
  // Berlin and Jalisco have postal codes of five digits too; three digits are a ZIP code only beside their state.
  if (!spot || abroad || postalCode.length < 4) return undefined
  return state ? both(spot, spotByNumber(number)) : spot
}

const spotOf = (place: Place): Spot => ({ places: [place], zones: place.zones })

/** The one or the other, nobody knows which. */
function both(one: Spot, other: Spot | undefined): Spot {
  if (!other) return one
  const unknowable = one.zones.length === 0 || other.zones.length === 0
  return {
    places: union([one.places, other.places]),
    zones: unknowable ? [] : union([one.zones, other.zones]),
  }
}

/** Five digits of a ZIP or ZIP+4 code, also where a spreadsheet has eaten the zeros in front. */
function zipOf(postalCode: string): string | undefined {
  const [, zip, short, long] = /^(?:(\d{3,5})(?:[- ]\d{4})?|(\d{8})|(\d{9}))$/.exec(postalCode) ?? []
  return (long ?? short?.padStart(9, '0') ?? zip?.padStart(5, '0'))?.slice(0, 5)
}

const isNorthAmerican = (number: string) => number.startsWith('+1')

function spotByNumber(number: string): Spot | undefined {
  if (isNorthAmerican(number)) return spotByAreaCode(number.slice(2))
  // Calling codes are prefix-free: at most one of the three is one.
  return (
    byCallingCode.get(number.slice(0, 2)) ??
    byCallingCode.get(number.slice(0, 3)) ??
    byCallingCode.get(number.slice(0, 4))
  )
}

/** All countries that share a calling code, with the zones that CLDR gives them. */
const byCallingCode = new Map<string, Spot>()
for (const country of getCountries()) {
  const code = `+${getCountryCallingCode(country)}`
  const spot = spotOf({ code: country, zones: zonesOf(country) })
  if (code !== '+1' && spot.zones.length) byCallingCode.set(code, both(spot, byCallingCode.get(code)))
}

function zonesOf(country: CountryCode): string[] {
  // TypeScript doesn't know the method yet.
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones(): string[] | undefined }
  return locale.getTimeZones() ?? []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
