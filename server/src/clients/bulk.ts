import Type from 'typebox'
import { selectMissingCases } from '../cases/links.ts'
import { changedFields } from '../core/change.ts'
import type { Detail } from '../core/errors.ts'
import { Choice, Fields, Id, Nullable } from '../core/fields.ts'
import { type Context, operation } from '../core/operation.ts'
import { inPortions } from '../core/portions.ts'
import { checker, unstorable } from '../core/validate.ts'
import { brokenRules, givenCaseIds, replaceCases } from './links.ts'
import {
  insertClients,
  type OptOutSpread,
  selectClients,
  selectClientsForUpdate,
  selectMissingClients,
  spreadVoiceOptOut,
  updateClients,
} from './queries.ts'
import { Client, CreateClient, PatchClient } from './schema.ts'

const Failed = Type.Object(
  {
    index: Type.Integer({ description: 'Position of the entry in `clients`, from 0' }),
    id: Nullable<number>('integer', 'The id that the entry carried'),
    error: Choice(['bad request', 'not found'], 'not found: the id belongs to no client of the company'),
    message: Type.String({ description: 'A sentence that names the field and the rule' }),
    details: Type.Array(
      Type.Object({
        field: Type.String({ description: 'Path into the entry' }),
        message: Type.String({ description: 'The rule that it breaks' }),
      }),
      { description: 'Every broken rule' },
    ),
  },
  {
    title: 'FailedClient',
    examples: [
      {
        index: 3,
        id: null,
        error: 'bad request',
        message: 'first_name: is required',
        details: [{ field: 'first_name', message: 'is required' }],
      },
    ],
  },
)
type Failed = Type.Static<typeof Failed>

const creating = checker(CreateClient)
const patching = checker(PatchClient)

type Entry = { index: number } & ({ id: null; input: CreateClient } | { id: number; input: PatchClient })

export const bulkUpsertClients = operation({
  rest: 'POST /v1/clients/bulk',
  tag: 'Clients',
  summary: 'Create and update many clients',
  description:
    'An entry with `id` is a partial update, one without creates. Good entries are saved when others fail. ' +
    '`voice_calls_opted_out: true` also marks every linked case and opts out every client of those cases.',
  input: Fields({
    // Entries are checked one by one: a broken one fails by itself.
    clients: Type.Array(Type.Unsafe<unknown>({ anyOf: [{}, CreateClient, PatchClient] }), {
      minItems: 1,
      maxItems: 5000,
      description: 'Client payloads, 5,000 at the most',
    }),
  }),
  entries: 'clients',
  output: Type.Object({
    clients: Type.Array(Client, { description: 'The saved records, in input order' }),
    successful_ids: Type.Array(Id('Client id'), { description: 'Their ids' }),
    failed: Type.Array(Failed, { description: 'The entries that were not saved, in input order' }),
  }),
  example: {
    clients: [
      { external_source: 'import', external_source_id: '7', first_name: 'Ana', last_name: 'Lee' },
      { id: 17, city: 'Reno' },
    ],
  },
  async run(ctx, { clients }) {
    const failed: Failed[] = []
    const wellFormed = clients.flatMap((value, index) => readEntry(value, index, failed))
    const entries = await checkReferences(ctx, wellFormed, failed)
    const saved = await save(ctx, entries)
    const records = entries.map(({ index }) => saved.get(index)!)
    failed.sort((a, b) => a.index - b.index)
    return { clients: records, successful_ids: records.map(({ id }) => id), failed }
  },
})

function fail(failed: Failed[], index: number, id: unknown, details: Detail[]): never[] {
  const [first] = details
  failed.push({
    index,
    id: Number.isSafeInteger(id) ? (id as number) : null,
    error: 'bad request',
    message: `${first!.field}: ${first!.message}`,
    details,
  })
  return []
}

function readEntry(value: unknown, index: number, failed: Failed[]): Entry[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return fail(failed, index, null, [{ field: `clients[${index}]`, message: 'must be an object' }])
  }
  const { id } = value as { id?: unknown }
  const details = [...unstorable(value), ...(id == null ? creating : patching).check(value)]
  if (details.length > 0) return fail(failed, index, id, details)
  return [
    id == null
      ? { index, id: null, input: value as CreateClient }
      : { index, id: id as number, input: value as PatchClient },
  ]
}

/** Keeps the entries whose client and cases exist. A client named twice is written by its first entry only. */
async function checkReferences(ctx: Context, entries: Entry[], failed: Failed[]): Promise<Entry[]> {
  const missingCases = new Set(
    await selectMissingCases(ctx, [...new Set(entries.flatMap(({ input }) => givenCaseIds(input) ?? []))]),
  )
  const missingClients = new Set(
    await selectMissingClients(
      ctx,
      entries.flatMap(({ id }) => id ?? []),
    ),
  )
  const named = new Set<number>()
  return entries.filter(({ index, id, input }) => {
    if (id !== null && missingClients.has(id)) {
      failed.push({ index, id, error: 'not found', message: `client ${id} not found`, details: [] })
      return false
    }
    const details = brokenRules(input, missingCases)
    if (id !== null && named.has(id))
      details.push({ field: 'id', message: `client ${id} is named by an earlier entry of this request` })
    if (details.length > 0) fail(failed, index, id, details)
    else if (id !== null) named.add(id)
    return details.length === 0
  })
}

async function save(ctx: Context, entries: Entry[]): Promise<Map<number, Client>> {
  const creates = entries.filter((entry) => entry.id === null)
  const updates = entries.filter((entry) => entry.id !== null)
  const before = new Map(
    (updates.length > 0
      ? await selectClientsForUpdate(
          ctx,
          updates.map(({ id }) => id),
        )
      : []
    ).map((client) => [client.id, client]),
  )
  const created = await inPortions(creates, (some) =>
    insertClients(
      ctx,
      ctx.channel,
      some.map(({ input }) => input),
    ),
  )
  const updated = await inPortions(updates, (some) =>
    updateClients(
      ctx,
      ctx.channel,
      some.map(({ input }) => input),
    ),
  )
  const byId = new Map(updated.map((client) => [client.id, client]))
  const saved = new Map<number, Client>()
  for (const [position, { index }] of creates.entries()) saved.set(index, created[position]!)
  for (const { index, id } of updates) saved.set(index, byId.get(id)!)

  const linked = entries.flatMap(({ index, input }) => {
    const case_ids = givenCaseIds(input)
    return case_ids ? [{ id: saved.get(index)!.id, case_ids }] : []
  })
  if (linked.length > 0) await replaceCases(ctx, linked)
  const optedOut = entries
    .filter(({ input }) => input.voice_calls_opted_out === true)
    .map(({ index }) => saved.get(index)!.id)
  const spread = optedOut.length > 0 ? await spreadVoiceOptOut(ctx, ctx.channel, optedOut) : NOBODY
  if (linked.length > 0 || spread.client_ids.length > 0) {
    const again = new Map(
      (
        await selectClients(
          ctx,
          [...saved.values()].map(({ id }) => id),
        )
      ).map((client) => [client.id, client]),
    )
    for (const [index, { id }] of saved) saved.set(index, again.get(id)!)
  }
  recordChanges(ctx, [...saved.values()], before, spread)
  return saved
}

const NOBODY = { client_ids: [], case_ids: [] }

function recordChanges(ctx: Context, saved: Client[], before: Map<number, Client>, spread: OptOutSpread): void {
  const ids = new Set(saved.map(({ id }) => id))
  for (const client of saved) {
    const was = before.get(client.id)
    const changes = was ? changedFields(was, client) : null
    if (was && !changes) continue
    ctx.record({
      activity: was ? 'client_updated' : 'client_created',
      record_type: 'client',
      record_id: client.id,
      client_id: client.id,
      changes,
    })
  }
  for (const id of spread.client_ids.filter((other) => !ids.has(other))) {
    const changes = { voice_calls_opted_out: { from: false, to: true } }
    ctx.record({ activity: 'client_updated', record_type: 'client', record_id: id, client_id: id, changes })
  }
  for (const id of spread.case_ids) {
    const changes = { opt_out_voice_calls: { from: false, to: true } }
    ctx.record({ activity: 'case_updated', record_type: 'case', record_id: id, case_id: id, changes })
  }
}
