import sql, { join, raw, type Sql } from 'sql-template-tag'

/** Column name → PostgreSQL type. Names and types come from the program's text, never from a caller. */
export type Columns = Record<string, string>

/** `e.email, e.mobile, …` */
export const columnList = (columns: Columns, alias?: string): Sql =>
  join(Object.keys(columns).map((name) => raw(alias ? `${alias}.${name}` : name)))

/** The entries of a JSON array as rows with the given columns and, beside them, `position` (from 1). */
export const entryRows = (entries: unknown[], columns: Columns): Sql => {
  const types = raw(
    Object.entries(columns)
      .map(([name, type]) => `${name} ${type}`)
      .join(', '),
  )
  return sql`rows from (jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as (${types})) with ordinality`
}

/** `email = case when e.entry ? 'email' then (e.entry ->> 'email')::text else t.email end, …`: what is left out stays. */
export const assignGiven = (columns: Columns, table: string, entry: string): Sql =>
  raw(
    Object.entries(columns)
      .map(([name, type]) => {
        const value = type === 'jsonb' ? `nullif(${entry} -> '${name}', 'null')` : `(${entry} ->> '${name}')::${type}`
        return `${name} = case when ${entry} ? '${name}' then ${value} else ${table}.${name} end`
      })
      .join(', '),
  )
