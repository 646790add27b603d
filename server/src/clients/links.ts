import { replaceLinks } from '../cases/links.ts'
import type { Detail } from '../core/errors.ts'
import { tooLarge } from '../core/object-size.ts'
import type { Context } from '../core/operation.ts'

interface Links {
  case_ids?: number[] | null
  case_id?: number | null
  meta?: Record<string, unknown> | null
}

/** The links that an input asks for, each once; undefined when it says nothing of links. null clears them. */
export function givenCaseIds({ case_ids, case_id }: Links): number[] | undefined {
  if (case_ids !== undefined) return [...new Set(case_ids ?? [])]
  if (case_id !== undefined) return case_id === null ? [] : [case_id]
  return undefined
}

/** What the schema can't say; `missing` holds the asked-for case ids that don't exist. */
export function brokenRules(input: Links, missing: Set<number>): Detail[] {
  const details = tooLarge('meta', input.meta)
  if (input.case_ids !== undefined && input.case_id !== undefined) {
    details.push({ field: 'case_id', message: 'must not be sent together with case_ids' })
  }
  const unknown = (givenCaseIds(input) ?? []).filter((id) => missing.has(id))
  if (unknown.length > 0) {
    const field = input.case_ids === undefined ? 'case_id' : 'case_ids'
    details.push({ field, message: `no such case: ${unknown.join(', ')}` })
  }
  return details
}

export async function replaceCases(ctx: Context, clients: { id: number; case_ids: number[] }[]): Promise<void> {
  const links = clients.flatMap(({ id, case_ids }) => case_ids.map((case_id) => ({ client_id: id, case_id })))
  await replaceLinks(
    ctx,
    ctx.channel,
    'client_id',
    clients.map(({ id }) => id),
    links,
  )
}
