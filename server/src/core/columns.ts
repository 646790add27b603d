import sql, { raw, type Sql } from 'sql-template-tag'

/** Column name → PostgreSQL type. Names and types come from the program's text, never from a caller. */
export type Columns = Record<string, string>

/** `e.email, e.mobile, …` */
export const columnList = (columns: Columns, alias?: string): Sql =>
  raw(
    Object.keys(columns)
      .map((name) => (alias ? `${alias}.${name}` : name))
      .join(', '),
  )

/** The entries of a JSON array as rows with the given columns and, beside them, `position` (from 1). */
export const entryRows = (entries: unknown[], columns: Columns): Sql => {
  let types = typeLists.get(columns)
  if (!types) {
    types = raw(
      Object.entries(columns)
        .map(([name, type]) => `${name} ${type}`)
        .join(', '),
    )
    typeLists.set(columns, types)
  }
  return sql`rows from (jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as (${types})) with ordinality`
}

const typeLists = new WeakMap<Columns, Sql>()

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
