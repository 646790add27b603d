import Type from 'typebox'
import { ulid } from 'ulid'
import { membershipOf, NO_MEMBERSHIP, settleMembership } from '../case-lists/membership.ts'
import { findOrCreateStatus, findOrCreateType } from '../case-settings/find-or-create.ts'
import { selectMissingClients } from '../clients/queries.ts'
import { changedFields } from '../core/change.ts'
import { refuseAll } from '../core/errors.ts'
import { Choice, Fields, Id, Ids, OptionalText } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { replaceLinks } from './links.ts'
import { insertCases, selectNumberHolders } from './queries.ts'
import { CASE_SOURCES, optional, required } from './schema.ts'
import { patchCase, selectToolCase, selectToolCases, ToolCase, updateRepresentative } from './tool-records.ts'

export const listCases = tool({
  name: 'list_cases',
  title: 'List cases',
  description: 'Cases (matters of the firm), newest first. Use it to find the id of a case by its name or number.',
  readOnly: true,
  input: Fields({
    ...paging,
    key: Type.Optional(Type.String({ description: 'Part of the name or the case number' })),
  }),
  output: Paged('cases', ToolCase),
  run: async (ctx, args) => paged('cases', args, await selectToolCases(ctx, { ...args, ...slice(args) })),
})

export const getCase = tool({
  name: 'get_case',
  title: 'Get a case',
  description: 'One case. `is_obo`: on behalf of another party; `representative`: who acts for it.',
  readOnly: true,
  input: Fields({ id: Id('Case id') }),
  output: ToolCase,
  run: (ctx, { id }) => selectToolCase(ctx, id),
})

const source = Type.Optional(Choice(CASE_SOURCES, 'Source system'))

const type = { ...required.type, description: 'Name of the case type; created when there is none of this name' }
const status = { ...required.status, description: 'Name of the status; created when there is none of this name' }

const fields = {
  description: optional.description,
  court_name: optional.court_name,
  jurisdiction: optional.jurisdiction,
  representative: OptionalText(255, 'Who acts for the party'),
}

export const createCase = tool({
  name: 'create_case',
  title: 'Create a case',
  description:
    'Opens a case. What is left out is made up: a name from type and number, a number, external_source manual. Link people with set_case_clients.',
  input: Fields({
    type,
    status,
    name: OptionalText(255, 'Name; generated when omitted'),
    case_number: OptionalText(255, 'Unique in the firm; generated when omitted'),
    ...fields,
    external_source: source,
    external_source_id: OptionalText(255, 'Identifier there'),
  }),
  output: ToolCase,
  async run(ctx, { representative, ...given }) {
    const [type_id, status_id] = [await findOrCreateType(ctx, given.type), await findOrCreateStatus(ctx, given.status)]
    const case_number = given.case_number ?? newNumber(ctx.clock.now())
    await refuseTakenNumber(ctx, case_number)
    const row = {
      ...given,
      type_id,
      status_id,
      case_number,
      name: given.name ?? `${capitalised(given.type)} case ${case_number}`.slice(0, 255),
      external_source: given.external_source ?? 'manual',
      external_source_id: given.external_source_id ?? ulid(),
    }
    const [id] = (await insertCases(ctx, ctx.channel, [row])) as [number]
    if (representative) await updateRepresentative(ctx, id, representative)
    await settleMembership(ctx, NO_MEMBERSHIP, [id])
    ctx.record({ activity: 'case_created', record_type: 'case', record_id: id, case_id: id })
    return selectToolCase(ctx, id)
  },
})

export const updateCase = tool({
  name: 'update_case',
  title: 'Update a case',
  description: 'Changes only the given fields; null clears an optional one. Missing types and statuses are created.',
  idempotent: true,
  input: Fields({
    id: Id('Case id'),
    type: Type.Optional(type),
    status: Type.Optional(status),
    name: optional.name,
    case_number: Type.Optional(required.case_number),
    ...fields,
    external_source: source,
    external_source_id: Type.Optional(required.external_source_id),
  }),
  output: ToolCase,
  async run(ctx, { id, type, status, ...given }) {
    const membership = await membershipOf(ctx, [id])
    const before = await selectToolCase(ctx, id)
    if (given.case_number !== undefined) await refuseTakenNumber(ctx, given.case_number, id)
    await patchCase(ctx, ctx.channel, id, {
      ...given,
      ...(type !== undefined && { type_id: await findOrCreateType(ctx, type) }),
      ...(status !== undefined && { status_id: await findOrCreateStatus(ctx, status) }),
    })
    await settleMembership(ctx, membership, [id])
    const after = await selectToolCase(ctx, id)
    const changes = changedFields(before, after)
    if (changes) ctx.record({ activity: 'case_updated', record_type: 'case', record_id: id, case_id: id, changes })
    return after
  },
})

export const setCaseClients = tool({
  name: 'set_case_clients',
  title: 'Set the clients of a case',
  description: 'Makes the given clients the only ones of the case. An empty array unlinks everybody.',
  destructive: true,
  idempotent: true,
  input: Fields({ case_id: Id('Case id'), client_ids: Ids('All clients of the case from now on', { maxItems: 5000 }) }),
  output: Type.Object({ case_id: Type.Integer(), client_ids: Type.Array(Type.Integer()) }),
  async run(ctx, { case_id, client_ids }) {
    await membershipOf(ctx, [case_id])
    const before = await selectToolCase(ctx, case_id)
    const missing = await selectMissingClients(ctx, client_ids)
    if (missing.length > 0) refuseAll([{ field: 'client_ids', message: `no such client: ${missing.join(', ')}` }])
    const links = client_ids.map((client_id) => ({ case_id, client_id }))
    const optedOut = await replaceLinks(ctx, ctx.channel, 'case_id', [case_id], links)
    const after = await selectToolCase(ctx, case_id)
    const changes = changedFields(before, after)
    if (changes) {
      await patchCase(ctx, ctx.channel, case_id, {})
      ctx.record({ activity: 'case_updated', record_type: 'case', record_id: case_id, case_id, changes })
    }
    for (const id of optedOut) {
      const changes = { voice_calls_opted_out: { from: false, to: true } }
      ctx.record({ activity: 'client_updated', record_type: 'client', record_id: id, client_id: id, changes })
    }
    return { case_id, client_ids: after.client_ids }
  },
})

async function refuseTakenNumber(ctx: Context, number: string, except?: number): Promise<void> {
  const holder = (await selectNumberHolders(ctx, [number])).get(number)
  if (holder !== undefined && holder !== except)
    refuseAll([{ field: 'case_number', message: `'${number}' is already the number of case ${holder}` }])
}

/** Short enough to be read out; another is drawn where it is taken, as the unique key makes the call start anew. */
const newNumber = (now: Date) => `C-${now.getUTCFullYear()}-${ulid().slice(-6)}`

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
