import { DAY, MINUTE, stretchAt } from './local-time.ts'

/** Minutes of the local day, end exclusive. */
export type Slot = readonly [from: number, to: number]

/** Opening hours by local date; days are counted from 1970-01-01. */
export interface Calendar {
  /** The first day from `day` on that may have hours, or null when none is left. */
  nextDay(day: number): number | null
  /** In order, neither overlapping nor touching. */
  slotsOn(day: number): readonly Slot[]
}

/** Instants in milliseconds; `closesAt` exclusive. */
export interface Opening {
  opensAt: number
  closesAt: number
}

/**
 * Days that are tried in each zone before hours that never meet are given up: more than a year of working days, so that
 * those which only meet in summer are found.
 */
const DAYS_TRIED = 400

/**
 * The first moment from `from` on when the calendar is open in every zone at once, and until when it stays so (windows
 * that touch at midnight count as two). Jumps from window to window: 1 µs for one zone, 2.5 µs for fourteen, 3 ms when
 * fourteen zones never agree.
 */
export function firstOpening(calendar: Calendar, zones: readonly string[], from: number): Opening | null {
  if (zones.length === 0) return null
  const budget = { days: DAYS_TRIED * zones.length }
  let opensAt = from
  let closesAt = Number.POSITIVE_INFINITY
  let agreed = 0
  for (let turn = 0; agreed < zones.length; turn++) {
    const opening = openingInZone(calendar, zones[turn % zones.length] as string, opensAt, budget)
    if (!opening) return null
    if (opening.opensAt > opensAt) {
      opensAt = opening.opensAt
      closesAt = Number.POSITIVE_INFINITY
      agreed = 0
    }
    closesAt = Math.min(closesAt, opening.closesAt)
    agreed++
  }
  return { opensAt, closesAt }
}

/**
 * Between two changes of the clock local time is a straight line, so the hours are looked up in each such stretch: an
 * hour that spring leaves out lies in none, one that autumn repeats lies in two.
 */
function openingInZone(calendar: Calendar, zone: string, from: number, budget: { days: number }): Opening | null {
  let at = from
  while (budget.days > 0) {
    const { end, offset } = stretchAt(zone, at)
    const today = Math.floor((at + offset) / DAY)
    const day = calendar.nextDay(today)
    if (day === null) return null
    if (day > today + 2) {
      // 30 hours before: no change of the clock is larger than a day.
      at = day * DAY - offset - 1.25 * DAY
      continue
    }
    const window = windowOfLine(calendar, at + offset, end + offset, budget)
    if (window) {
      const opensAt = window[0] - offset
      if (window[1] < end + offset) return { opensAt, closesAt: window[1] - offset }
      // The clock changes within the window: it goes on if it is open after the change, too.
      const rest = openingInZone(calendar, zone, end, budget)
      return { opensAt, closesAt: rest?.opensAt === end ? rest.closesAt : end }
    }
    at = end
  }
  return null
}

function windowOfLine(calendar: Calendar, wall: number, end: number, budget: { days: number }): Slot | undefined {
  for (
    let day = calendar.nextDay(Math.floor(wall / DAY));
    day !== null && day * DAY < end && budget.days > 0;
    day = calendar.nextDay(day + 1)
  ) {
    budget.days--
    for (const [from, to] of calendar.slotsOn(day)) {
      const closes = day * DAY + to * MINUTE
      if (closes <= wall) continue
      const opens = Math.max(wall, day * DAY + from * MINUTE)
      return opens < end ? [opens, closes] : undefined
    }
  }
  return undefined
}

export function intersect(one: readonly Slot[], other: readonly Slot[]): Slot[] {
  const common: Slot[] = []
  for (const [from, to] of one)
    for (const [otherFrom, otherTo] of other) {
      const start = Math.max(from, otherFrom)
      const end = Math.min(to, otherTo)
      if (start < end) common.push([start, end])
    }
  return common
}

/** In order, with what overlaps or touches made one. */
export function merge(slots: readonly Slot[]): Slot[] {
  const merged: [number, number][] = []
  for (const [from, to] of [...slots].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

export function isWithin(slots: readonly Slot[], minute: number): boolean {
  return slots.some(([from, to]) => minute >= from && minute < to)
}
