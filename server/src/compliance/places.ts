import places from './places.json' with { type: 'json' }

/**
 * States, territories and provinces with the time zones, postal prefixes and area codes that lie in them.
 *
 * `places.json` lists the parts of each place. A part with several zones is one where the prefix or the area code
 * doesn't settle which. `postal` holds ZIP prefixes of 3 to 5 digits and ranges of them, of which the longest that fits
 * decides. `unofficial` parts keep another time than the law says (Phenix City, Jackpot, Kenton, Hyder): they count
 * only when the ZIP code leads there. Sources: 49 CFR 71 for the zone boundaries, the USPS prefix matrix, NANPA.
 */
export interface Place {
  /** ISO 3166-2, or ISO 3166-1 for a country without subdivisions here: `US-TX`, `CA-ON`, `JM`. */
  readonly code: string
  /** Every zone that is possible when no more than the place is known. Empty for military mail, which goes anywhere. */
  readonly zones: readonly string[]
}

export interface Spot {
  readonly places: readonly Place[]
  readonly zones: readonly string[]
}

interface Part {
  zones: string[]
  postal?: string
  area_codes?: string
  unofficial?: boolean
}

const byName = new Map<string, Place>()
const byPostal = new Map<string, Spot>()
const byAreaCode = new Map<string, Spot>()
const unitedStates: Place[] = []

for (const { code, name, aliases = [], parts } of places as {
  code: string
  name?: string
  aliases?: string[]
  parts: Part[]
}[]) {
  const zones = union(parts.filter((part) => !part.unofficial).map((part) => part.zones))
  const place: Place = { code, zones }
  // Countries of the Caribbean have no name here: KY in an address is Kentucky, not the Cayman Islands.
  if (name) for (const spelling of [name, ...aliases, code.slice(-2)]) byName.set(letters(spelling), place)
  if (code.startsWith('US-')) unitedStates.push(place)
  for (const part of parts) {
    for (const prefix of prefixes(part.postal)) byPostal.set(prefix, { places: [place], zones: part.zones })
    for (const areaCode of part.area_codes?.split(' ') ?? []) {
      // Some area codes serve several provinces, whose zones then all count.
      const shared = byAreaCode.get(areaCode)
      byAreaCode.set(areaCode, {
        places: [...(shared?.places ?? []), place],
        zones: union([shared?.zones ?? [], part.zones]),
      })
    }
  }
}

/**
 * Where a person of the United States may be of whom nothing is known. The territories beyond the date line and
 * American Samoa are left out: everybody there has an area code of their own, and with them the hours that are legal
 * everywhere would shrink from seven a day to three.
 */
const farAway = new Set(['US-GU', 'US-MP', 'US-AS'])
export const anywhere: Spot = {
  places: unitedStates,
  zones: union(unitedStates.filter(({ code }) => !farAway.has(code)).map((place) => place.zones)),
}

/** By name or two-letter code, in any case, with any blanks, dots and accents. */
export function placeByName(text: string): Place | undefined {
  return byName.get(letters(text))
}

/** By a ZIP code of five digits. */
export function spotByZip(zip: string): Spot | undefined {
  return byPostal.get(zip) ?? byPostal.get(zip.slice(0, 4)) ?? byPostal.get(zip.slice(0, 3))
}

/** By the three digits after +1; undefined for toll-free, personal and unassigned codes. */
export function spotByAreaCode(areaCode: string): Spot | undefined {
  return byAreaCode.get(areaCode)
}

export function union<T>(lists: readonly (readonly T[])[]): T[] {
  return [...new Set(lists.flat())]
}

function letters(text: string): string {
  return text
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '')
}

/** `"006-007 96931"` → 006, 007, 96931 */
function prefixes(list = ''): string[] {
  return list.split(' ').flatMap((range) => {
    const [from = '', to = from] = range.split('-')
    const length = from.length
    if (!length) return []
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, step) =>
      String(Number(from) + step).padStart(length, '0'),
    )
  })
}
