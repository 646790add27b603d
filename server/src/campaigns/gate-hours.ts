import { clockOf, dateOf, type LocalMinute, localMinute } from '../compliance/local-time.ts'
import { isWithin } from '../compliance/openings.ts'
import { type LegalQuery, lawOf, nextLegalOpening, nextOpening, type WindowQuery } from './calling-window.ts'
import { final, type Reason, reason } from './gate-reasons.ts'
import type { Run } from './schedule.ts'

/** Why a campaign that is closed for the contact is closed: its runs, then the law. */
export function hourReasons(query: WindowQuery): Reason[] {
  const { opensAt } = nextOpening(query)
  const { schedule, channel, zones } = query
  const runs = channel === 'call' ? schedule.callingRuns : schedule.runs
  const local = zones.map((zone) => ({ zone, ...localMinute(zone, query.from.getTime()) }))
  const onDay = (run: Run) => (at: LocalMinute) => isOn(run, at.day, channel)
  const inHours = (run: Run) => (at: LocalMinute) => channel !== 'call' || isWithin(run.slots, at.minute)
  const today = runs.filter((run) => local.every(onDay(run)))
  const reasons: Reason[] = []
  if (!opensAt) reasons.push(final('run', noneLeft(query, runs)))
  else if (today.length === 0) {
    const closed = local.find((at) => !runs.some((run) => onDay(run)(at)))
    reasons.push(reason('run', `${timeIn(query, closed?.zone)} is on no day of a run`, opensAt))
  } else if (!today.some((run) => local.every(inHours(run)))) {
    const closed = local.find((at) => !today.some((run) => inHours(run)(at)))
    reasons.push(reason('run_hours', `${timeIn(query, closed?.zone)} is outside of the hours of the run`, opensAt))
  }
  reasons.push(...legalReasons(query))
  // Closed is closed, whatever the reason.
  if (reasons.length === 0) reasons.push(reason('run_hours', 'no run is open in every possible zone', opensAt))
  return reasons
}

export function legalReasons(query: LegalQuery): Reason[] {
  const { open, opensAt } = nextLegalOpening(query)
  if (open) return []
  const law = lawOf(query)
  const closed = query.zones.map((zone) => {
    const { day, minute } = localMinute(zone, query.from.getTime())
    return { zone, by: law.closedBy(day, minute) }
  })
  const first = closed.find(({ by }) => by.length > 0)
  return [
    {
      ...reason('legal_hours', `${timeIn(query, first?.zone)} is outside of the legal hours`, opensAt),
      law: [...new Set(closed.flatMap(({ by }) => by))],
    },
  ]
}

function isOn(run: Run, day: number, channel: WindowQuery['channel']): boolean {
  return channel === 'call' ? run.nextDay(day) === day : day >= run.first && day <= run.last
}

function noneLeft(query: WindowQuery, runs: readonly Run[]): string {
  if (runs.length === 0) return 'no run of the campaign makes calls'
  const { zones } = query
  if (zones.length > 1 && zones.some((zone) => nextOpening({ ...query, zones: [zone] }).opensAt))
    return `the runs leave no hour that is allowed in all ${zones.length} time zones the contact may be in`
  return 'the runs of the campaign leave no hour'
}

/** `2026-03-07 20:15 in America/Chicago (one of 2 possible zones)` */
function timeIn({ from, zones }: LegalQuery, zone = zones[0] as string): string {
  const { day, minute } = localMinute(zone, from.getTime())
  const others = zones.length > 1 ? ` (one of ${zones.length} possible zones)` : ''
  return `${dateOf(day)} ${clockOf(minute)} in ${zone}${others}`
}
