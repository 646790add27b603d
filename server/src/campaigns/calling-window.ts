import { type Law, type RuleBook, shippedRules } from '../compliance/law.ts'
import { DAY, dayOf, instantOf, isZone, localDay, MINUTE, minuteOf } from '../compliance/local-time.ts'
import { type Calendar, firstOpening, intersect } from '../compliance/openings.ts'
import type { Channel } from '../compliance/rule-schema.ts'
import { candidateZones, type Whereabouts } from '../compliance/time-zones.ts'
import type { Run, Schedule } from './schedule.ts'

export interface LegalQuery {
  from: Date
  /** Every zone that the contact may be in, and every jurisdiction: see `candidateZones`. */
  zones: readonly string[]
  jurisdictions: readonly string[]
  channel: Channel
  /** `case_update` when left out. */
  purpose?: string
  /** The rules shipped with the product when left out. */
  rules?: RuleBook
}

export interface WindowQuery extends LegalQuery {
  schedule: Schedule
}

export interface Window {
  /** Whether `from` itself is allowed. */
  open: boolean
  /** The first allowed moment from `from` on; null when there is none. */
  opensAt: Date | null
  /** From `opensAt` until here, exclusive, every minute is allowed. */
  closesAt: Date | null
  run: Run | null
}

/**
 * The first moment from `from` on that one and the same run and the law allow in every zone. A call needs a run day and
 * the run's hours, an automatic message the days from the run's start to its end. When the runs of a campaign overlap,
 * the first in order counts.
 *
 * Null after the last run, for a schedule or a zone that can't be read, and when the zones never agree.
 *
 * Answers are kept with the schedule: 0.5 µs within a window that was asked about before, else see `firstOpening`.
 */
export function nextOpening(query: WindowQuery): Window {
  const { schedule, zones, channel } = query
  const law = lawOf(query)
  if (schedule.problems.length > 0) return never
  return remembered(schedule, `${channel} ${law.key}`, query, (from) => {
    let first: Known | null = null
    for (const run of channel === 'call' ? schedule.callingRuns : schedule.runs) {
      const opening = firstOpening(hoursOfRun(run, law, channel), zones, from)
      if (opening && (!first || opening.opensAt < (first.opensAt as number))) first = { from, ...opening, run }
    }
    return first
  })
}

/** The first moment from `from` on that the law allows in every zone. */
export function nextLegalOpening(query: LegalQuery): Window {
  const law = lawOf(query)
  return remembered(law, '', query, (from) => {
    const opening = firstOpening(law, query.zones, from)
    return opening && { from, ...opening, run: null }
  })
}

/** The first moment from `from` on at which the campaign may call this contact, as far as hours are concerned. */
export function dueAt(query: {
  schedule: Schedule
  contact: Whereabouts
  from: Date
  purpose?: string
  rules?: RuleBook
}): Date | null {
  const { zones, jurisdictions } = candidateZones(query.contact)
  return nextOpening({ ...query, zones, jurisdictions, channel: 'call' }).opensAt
}

/**
 * When a message for a local date and time goes out: at the first legal moment at which it is that time in every zone
 * that the contact may be in, or, when that would be another day, at the first at which it is that time in one of them.
 * Null for a date or time that is none.
 */
export function messageDueAt(
  query: Omit<LegalQuery, 'from'> & {
    /** YYYY-MM-DD */
    date: string
    /** HH:mm */
    time: string
  },
): Date | null {
  const { zones } = query
  const day = dayOf(query.date)
  const minute = minuteOf(query.time)
  if (day === null || minute === null || zones.length === 0 || !zones.every(isZone)) return null
  const instants = zones.map((zone) => instantOf(zone, day * DAY + minute * MINUTE))
  const opening = (from: number) => nextLegalOpening({ ...query, from: new Date(from) }).opensAt
  const late = opening(Math.max(...instants))
  if (late && zones.every((zone) => localDay(zone, late.getTime()) === day)) return late
  return opening(Math.min(...instants))
}

export function lawOf({
  jurisdictions,
  channel,
  purpose = 'case_update',
  rules = shippedRules,
}: Pick<LegalQuery, 'jurisdictions' | 'channel' | 'purpose' | 'rules'>): Law {
  return rules.lawFor(jurisdictions, channel, purpose)
}

function hoursOfRun(run: Run, law: Law, channel: Channel): Calendar {
  if (channel === 'call') return { nextDay: run.nextDay, slotsOn: (day) => intersect(run.slots, law.slotsOn(day)) }
  return {
    nextDay: (day) => (day > run.last ? null : Math.max(day, run.first)),
    slotsOn: (day) => law.slotsOn(day),
  }
}

/** From `from` on nothing is allowed before `opensAt`, and everything from then to `closesAt`. */
interface Known {
  from: number
  opensAt: number | null
  closesAt: number
  run: Run | null
}

const never: Window = { open: false, opensAt: null, closesAt: null, run: null }
const memos = new WeakMap<Schedule | Law, Map<string, Known[]>>()
const zonesKeys = new WeakMap<readonly string[], string>()
/** Planning asks about one moment, dialling about the next few: a handful of windows answers nearly everything. */
const KEPT = 16
/** Nothing was found for more than a year ahead; whoever asked may have asked about 1980, before there was any law. */
const NOTHING_HOLDS = 30 * DAY

function remembered(
  owner: Schedule | Law,
  prefix: string,
  { from, zones }: LegalQuery,
  find: (from: number) => Known | null,
): Window {
  const at = from.getTime()
  if (Number.isNaN(at)) return never
  let zonesKey = zonesKeys.get(zones)
  if (zonesKey === undefined) {
    zonesKey = zones.join()
    zonesKeys.set(zones, zonesKey)
  }
  const key = `${prefix} ${zonesKey}`
  const memo = memos.get(owner) ?? new Map<string, Known[]>()
  memos.set(owner, memo)
  let windows = memo.get(key)
  if (!windows) {
    if (!zones.every(isZone)) return never
    if (memo.size >= 5000) memo.clear()
    windows = []
    memo.set(key, windows)
  }
  let known = windows.find((each) => at >= each.from && at < each.closesAt)
  if (!known) {
    known = find(at) ?? { from: at, opensAt: null, closesAt: at + NOTHING_HOLDS, run: null }
    if (windows.unshift(known) > KEPT) windows.pop()
  }
  if (known.opensAt === null) return never
  return {
    open: at >= known.opensAt,
    opensAt: new Date(Math.max(at, known.opensAt)),
    closesAt: new Date(known.closesAt),
    run: known.run,
  }
}
