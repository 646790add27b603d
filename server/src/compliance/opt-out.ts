import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Change } from '../core/change.ts'
import { entryRows } from '../core/columns.ts'
import type { Scope } from '../core/operation.ts'
import { insertConsents, insertSuppressions, type Permission } from './permissions.ts'

export type Address = Omit<Permission, 'company_id'>

/**
 * Takes numbers and e-mail addresses out of everything: what somebody said or wrote on a line (STOP, unsubscribe) or a
 * list says of it. The suppression holds whoever the contact is, now or later; contacts that have the address are
 * flagged, so that people see it. To be called with the transaction in which it was heard: from its commit on no process
 * claims a call or a message to the address.
 *
 * Answers how many addresses were not suppressed before, and the changes of contacts, for the caller to record.
 */
export async function optOutAddresses(
  { db, companyId, actor }: Scope,
  addresses: Address[],
  origin: string,
): Promise<{ added: number; changes: Change[] }> {
  const permissions = addresses.map((each) => ({ actor: actor?.name, ...each, company_id: companyId }))
  const added = await insertSuppressions(db, permissions, origin)
  // A flag knows no purpose.
  const whole = permissions.filter(({ purpose }) => purpose === 'all')
  return { added, changes: await setFlags({ db, companyId }, whole, true, origin) }
}

/**
 * Records consents and lifts the suppressions that they are later than. A consent to everything, or to all but
 * marketing, also clears the flags of the contacts that have the address.
 */
export async function consentAddresses(
  { db, companyId, actor }: Scope,
  addresses: Address[],
  origin: string,
): Promise<{ added: number; changes: Change[] }> {
  const permissions = addresses.map((each) => ({ actor: actor?.name, ...each, company_id: companyId }))
  const added = await insertConsents(db, permissions, origin)
  await reopenContacts({ db, companyId }, permissions)
  const whole = permissions.filter(({ purpose }) => purpose === 'all' || purpose === 'informational')
  return { added, changes: await setFlags({ db, companyId }, whole, false, origin) }
}

/** The planner looks again at whom their campaigns had settled for want of a permission. */
async function reopenContacts({ db, companyId }: Scope, addresses: Address[]): Promise<void> {
  const [numbers, emails] = [addresses.filter(isNumber), addresses.filter((each) => !isNumber(each))]
  await db.run(sql`
    insert into case_changes (company_id, case_id)
    select distinct l.company_id, l.case_id from clients c
    join case_clients l on l.company_id = c.company_id and l.client_id = c.id
    where c.company_id = ${companyId} and c.deleted_at is null and (c.mobile_e164 = any(${numbers.map(({ address }) => address)})
      or lower(btrim(c.email)) = any(${emails.map(({ address }) => address.trim().toLowerCase())}))`)
}

/** The flag of the channel; numbers have two, e-mail addresses one. */
const FLAGS = [
  ['voice_calls_opted_out', 'call'],
  ['sms_opted_out', 'sms'],
  ['email_opted_out', 'email'],
] as const

type Flags = Record<(typeof FLAGS)[number][0], boolean>

/** Two statements for any number of addresses; those to write are found by the index of numbers, e-mail by one scan. */
async function setFlags(
  { db, companyId }: Scope,
  addresses: Address[],
  to: boolean,
  origin: string,
): Promise<Change[]> {
  const [numbers, emails] = [addresses.filter(isNumber), addresses.filter((each) => !isNumber(each))]
  const changed = [
    ...(numbers.length > 0 ? await db.many<Changed>(update(sql`c.mobile_e164 = a.address`, numbers)) : []),
    ...(emails.length > 0
      ? await db.many<Changed>(update(sql`lower(btrim(c.email)) = lower(btrim(a.address))`, emails))
      : []),
  ]
  return changed.map(({ id, was, now }): Change => {
    const flags = FLAGS.map(([flag]) => flag).filter((flag) => was[flag] !== now[flag])
    return {
      activity: 'client_updated',
      record_type: 'client',
      record_id: id,
      client_id: id,
      changes: Object.fromEntries(flags.map((flag) => [flag, { from: was[flag], to: now[flag] }])),
    }
  })

  function update(match: Sql, entries: Address[]): Sql {
    const set = FLAGS.map(([flag]) => sql`${raw(flag)} = case when w.${raw(flag)} then ${to} else c.${raw(flag)} end`)
    const differs = FLAGS.map(([flag]) => sql`(w.${raw(flag)} and c.${raw(flag)} <> ${to})`)
    const asked = FLAGS.map(
      ([flag, channel]) =>
        sql`bool_or(a.channel in (${channel}, 'all')) and ${(channel === 'email') === (entries === emails)} as ${raw(flag)}`,
    )
    const before = FLAGS.map(([flag]) => sql`c.${raw(flag)} as was_${raw(flag)}`)
    const pairs = (prefix: string) => join(FLAGS.map(([flag]) => sql`${flag}::text, ${raw(prefix + flag)}`))
    return sql`
      with wanted as (
        select c.id, ${join(asked)}, ${join(before)}
        from ${entryRows(entries, { address: 'text', channel: 'text' })} as a
        join clients c on c.company_id = ${companyId} and c.deleted_at is null and ${match}
        group by c.company_id, c.id
      )
      update clients c set ${join(set)}, update_origin = ${origin}, updated_at = now()
      from wanted w
      where c.company_id = ${companyId} and c.id = w.id and (${join(differs, ' or ')})
      returning c.id, json_build_object(${pairs('w.was_')}) as was, json_build_object(${pairs('c.')}) as now`
  }
}

interface Changed {
  id: number
  was: Flags
  now: Flags
}

const isNumber = ({ address }: Address): boolean => address.startsWith('+')
