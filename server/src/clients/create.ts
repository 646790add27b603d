import { selectMissingCases } from '../cases/links.ts'
import { refuseAll } from '../core/errors.ts'
import type { Requested } from '../core/operation.ts'
import { brokenRules, givenCaseIds, replaceCases } from './links.ts'
import { insertClients, selectClients } from './queries.ts'
import type { Client, CreateClient } from './schema.ts'

/** Creates one client per request, in one transaction; answers the records in the order of the requests. */
export async function createClients(requests: Requested<CreateClient>[]): Promise<Client[]> {
  const { ctx } = requests[0]!
  const inputs = requests.map(({ input }) => input)
  const missing = new Set(
    await selectMissingCases(ctx, [...new Set(inputs.flatMap((input) => givenCaseIds(input) ?? []))]),
  )
  for (const input of inputs) refuseAll(brokenRules(input, missing))
  const created = await insertClients(ctx, ctx.channel, inputs)
  for (const [index, { id }] of created.entries())
    requests[index]!.ctx.record({ activity: 'client_created', record_type: 'client', record_id: id, client_id: id })
  const linked = created.flatMap(({ id }, index) => {
    const case_ids = givenCaseIds(inputs[index]!) ?? []
    return case_ids.length > 0 ? [{ id, case_ids }] : []
  })
  if (linked.length === 0) return created
  await replaceCases(ctx, linked)
  const after = await selectClients(
    ctx,
    linked.map(({ id }) => id),
  )
  const byId = new Map(after.map((client) => [client.id, client]))
  return created.map((client) => byId.get(client.id) ?? client)
}
