import Type, { type Static } from 'typebox'
import type { Change } from '../core/change.ts'
import { badRequest, type Detail, notFound, refuseAll } from '../core/errors.ts'
import { Choice, Fields, OptionalDate } from '../core/fields.ts'
import type { Scope } from '../core/operation.ts'
import { checker } from '../core/validate.ts'
import { shipped } from './law.ts'
import { endOverride, insertOverride } from './overrides.ts'
import { brokenRule, CHANNELS, LegalTerms, PURPOSES, TERMS } from './rule-schema.ts'

/** Changes of the rules of one company. Each answers the id of the override and what the audit log has to say of it. */
export interface RuleChange {
  id: number
  change: Change
}

const period = { effective_from: OptionalDate('First day'), effective_to: OptionalDate('Last day') }

/** A rule that a firm adds to the shipped ones. All rules bind at once: it only ever makes things stricter. */
const CompanyRule = Fields({
  jurisdiction: Type.Optional(Type.String({ pattern: '^[A-Z]{2}(-[A-Z0-9]{1,3})?$' })),
  channels: Type.Optional(Type.Array(Choice(CHANNELS, 'A channel'), { minItems: 1 })),
  purposes: Type.Optional(Type.Array(Choice(PURPOSES, 'A purpose'), { minItems: 1 })),
  ...LegalTerms,
  reason: Type.Optional(Type.String()),
  ...period,
})
const companyRule = checker(CompanyRule)

/** @throws {Refusal} with every broken rule of `given`, which comes from outside. */
export async function addRule(scope: Scope, given: unknown, now: Date): Promise<RuleChange> {
  refuseAll(companyRule.check(given))
  const input = given as Static<typeof CompanyRule>
  const { jurisdiction = 'US', channels = [...CHANNELS], reason = null } = input
  const { hours, holidays, attempts, says, recording, revokes } = input
  const purposes = input.purposes ?? ('all' as const)
  const broken = TERMS.some((term) => input[term]) ? brokenRule({ hours, holidays }) : `give one of ${TERMS.join(', ')}`
  const { days, details } = periodOf(input, now)
  refuseAll([...(broken ? [{ field: 'hours', message: broken }] : []), ...details])
  const rule = { jurisdiction, channels, purposes, hours, holidays, attempts, says, recording, revokes }
  const id = await insertOverride(scope, {
    kind: 'rule',
    rule,
    ...{ rule_id: null, purposes: null, person: null, reason },
    ...days,
  })
  return changeOf('legal_rule_added', id, { rule: { from: null, to: { ...rule, reason, ...days } } })
}

export interface Waiver {
  rule_id: string
  /** Who answers for it, and why. */
  person: string
  reason: string
  /** All when left out. */
  purposes?: string[]
  effective_from?: string | null
  effective_to?: string | null
}

/** @throws {Refusal} unless the rule is one that may be left out and somebody answers for it. */
export async function waiveRule(scope: Scope, waiver: Waiver, now: Date): Promise<RuleChange> {
  const { rule_id, purposes = null } = waiver
  const [person, reason] = [waiver.person.trim(), waiver.reason.trim()]
  const rule = shipped.find(({ id }) => id === rule_id) ?? notFound('legal rule', rule_id)
  if (rule.waivable === false) badRequest(`the rule ${rule_id} cannot be waived`)
  const { days, details } = periodOf(waiver, now)
  if (person === '') details.push({ field: 'person', message: 'is required: who answers for it' })
  if (reason === '') details.push({ field: 'reason', message: 'is required' })
  for (const purpose of purposes ?? [])
    if (!(PURPOSES as readonly string[]).includes(purpose))
      details.push({ field: 'purposes', message: `${purpose} is none of ${PURPOSES.join(', ')}` })
  refuseAll(details)
  const row = { rule_id, person, reason, purposes, ...days }
  const id = await insertOverride(scope, { kind: 'waiver', rule: null, ...row })
  return changeOf('legal_rule_waived', id, { waiver: { from: null, to: { ...row, version: rule.version } } })
}

/**
 * Takes an added rule or a waiver back. Without its own rule a firm is laxer than before, so somebody answers for that.
 *
 * @throws {Refusal} also for a change that was ended before.
 */
export async function endRuleChange(
  scope: Scope,
  id: number,
  { person = null, reason = null }: { person?: string | null; reason?: string | null },
): Promise<RuleChange> {
  const ended = (await endOverride(scope, id)) ?? notFound('change of the rules', id)
  if (ended.kind === 'rule')
    refuseAll(
      Object.entries({ person, reason }).flatMap(([field, given]) =>
        given?.trim() ? [] : [{ field, message: 'is required to end a rule of the firm' }],
      ),
    )
  const { kind, rule, rule_id, purposes } = ended
  return changeOf(kind === 'rule' ? 'legal_rule_ended' : 'legal_waiver_ended', id, {
    [kind]: { from: rule ?? { rule_id, purposes }, to: null },
    ...(person && { person: { from: null, to: person } }),
    ...(reason && { reason: { from: null, to: reason } }),
  })
}

const changeOf = (activity: string, id: number, changes: NonNullable<Change['changes']>): RuleChange => ({
  id,
  change: { activity, record_type: 'legal_rule', record_id: id, changes },
})

function periodOf({ effective_from, effective_to }: Partial<Waiver>, now: Date) {
  const days = { effective_from: effective_from ?? now.toISOString().slice(0, 10), effective_to: effective_to ?? null }
  const details: Detail[] = []
  for (const [field, date] of Object.entries(days))
    if (date !== null && (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date))))
      details.push({ field, message: 'must be a date (YYYY-MM-DD)' })
  if (days.effective_to !== null && days.effective_to < days.effective_from)
    details.push({ field: 'effective_to', message: 'must not lie before effective_from' })
  return { days, details }
}
