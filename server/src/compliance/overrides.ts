import sql from 'sql-template-tag'
import type { Scope } from '../core/operation.ts'
import type { Override } from './company-rules.ts'

type NewOverride = Omit<Override, 'id'>

/** From the commit on every process judges by it. */
export async function insertOverride(scope: Scope, override: NewOverride): Promise<number> {
  const { db, companyId } = scope
  const { kind, rule, rule_id, purposes, person, reason, effective_from, effective_to } = override
  const { id } = await db.one<{ id: number }>(sql`
    insert into compliance_overrides (company_id, kind, rule, rule_id, purposes, person, reason, effective_from, effective_to)
    values (${companyId}, ${kind}, ${rule && JSON.stringify(rule)}, ${rule_id}, ${purposes}, ${person}, ${reason}, ${effective_from}, ${effective_to})
    returning id`)
  await renewVersion(scope)
  return id
}

/** Answers the override that was ended; undefined where there is none, or none any more. */
export async function endOverride(scope: Scope, id: number): Promise<Override | undefined> {
  const { db, companyId } = scope
  const ended = await db.maybe<Override>(sql`
    update compliance_overrides set ended_at = now()
    where company_id = ${companyId} and id = ${id} and ended_at is null returning *`)
  if (ended) await renewVersion(scope)
  return ended
}

export function selectOverrides({ db, companyId }: Scope): Promise<Override[]> {
  return db.many<Override>(sql`
    select * from compliance_overrides where company_id = ${companyId} and ended_at is null order by id`)
}

async function renewVersion({ db, companyId }: Scope): Promise<void> {
  await db.run(sql`update companies set rules_version = gen_random_uuid() where id = ${companyId}`)
}
