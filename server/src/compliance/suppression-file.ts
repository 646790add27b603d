import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import type { Change } from '../core/change.ts'
import type { Scope } from '../core/operation.ts'
import { optOutAddresses } from './opt-out.ts'
import { PERMISSION_CHANNELS, type PermissionChannel } from './permissions.ts'
import { everySuppression, readAddress } from './suppression-list.ts'

const COLUMNS = ['address', 'address_ending', 'channel', 'purpose', 'source', 'created_at', 'hash']
/** What other systems call the column, in the order in which it is looked for. */
const ADDRESS = ['address', 'phone', 'phone_number', 'mobile', 'number', 'email', 'e-mail']
const CHUNK = 5000

export interface Imported {
  added: number
  known: number
  /** Lines of the file (from 1) that hold no address that the channel could reach. */
  unreadable: number[]
}

/**
 * Suppresses what a list says: CSV with a header, or one address a line. A column `channel` or `purpose` in the file, as
 * the export writes them, goes before what is given here.
 */
export async function importSuppressions(
  scope: Scope,
  text: string,
  given: { channel: PermissionChannel; purpose: string; origin: string; evidence: Record<string, unknown> },
): Promise<Imported & { changes: Change[] }> {
  const lines: string[][] = parse(text, { bom: true, relax_column_count: true, relax_quotes: true, trim: true })
  const names = (lines[0] ?? []).map((name) => name.toLowerCase().replaceAll(' ', '_'))
  const column = ADDRESS.map((name) => names.indexOf(name)).find((index) => index >= 0)
  const of = (line: string[], name: string) =>
    (column === undefined ? undefined : line[names.indexOf(name)]) || undefined
  const unreadable: number[] = []
  const entries = lines.slice(column === undefined ? 0 : 1).flatMap((line, index) => {
    const channel = PERMISSION_CHANNELS.find((each) => each === of(line, 'channel')) ?? given.channel
    const address = readAddress(line[column ?? 0] ?? '', channel)
    if (!address) unreadable.push(index + (column === undefined ? 1 : 2))
    const purpose = of(line, 'purpose') ?? given.purpose
    return address ? [{ address, channel, purpose, source: 'import' as const, evidence: given.evidence }] : []
  })
  const unique = [...new Map(entries.map((each) => [`${each.address} ${each.channel} ${each.purpose}`, each])).values()]
  let added = 0
  const changes: Change[] = []
  for (let from = 0; from < unique.length; from += CHUNK) {
    const outcome = await optOutAddresses(scope, unique.slice(from, from + CHUNK), given.origin)
    added += outcome.added
    changes.push(...outcome.changes)
  }
  return { added, known: unique.length - added, unreadable, changes }
}

/** The list as CSV, piece by piece. Of people who were erased only the ending and the hash are known. */
export async function* exportSuppressions(scope: Scope, channel?: PermissionChannel): AsyncGenerator<string> {
  yield stringify([COLUMNS])
  for await (const { created_at, ...row } of everySuppression(scope, channel))
    yield stringify([{ ...row, created_at: created_at.toISOString() }], { columns: COLUMNS })
}
