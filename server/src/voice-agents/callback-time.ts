import { DAY, instantOf, type LocalMinute, localMinute, MINUTE } from '../compliance/local-time.ts'

/*
 * "Call me tomorrow at three" → an instant, on the contact's own clock.
 */

export type CallbackTime =
  | { kind: 'at'; at: Date }
  /** Named, but beyond the horizon. */
  | { kind: 'too_far' }
  /** Named, but in an hour of the night in which nobody may be called. */
  | { kind: 'illegal' }
  | { kind: 'none' }

export const CALLBACK_HORIZON_HOURS = 48
/** Hours of the day, the legal window. */
const EARLIEST = 8
const LATEST = 21

const NUMBERS: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  'forty-five': 45,
  fifty: 50,
  'a couple of': 2,
  'a few': 3,
  'half an': 0.5,
}
const NUMBER = `\\d+|${Object.keys(NUMBERS)
  .sort((a, b) => b.length - a.length)
  .join('|')}`
const IN = new RegExp(
  `\\b(?:in|after|give me)(?: about| another| maybe)? (${NUMBER}) ?(minute|min|hour|day|week|month)s?\\b`,
)
const CLOCK = new RegExp(
  `\\b(?:at|after|around|about|by|past|say|maybe|until|till|it's)? ?(${NUMBER})(?![a-z\\d])(?::(\\d\\d)| (thirty|fifteen|forty-five))?(?: o'?clock)? ?(a\\.?m\\b|p\\.?m\\b|in the (?:morning|afternoon|evening)|at night)?`,
  'g',
)
const PARTS: [RegExp, number][] = [
  [/\bnoon\b|\blunch ?time\b|\bmidday\b/, 12],
  [/\bmorning\b/, 10],
  [/\bafternoon\b/, 14],
  [/\bafter work\b/, 18],
  [/\bevening\b|\btonight\b|\bafter dinner\b/, 18],
]
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** `zone`: the likeliest IANA zone of the contact. */
export function callbackTime(text: string, now: Date, zone: string): CallbackTime {
  const said = text.toLowerCase().replaceAll('’', "'")
  const from = IN.exec(said)
  if (from) {
    const minutes =
      amount(from[1]!) * ({ minute: 1, min: 1, hour: 60, day: 1440, week: 10_080, month: 43_200 }[from[2]!] ?? 1)
    return judged(new Date(now.getTime() + minutes * MINUTE), now, zone)
  }
  const today = localMinute(zone, now.getTime())
  const day = dayIn(said, today)
  if (day !== null && day > 7) return { kind: 'too_far' }
  const time = timeIn(said)
  if (day === null && time === null) return { kind: 'none' }
  const wanted = (days: number, minutes: number) =>
    new Date(instantOf(zone, (today.day + days) * DAY + minutes * MINUTE))
  // A day alone means about the same time of that day.
  const minutes = time?.minutes ?? clamp(today.minute, (EARLIEST + 1) * 60, (LATEST - 2) * 60)
  let at = wanted(day ?? 0, minutes)
  // "At three" said at four, or "in the morning" said at noon, is tomorrow's.
  if (day === null && at <= now)
    at =
      time?.open && minutes + 720 < LATEST * 60 && wanted(0, minutes + 720) > now
        ? wanted(0, minutes + 720)
        : wanted(1, minutes)
  if (at <= now) return { kind: 'none' }
  return judged(at, now, zone)
}

function judged(at: Date, now: Date, zone: string): CallbackTime {
  if (at.getTime() - now.getTime() > CALLBACK_HORIZON_HOURS * 3_600_000) return { kind: 'too_far' }
  const hour = localMinute(zone, at.getTime()).minute / 60
  return hour >= EARLIEST && hour < LATEST ? { kind: 'at', at } : { kind: 'illegal' }
}

/** "tomorrow at 3:00 PM", as it is said to the contact. */
export function spokenTime(at: Date, now: Date, zone: string): string {
  const there = localMinute(zone, at.getTime())
  const days = there.day - localMinute(zone, now.getTime()).day
  const day = days === 0 ? 'today' : days === 1 ? 'tomorrow' : `on ${capital(DAYS[weekday(there.day)]!)}`
  const hour = Math.floor(there.minute / 60)
  const minutes = there.minute % 60 === 0 ? '' : `:${String(there.minute % 60).padStart(2, '0')}`
  return `${day} at ${hour % 12 || 12}${minutes} ${hour < 12 ? 'AM' : 'PM'}`
}

/** 1970-01-01 was a Thursday. */
const weekday = (date: number) => (date + 4) % 7
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const amount = (text: string) => NUMBERS[text] ?? Number(text)
const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high)

/** Days from today; 99 for what is plainly further off than any horizon; null where no day is named. */
function dayIn(said: string, today: LocalMinute): number | null {
  if (/\b(?:next (?:week|month|year)|in a (?:week|month)|after the (?:holidays?|weekend|trial))\b/.test(said)) return 99
  if (/\bday after tomorrow\b/.test(said)) return 2
  if (/\btomorrow\b/.test(said)) return 1
  if (/\b(?:today|tonight|this (?:morning|afternoon|evening)|later on)\b/.test(said)) return 0
  const named = DAYS.findIndex((day) => new RegExp(`\\b${day}\\b`).test(said))
  if (named < 0) return null
  const ahead = (named - weekday(today.day) + 7) % 7
  return ahead === 0 || new RegExp(`\\bnext ${DAYS[named]}\\b`).test(said) ? ahead + 7 : ahead
}

/** Minutes of the day; `open` where "three" was said without saying which. */
function timeIn(said: string): { minutes: number; open: boolean } | null {
  for (const match of said.matchAll(CLOCK)) {
    const [whole, hours, colon, spoken, half] = match
    const explicit = colon !== undefined || spoken !== undefined || half !== undefined || /o'?clock/.test(whole)
    // Bare numbers count only after a preposition: "at three", but not "a" in "call me a bit later".
    if (!explicit && !/^(?:at|after|around|about|by|past|say|until|till|it's) /.test(whole.trim())) continue
    if (!explicit && /^(?:an?|a few|a couple of|half an)$/.test(hours!)) continue
    const hour = amount(hours!)
    const minute = colon ? Number(colon) : spoken ? NUMBERS[spoken]! : 0
    if (!Number.isInteger(hour) || hour < 0 || hour > 23 || minute > 59) continue
    if (hour > 12 || hour === 0) return { minutes: hour * 60 + minute, open: false }
    const evening = half ? /^p|afternoon|evening|night/.test(half) : /\b(?:afternoon|evening|tonight)\b/.test(said)
    const morning = half ? /^a\.?m|morning/.test(half) : /\bmorning\b/.test(said)
    if (morning || evening)
      return { minutes: ((hour % 12) + (evening && !morning ? 12 : 0)) * 60 + minute, open: false }
    // Nobody is called at three in the morning: 1 to 7 are afternoon, 8 to 12 are before or at noon.
    return { minutes: (hour < EARLIEST ? hour + 12 : hour) * 60 + minute, open: hour >= EARLIEST }
  }
  const part = PARTS.find(([pattern]) => pattern.test(said))
  return part ? { minutes: part[1] * 60, open: false } : null
}
