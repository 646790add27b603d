import sql, { type Sql } from 'sql-template-tag'
import Type, { type TSchema } from 'typebox'
import type { Database } from './db.ts'

/** The paging arguments of the tools. */
export const paging = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
}

export interface Paging {
  page?: number
  per_page?: number
}

/** What a query needs of it: how many rows, after how many. */
export const slice = ({ page = 1, per_page = 25 }: Paging) => ({ limit: per_page, offset: (page - 1) * per_page })

export type Slice = ReturnType<typeof slice>

/** The envelope of the tools' lists, with the records under their own name. */
export const Paged = <Name extends string, S extends TSchema>(name: Name, record: S) =>
  Type.Object({
    current_page: Type.Integer(),
    total_pages: Type.Integer(),
    total_records: Type.Integer(),
    ...({ [name]: Type.Array(record) } as Record<Name, ReturnType<typeof Type.Array<S>>>),
  })

export function paged<Name extends string, T>(name: Name, { page = 1, per_page = 25 }: Paging, found: Found<T>) {
  return {
    current_page: page,
    total_pages: Math.ceil(found.total / per_page),
    total_records: found.total,
    ...({ [name]: found.rows } as Record<Name, T[]>),
  }
}

/** One page of rows and how many there are in all. */
export interface Found<T> {
  total: number
  rows: T[]
}

/** `counted`: what stands after `from`, with its conditions; `page`: the statement for the rows. */
export async function findPage<T>(db: Database, counted: Sql, page: Sql): Promise<Found<T>> {
  const [{ total }, rows] = await Promise.all([
    db.one<{ total: number }>(sql`select count(*)::int as total from ${counted}`),
    db.many<T>(page),
  ])
  return { total, rows }
}
