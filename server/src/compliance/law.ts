import { fallsOn, weekdayOf } from './holidays.ts'
import { dayOf, minuteOf } from './local-time.ts'
import { type Calendar, intersect, isWithin, merge, type Slot } from './openings.ts'
import { type Channel, type Holiday, type LegalRule, readRules, type Saying, WEEKDAYS } from './rule-schema.ts'

/** What binds for one contact, channel and purpose: all rules of their jurisdictions at once. */
export interface Law extends Calendar {
  /** No other law has it. */
  readonly key: number
  /** `us-federal-hours@1`, for the record of a decision: the rules that may refuse. */
  readonly versions: readonly string[]
  /** The rules in force that forbid a minute of a local day. */
  closedBy(day: number, minute: number): string[]
  /** Whether `attemptLimits` may ever say something. */
  readonly counts: boolean
  /** How often a person may be contacted, by rules in force on a local day. */
  attemptLimits(day: number): { version: string; max: number; hours: number; by?: 'others' }[]
  /** What the first words of a call must say. */
  says(day: number): { version: string; says: Saying[] }[]
  /** The rules under which nobody is recorded who does not agree. */
  recordingConsent(day: number): string[]
  /** What an opt-out of the channel takes with it. */
  revokes(day: number): Channel[]
}

export interface RuleBook {
  /** 0.1 µs for jurisdictions (the very array) that were asked about before. */
  lawFor(jurisdictions: readonly string[], channel: Channel, purpose: string): Law
}

export function ruleBook(rules: readonly LegalRule[]): RuleBook {
  const laws = new Map<string, Law>()
  const known = new WeakMap<readonly string[], Map<string, Law>>()
  const find = (jurisdictions: readonly string[], channel: Channel, purpose: string) => {
    const binding = rules.filter(
      (rule) =>
        jurisdictions.includes(rule.jurisdiction) &&
        rule.channels.includes(channel) &&
        (rule.purposes === 'all' || rule.purposes.includes(purpose)),
    )
    // By place: the parts of a rule that a company waived for some days share their version.
    const key = binding.map((rule) => rules.indexOf(rule)).join(' ')
    const law = laws.get(key) ?? lawOf(binding)
    laws.set(key, law)
    return law
  }
  return {
    lawFor(jurisdictions, channel, purpose) {
      const byUse = known.get(jurisdictions) ?? new Map<string, Law>()
      known.set(jurisdictions, byUse)
      const use = `${channel} ${purpose}`
      const law = byUse.get(use) ?? find(jurisdictions, channel, purpose)
      byUse.set(use, law)
      return law
    },
  }
}

const EVERYWHERE = ['US']

/** Days on which the firm calls nobody, wherever they are: holidays that it keeps, and days that it added. */
export const quietDays =
  (rules: RuleBook) =>
  (day: number): boolean =>
    rules.lawFor(EVERYWHERE, 'call', 'appointment').slotsOn(day).length === 0

export const shipped: readonly LegalRule[] = readRules(new URL('rules/', import.meta.url))
export const shippedRules = ruleBook(shipped)

const versionOf = (rule: LegalRule) => `${rule.id}@${rule.version}`

interface Binding {
  rule: LegalRule
  version: string
  from: number
  to: number
  attempts: NonNullable<LegalRule['attempts']>
  /** Null for a rule that says nothing about hours. */
  slotsOn: ((day: number) => readonly Slot[]) | null
}

let lawsMade = 0

function lawOf(rules: readonly LegalRule[]): Law {
  const bindings = rules.map(bindingOf)
  const inForce = (day: number) => bindings.filter(({ from, to }) => day >= from && day <= to)
  const slots = new Map<number, readonly Slot[]>()
  return {
    key: lawsMade++,
    versions: [
      ...new Set(bindings.flatMap(({ version, slotsOn, attempts }) => (slotsOn || attempts.length > 0 ? version : []))),
    ],
    counts: bindings.some(({ attempts }) => attempts.length > 0),
    nextDay: (day) => day,
    slotsOn(day) {
      let open = slots.get(day)
      if (!open) {
        const hours = inForce(day).flatMap(({ slotsOn }) => (slotsOn ? [slotsOn(day)] : []))
        // A day for which no rule sets hours is closed: something is missing, and silence is no permission.
        open = hours.length ? hours.reduce((common, each) => intersect(common, each)) : []
        if (slots.size > 5000) slots.clear()
        slots.set(day, open)
      }
      return open
    },
    closedBy: (day, minute) =>
      inForce(day)
        .filter(({ slotsOn }) => slotsOn && !isWithin(slotsOn(day), minute))
        .map(({ version }) => version),
    attemptLimits: (day) =>
      inForce(day).flatMap(({ version, attempts }) => attempts.map((limit) => ({ version, ...limit }))),
    says: (day) => inForce(day).flatMap(({ version, rule: { says } }) => (says ? { version, says } : [])),
    recordingConsent: (day) => inForce(day).flatMap(({ version, rule }) => (rule.recording ? version : [])),
    revokes: (day) => [...new Set(inForce(day).flatMap(({ rule }) => rule.revokes ?? []))],
  }
}

function bindingOf(rule: LegalRule): Binding {
  const from = dayOf(rule.effective_from)
  const to = rule.effective_to === null ? Number.POSITIVE_INFINITY : dayOf(rule.effective_to)
  if (from === null || to === null) throw new Error(`rule ${rule.id}: no such date`)
  return {
    rule,
    version: versionOf(rule),
    from,
    to,
    attempts: rule.attempts ?? [],
    slotsOn: rule.hours ? hoursOf(rule.hours, rule.holidays) : null,
  }
}

function hoursOf(hours: NonNullable<LegalRule['hours']>, holidays: Holiday[] = []): (day: number) => readonly Slot[] {
  const usual = slotsOf(hours.default)
  const week = WEEKDAYS.map((weekday) => (hours[weekday] ? slotsOf(hours[weekday]) : usual))
  const festive = hours.holiday && slotsOf(hours.holiday)
  return (day) => {
    if (festive && holidays.some((holiday) => fallsOn(holiday, day))) return festive
    return week[weekdayOf(day)] as Slot[]
  }
}

function slotsOf(times: [string, string][]): Slot[] {
  return merge(times.map(([from, to]) => [minuteOf(from) as number, minuteOf(to) as number]))
}
