import Type from 'typebox'
import { notFound, refuseAll } from '../core/errors.ts'
import { Fields, Id, Ids, OptionalBoolean } from '../core/fields.ts'
import { type Context, operation } from '../core/operation.ts'
import { bulkUpsertCases } from './bulk.ts'
import { sendEmail, sendSms } from './communication.ts'
import { deleteCases } from './deletion.ts'
import { selectCase } from './queries.ts'
import { type Entry, readBatch, writeBatch } from './save.ts'
import { Case, CreateCase, UpdateCase } from './schema.ts'

const tag = 'Cases'

export const createCase = operation({
  rest: 'POST /v1/cases',
  tag,
  summary: 'Create a case',
  description: 'Status and type must be configured for the company. `client_ids` links its clients.',
  input: CreateCase,
  output: Case,
  status: 201,
  example: {
    case_number: '2026-CV-00142',
    external_source: 'manual',
    external_source_id: 'M-10293',
    status: 'active',
    type: 'civil',
    name: 'Okafor v. Acme',
    jurisdiction: 'NY',
    court_date: '2026-04-21',
    client_ids: [42],
  },
  run: (ctx, input) => save(ctx, { id: null, input }),
})

export const getCase = operation({
  rest: 'GET /v1/cases/:id',
  tag,
  summary: 'Read a case',
  input: Fields({ id: Id('Case id') }),
  output: Case,
  run: (ctx, { id }) => selectCase(ctx, id),
})

export const updateCase = operation({
  rest: 'PUT /v1/cases/:id',
  tag,
  summary: 'Replace a case',
  description:
    'A full replacement: every optional field that is left out becomes null, and `client_ids` left out clears the links.',
  input: UpdateCase,
  output: Case,
  example: {
    case_number: '2026-CV-00142',
    external_source: 'manual',
    external_source_id: 'M-10293',
    status: 'settled',
    type: 'civil',
    name: 'Okafor v. Acme',
    jurisdiction: 'NY',
    court_date: '2026-04-21',
    client_ids: [42],
  },
  run: (ctx, { id, ...input }) => save(ctx, { id, input }),
})

export const deleteCase = operation({
  rest: 'DELETE /v1/cases/:id',
  tag,
  summary: 'Delete a case',
  input: Fields({ id: Id('Case id') }),
  output: Type.Object({ message: Type.Literal('case deleted successfully', { description: 'Always this' }) }),
  async run(ctx, { id }) {
    const gone = await deleteCases(ctx, [id], false)
    if (gone.length === 0) notFound('case', id)
    return { message: 'case deleted successfully' } as const
  },
})

export { bulkUpsertCases }

export const bulkDeleteCases = operation({
  rest: 'POST /v1/cases/bulk_delete',
  tag,
  summary: 'Delete many cases',
  description: '`with_clients` also deletes the clients that are linked to no other case.',
  input: Fields({
    ids: Ids('Cases to delete, 500 at the most', { minItems: 1, maxItems: 500 }),
    with_clients: OptionalBoolean('Delete their clients too', { default: false }),
  }),
  output: Type.Object({ deleted_ids: Ids('Cases that were really deleted') }),
  run: async (ctx, { ids, with_clients }) => ({ deleted_ids: await deleteCases(ctx, ids, with_clients ?? false) }),
})

export { sendEmail, sendSms }

async function save(ctx: Context, entry: Entry): Promise<Case> {
  const batch = await readBatch(ctx, [entry])
  if (entry.id !== null && !batch.before.has(entry.id)) notFound('case', entry.id)
  refuseAll(batch.broken[0]!)
  const [saved] = await writeBatch(ctx, batch)
  return saved!
}
