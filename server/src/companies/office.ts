import sql from 'sql-template-tag'
import { slotRules } from '../campaigns/hours.ts'
import { isZone } from '../compliance/local-time.ts'
import { type Change, changedFields } from '../core/change.ts'
import { type Detail, refuseAll } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'

/** What agents must know of a firm's office to make appointments. */
export interface Office {
  /** Monday to Friday; null: not said. */
  business_hours: { start_time: string; end_time: string }[] | null
  /** IANA; the clock of `business_hours`. Null: each contact's. */
  timezone: string | null
  /** How many appointments may be at the same time. */
  appointments_at_once: number
}

const columns = sql`business_hours, timezone, appointments_at_once`

export const selectOffice = ({ db, companyId }: Scope): Promise<Office> =>
  db.one<Office>(sql`select ${columns} from companies where id = ${companyId} for no key update`)

/** @throws {Refusal} with every broken rule. */
export async function updateOffice(
  scope: Scope,
  given: Partial<Office>,
): Promise<{ office: Office; change: Change | null }> {
  const before = await selectOffice(scope)
  const { business_hours, timezone, appointments_at_once } = { ...before, ...given }
  const slots = business_hours ?? []
  const unreadable = slots.findIndex((slot) => !Object.values(slot).every((time) => /^\d\d:\d\d$/.test(time)))
  const broken: Detail[] =
    unreadable >= 0
      ? [{ field: `business_hours[${unreadable}]`, message: 'must be written as 09:00-17:00' }]
      : slotRules('business_hours', slots)
  if (timezone !== null && !isZone(timezone)) broken.push({ field: 'timezone', message: `${timezone} is no time zone` })
  if (!Number.isInteger(appointments_at_once) || appointments_at_once < 1 || appointments_at_once > 1000)
    broken.push({ field: 'appointments_at_once', message: 'must be a number from 1 to 1000' })
  refuseAll(broken)
  const { db, companyId } = scope
  const office = await db.one<Office>(sql`
    update companies set business_hours = ${business_hours && JSON.stringify(business_hours)}::jsonb, timezone = ${timezone},
      appointments_at_once = ${appointments_at_once}
    where id = ${companyId} returning ${columns}`)
  const changes = changedFields(before, office)
  const change = { activity: 'company_updated', record_type: 'company', record_id: companyId, changes }
  return { office, change: changes ? change : null }
}
