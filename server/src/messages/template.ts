import sql, { join, raw } from 'sql-template-tag'
import type { Case } from '../cases/schema.ts'
import type { Client } from '../clients/schema.ts'
import type { Detail } from '../core/errors.ts'
import type { Scope } from '../core/operation.ts'
import { nearest } from '../core/validate.ts'

/**
 * The variables of messages: every field of a client and a case that holds a single value, by the name the API gives
 * it. A message is addressed to the client, so where both have a field of one name (`id`, `external_source`, …) the
 * client's is meant.
 */
const CLIENT = [
  'id',
  'external_source',
  'external_source_id',
  'first_name',
  'last_name',
  'email',
  'mobile',
  'gender',
  'date_of_birth',
  'date_of_death',
  'city',
  'state',
  'postal_code',
  'address_line1',
  'address_line2',
  'timezone',
  'voice_calls_opted_out',
  'sms_opted_out',
  'email_opted_out',
  'origin',
  'update_origin',
] as const satisfies (keyof Client)[]

const CASE = [
  'case_number',
  'name',
  'court_name',
  'jurisdiction',
  'description',
  'is_obo',
  'created_date',
  'court_date',
  'end_date',
  'opt_out_voice_calls',
] as const satisfies (keyof Case)[]

export const VARIABLES: readonly string[] = [
  ...CLIENT,
  ...CASE,
  'status',
  'type',
  'case_name',
  'company_name',
  'agent_name',
]

const KNOWN = new Set(VARIABLES)
const VARIABLE = /\{\{([^{}]*)\}\}/g
const META = /^meta\.(.*\S.*)$/s

/** What the variables stand for in one message. */
export type TemplateValues = Record<string, unknown> & { meta: Record<string, unknown> | null }

/** Each name in double braces that is no variable, once. */
export function findUnknownVariables(text: string): string[] {
  const names = [...text.matchAll(VARIABLE)].map(([, inside]) => inside!.trim())
  return [...new Set(names)].filter((name) => !KNOWN.has(name) && !META.test(name))
}

/** What is wrong with a template before it is saved or sent. */
export function brokenTemplate(field: string, text: string): Detail[] {
  const details = findUnknownVariables(text).map((name) => {
    const near = nearest(name, [...VARIABLES, 'meta.KEY'])
    return { field, message: `unknown template variable '${name}'${near ? `; did you mean '${near}'?` : ''}` }
  })
  // Nobody writes {{ to a person: sent as it stands, a forgotten brace would reach the whole list.
  if (text.replace(VARIABLE, '').includes('{{')) details.push({ field, message: 'has {{ without a matching }}' })
  return details
}

/** Values go in as plain text: braces inside them mean nothing. An empty or missing value becomes an empty string. */
export function render(text: string, values: TemplateValues): string {
  return text.replace(VARIABLE, (_, inside: string) => {
    const name = inside.trim()
    const [, key] = META.exec(name) ?? []
    if (key === undefined) return KNOWN.has(name) ? asText(values[name]) : ''
    return values.meta && Object.hasOwn(values.meta, key) ? asText(values.meta[key]) : ''
  })
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Who a message goes to and what it is about. */
export interface Occasion {
  client_id: number
  case_id: number
  agent_name?: string | null
}

/** The values for many messages at once, in their order; undefined where the client or the case is gone. */
export async function selectTemplateValues(
  { db, companyId }: Scope,
  occasions: Occasion[],
): Promise<(TemplateValues | undefined)[]> {
  const rows = await db.many<TemplateValues & { position: number }>(sql`
    select o.position::int, ${columns('c', CLIENT)}, c.meta, ${columns('k', CASE)}, s.name as status, t.name as type,
      k.name as case_name, f.name as company_name
    from unnest(${occasions.map(({ client_id }) => client_id)}::bigint[], ${occasions.map(({ case_id }) => case_id)}::bigint[])
      with ordinality as o (client_id, case_id, position)
    join companies f on f.id = ${companyId}
    join clients c on c.company_id = ${companyId} and c.id = o.client_id and c.deleted_at is null
    join cases k on k.company_id = ${companyId} and k.id = o.case_id and k.deleted_at is null
    join case_statuses s on s.company_id = ${companyId} and s.id = k.status_id
    join case_types t on t.company_id = ${companyId} and t.id = k.type_id`)
  const found = new Map(rows.map(({ position, ...values }) => [position, values as TemplateValues]))
  return occasions.map(({ agent_name = null }, index) => {
    const values = found.get(index + 1)
    return values && { ...values, agent_name }
  })
}

const columns = (alias: string, names: readonly string[]) => join(names.map((name) => raw(`${alias}.${name}`)))
