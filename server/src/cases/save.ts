import { type Membership, membershipOf, NO_MEMBERSHIP, settleMembership } from '../case-lists/membership.ts'
import { type Named, type Setting, selectByName, selectNames, unknownName } from '../case-settings/queries.ts'
import { selectMissingClients } from '../clients/queries.ts'
import { changedFields } from '../core/change.ts'
import type { Detail } from '../core/errors.ts'
import { tooLarge } from '../core/object-size.ts'
import type { Context } from '../core/operation.ts'
import { replaceLinks } from './links.ts'
import { type CaseRow, insertCases, optOutClients, selectCases, selectNumberHolders, updateCases } from './queries.ts'
import type { Case, CaseInput } from './schema.ts'

/** A case to create, or one to replace by its id. */
export interface Entry {
  id: number | null
  input: CaseInput
}

/** Entries with what stands about them in the database; cases to replace are locked. */
export interface Batch {
  entries: Entry[]
  /** Per entry, what the schema can't say. Only a batch without any may be written. */
  broken: Detail[][]
  before: Map<number, Case>
  membership: Membership
  /** Cases of the batch whose number another entry takes. */
  handedOn: number[]
  statuses: Map<string, Named>
  types: Map<string, Named>
}

export async function readBatch(ctx: Context, entries: Entry[]): Promise<Batch> {
  const inputs = entries.map(({ input }) => input)
  const ids = entries.flatMap(({ id }) => id ?? [])
  const [membership, replaced, statuses, types, missingClients, holders] = await Promise.all([
    ids.length > 0 ? membershipOf(ctx, ids) : NO_MEMBERSHIP,
    ids.length > 0 ? selectCases(ctx, ids) : [],
    findNames(
      ctx,
      'case_statuses',
      inputs.map(({ status }) => status),
    ),
    findNames(
      ctx,
      'case_types',
      inputs.map(({ type }) => type),
    ),
    selectMissingClients(
      ctx,
      inputs.flatMap(({ client_ids }) => client_ids ?? []),
    ),
    selectNumberHolders(
      ctx,
      inputs.map(({ case_number }) => case_number),
    ),
  ])
  const before = new Map(replaced.map((each) => [each.id, each]))
  const missing = new Set(missingClients)
  const firstByNumber = new Map<string, number>()
  const firstById = new Map<number, number>()
  const handedOn: number[] = []
  const broken = entries.map(({ id, input }, index) => {
    const details: Detail[] = []
    const refuse = (field: string, message: string) => details.push({ field, message })
    if (id !== null) {
      if (!before.has(id)) refuse('id', `case ${id} not found`)
      if (firstById.has(id)) refuse('id', `case ${id} is already named by cases[${firstById.get(id)}]`)
      else firstById.set(id, index)
    }
    const { case_number, status, type, client_ids } = input
    const holder = holders.get(case_number)
    if (firstByNumber.has(case_number))
      refuse('case_number', `'${case_number}' is already the number of cases[${firstByNumber.get(case_number)}]`)
    else if (holder !== undefined && !before.has(holder))
      refuse('case_number', `'${case_number}' is already the number of case ${holder}`)
    else {
      firstByNumber.set(case_number, index)
      // Its holder is replaced in the same batch, and has another number then: no two entries ask for the same.
      if (holder !== undefined && holder !== id) handedOn.push(holder)
    }
    if (!statuses.found.has(status)) refuse('status', unknownName('case_statuses', status, statuses.configured))
    if (!types.found.has(type)) refuse('type', unknownName('case_types', type, types.configured))
    const unknown = (client_ids ?? []).filter((client) => missing.has(client))
    if (unknown.length > 0) refuse('client_ids', `no such client: ${[...new Set(unknown)].join(', ')}`)
    return [...details, ...tooLarge('external_source_data', input.external_source_data)]
  })
  return { entries, broken, before, membership, handedOn, statuses: statuses.found, types: types.found }
}

/** `configured` is asked for only where a name was not found. */
async function findNames(ctx: Context, setting: Setting, names: string[]) {
  const found = await selectByName(ctx, setting, names)
  return { found, configured: names.every((name) => found.has(name)) ? [] : await selectNames(ctx, setting) }
}

/** Writes the entries of a batch in which nothing is broken; answers the records in their order. */
export async function writeBatch(
  ctx: Context,
  { entries, before, membership, handedOn, statuses, types }: Batch,
): Promise<Case[]> {
  const rows = entries.map(({ id, input }): CaseRow => {
    const found = { status_id: statuses.get(input.status)!.id, type_id: types.get(input.type)!.id }
    // Always set: the input of a creation may carry an id, which is ignored.
    return { ...input, ...found, id: id ?? undefined }
  })
  const ids = await writeRows(ctx, rows, handedOn)
  const optedOut = await writeLinks(ctx, entries, ids, before)
  const [after] = await Promise.all([selectCases(ctx, ids), settleMembership(ctx, membership, ids)])
  const saved = new Map(after.map((each) => [each.id, each]))
  const records = ids.map((id) => saved.get(id)!)
  recordSaved(ctx, records, before, optedOut)
  return records
}

/** Answers the ids in the order of the rows. */
async function writeRows(ctx: Context, rows: CaseRow[], handedOn: number[]): Promise<number[]> {
  const updates = rows.filter(({ id }) => id !== undefined)
  const creates = rows.filter(({ id }) => id === undefined)
  // First, because a number that an update gives up may be taken by a new case.
  if (updates.length > 0) await updateCases(ctx, ctx.channel, updates, handedOn)
  const created = creates.length > 0 ? await insertCases(ctx, ctx.channel, creates) : []
  let next = 0
  return rows.map(({ id }) => id ?? created[next++]!)
}

/** Answers the clients who were opted out of voice calls. */
async function writeLinks(ctx: Context, entries: Entry[], ids: number[], before: Map<number, Case>): Promise<number[]> {
  const wanted = entries.flatMap(({ input }, index) =>
    (input.client_ids ?? []).map((client_id) => ({ case_id: ids[index]!, client_id })),
  )
  if (wanted.length === 0 && before.size === 0) return []
  const linked = await replaceLinks(ctx, ctx.channel, 'case_id', ids, wanted)
  // Acts when it is set. Sent again with a full replacement it says nothing new to clients who opted in since.
  const set = entries.flatMap(({ id, input }) =>
    id !== null && input.opt_out_voice_calls && !before.get(id)!.opt_out_voice_calls ? id : [],
  )
  return set.length > 0 ? [...linked, ...(await optOutClients(ctx, ctx.channel, set))] : linked
}

function recordSaved(ctx: Context, records: Case[], before: Map<number, Case>, optedOut: number[]): void {
  for (const { id, ...fields } of records) {
    const was = before.get(id)
    const changes = was ? changedFields(was, fields) : null
    if (was && !changes) continue
    ctx.record({
      activity: was ? 'case_updated' : 'case_created',
      record_type: 'case',
      record_id: id,
      case_id: id,
      changes,
    })
  }
  for (const id of optedOut) {
    const changes = { voice_calls_opted_out: { from: false, to: true } }
    ctx.record({ activity: 'client_updated', record_type: 'client', record_id: id, client_id: id, changes })
  }
}
