import Type from 'typebox'
import { selectMissingCases } from '../cases/links.ts'
import { changedFields } from '../core/change.ts'
import { type Detail, notFound, refuseAll } from '../core/errors.ts'
import { Fields, Id, Ids, OptionalBoolean } from '../core/fields.ts'
import { type Context, operation } from '../core/operation.ts'
import { bulkUpsertClients } from './bulk.ts'
import { createClients } from './create.ts'
import { deleteClients, eraseClients, recordDeletions } from './deletion.ts'
import { brokenRules, givenCaseIds, replaceCases } from './links.ts'
import { selectClient, selectClientsForUpdate, updateClients } from './queries.ts'
import { Client, CreateClient, UpdateClient } from './schema.ts'

const tag = 'Clients'

export const createClient = operation({
  rest: 'POST /v1/clients',
  tag,
  summary: 'Create a client',
  description: 'Keep the `id` of the answer: records cannot be looked up by their external source alone.',
  input: CreateClient,
  output: Client,
  status: 201,
  example: {
    external_source: 'manual',
    external_source_id: 'SF-10293',
    first_name: 'María',
    last_name: 'Okafor',
    email: 'maria@example.com',
    mobile: '+1 212-555-0123',
    state: 'NY',
    postal_code: '10007',
  },
  async run(ctx, input) {
    const [client] = await createClients([{ ctx, input }])
    return client!
  },
  runAll: createClients,
})

export const getClient = operation({
  rest: 'GET /v1/clients/:id',
  tag,
  summary: 'Read a client',
  input: Fields({ id: Id('Client id') }),
  output: Client,
  run: (ctx, { id }) => selectClient(ctx, id),
})

export const updateClient = operation({
  rest: 'PUT /v1/clients/:id',
  tag,
  summary: 'Update a client',
  description:
    'Only the given fields change; the four required fields must be sent all the same. `case_ids` replaces the links.',
  input: UpdateClient,
  output: Client,
  example: {
    external_source: 'manual',
    external_source_id: 'SF-10293',
    first_name: 'María',
    last_name: 'Okafor',
    mobile: '+1 212-555-0188',
    case_ids: [17],
  },
  async run(ctx, input) {
    const [before = notFound('client', input.id)] = await selectClientsForUpdate(ctx, [input.id])
    const caseIds = await checkedCaseIds(ctx, input)
    const [written] = await updateClients(ctx, ctx.channel, [input])
    if (caseIds) await replaceCases(ctx, [{ id: input.id, case_ids: caseIds }])
    const after = caseIds ? await selectClient(ctx, input.id) : written!
    const changes = changedFields(before, after)
    if (changes)
      ctx.record({
        activity: 'client_updated',
        record_type: 'client',
        record_id: input.id,
        client_id: input.id,
        changes,
      })
    return after
  },
})

export const deleteClient = operation({
  rest: 'DELETE /v1/clients/:id',
  tag,
  summary: 'Delete a client',
  input: Fields({ id: Id('Client id') }),
  output: Type.Object({ message: Type.Literal('client deleted successfully', { description: 'Always this' }) }),
  async run(ctx, { id }) {
    const gone = await deleteClients(ctx, [id])
    if (gone.length === 0) notFound('client', id)
    recordDeletions(ctx, gone)
    return { message: 'client deleted successfully' } as const
  },
})

export { bulkUpsertClients }

export const bulkDeleteClients = operation({
  rest: 'POST /v1/clients/bulk_delete',
  tag,
  summary: 'Delete many clients',
  description: '`force` erases the rows and the personal data for good; otherwise they are kept for the audit trail.',
  input: Fields({
    client_ids: Ids('Clients to delete', { minItems: 1, maxItems: 5000 }),
    force: OptionalBoolean('Hard delete', { default: false }),
  }),
  output: Type.Object({ deleted_ids: Ids('Clients that were really deleted') }),
  async run(ctx, { client_ids, force }) {
    const gone = force ? await eraseClients(ctx, client_ids) : await deleteClients(ctx, client_ids)
    recordDeletions(ctx, gone)
    return { deleted_ids: gone.map(({ id }) => id) }
  },
})

async function checkedCaseIds(ctx: Context, input: CreateClient): Promise<number[] | undefined> {
  const caseIds = givenCaseIds(input)
  const missing = await selectMissingCases(ctx, caseIds ?? [])
  const details: Detail[] = brokenRules(input, new Set(missing))
  refuseAll(details)
  return caseIds
}
