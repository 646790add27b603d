import sql from 'sql-template-tag'
import type { Database } from '../core/db.ts'
import { type RuleBook, ruleBook, shipped, shippedRules } from './law.ts'
import { dateOf, dayOf } from './local-time.ts'
import { type LegalRule, PURPOSES, type TERMS } from './rule-schema.ts'

/** A row of `compliance_overrides` that has not been ended. */
export interface Override {
  id: number
  kind: 'rule' | 'waiver'
  rule: Pick<LegalRule, 'jurisdiction' | 'channels' | 'purposes' | 'holidays' | (typeof TERMS)[number]> | null
  rule_id: string | null
  purposes: string[] | null
  person: string | null
  reason: string | null
  effective_from: string
  effective_to: string | null
}

/** `rules_version` is read in the same transaction as the facts that are judged: a change holds from its commit on. */
export interface Ruled {
  company_id: number
  rules_version: string | null
}

/** By `rules_version`, which no two companies and no two changes share. */
const books = new Map<string, RuleBook>()

/** The rules of each company; a statement only when one of them changed its rules since this process looked. */
export async function ruleBooks(db: Database, companies: Ruled[]): Promise<(company: Ruled) => RuleBook> {
  const unknown = new Map(
    companies.flatMap((each) =>
      each.rules_version && !books.has(each.rules_version) ? [[each.company_id, each]] : [],
    ),
  )
  if (unknown.size > 0) {
    const rows = await db.many<Override & { company_id: number }>(sql`
      select * from compliance_overrides where company_id = any(${[...unknown.keys()]}) and ended_at is null order by company_id, id`)
    const overrides = Map.groupBy(rows, (row) => row.company_id)
    if (books.size >= 1000) books.clear()
    for (const { company_id, rules_version } of unknown.values())
      books.set(rules_version!, ruleBook(companyRules(shipped, overrides.get(company_id) ?? [])))
  }
  const found = new Map(
    companies.map(({ rules_version }) => [rules_version, rules_version && books.get(rules_version)]),
  )
  return ({ rules_version }) => found.get(rules_version) || shippedRules
}

/** The shipped rules with what a company changed of them. */
export function companyRules(rules: readonly LegalRule[], overrides: Override[]): LegalRule[] {
  const waivers = Map.groupBy(overrides, (each) => each.rule_id)
  return [
    ...rules.flatMap((rule) =>
      (rule.waivable === false ? [] : (waivers.get(rule.id) ?? [])).reduce(
        (left, waiver) => left.flatMap((part) => waived(part, waiver)),
        [rule],
      ),
    ),
    ...overrides.flatMap(({ id, kind, rule, reason, effective_from, effective_to }) =>
      kind === 'rule' && rule
        ? [
            {
              ...rule,
              id: `company-rule-${id}`,
              version: 1,
              source: reason || 'Rule of the firm',
              effective_from,
              effective_to,
            },
          ]
        : [],
    ),
  ]
}

/** What is left of a rule: the days before and after the waiver and, within it, the purposes that it doesn't name. */
function waived(rule: LegalRule, { purposes, effective_from, effective_to }: Override): LegalRule[] {
  const others =
    purposes && (rule.purposes === 'all' ? [...PURPOSES] : rule.purposes).filter((each) => !purposes.includes(each))
  const within = { from: later(rule.effective_from, effective_from), to: earlier(rule.effective_to, effective_to) }
  const parts: LegalRule[] = [
    { ...rule, effective_to: earlier(rule.effective_to, shifted(effective_from, -1)) },
    ...(others?.length ? [{ ...rule, purposes: others, effective_from: within.from, effective_to: within.to }] : []),
    ...(effective_to === null
      ? []
      : [{ ...rule, effective_from: later(rule.effective_from, shifted(effective_to, 1)) }]),
  ]
  return parts.filter((part) => part.effective_to === null || part.effective_from <= part.effective_to)
}

const shifted = (date: string, days: number) => dateOf((dayOf(date) as number) + days)
const later = (one: string, other: string) => (one > other ? one : other)
const earlier = (one: string | null, other: string | null) =>
  one === null || other === null ? (one ?? other) : one < other ? one : other
