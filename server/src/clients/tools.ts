import Type from 'typebox'
import { ulid } from 'ulid'
import { changedFields } from '../core/change.ts'
import { type Detail, notFound, refuseAll } from '../core/errors.ts'
import { Fields, Id, OptionalText } from '../core/fields.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { insertClients, selectClientsForUpdate, updateClients } from './queries.ts'
import { optional, required } from './schema.ts'
import { selectToolClient, selectToolClients, ToolClient } from './tool-records.ts'

export const listClients = tool({
  name: 'list_clients',
  title: 'List clients',
  description: 'Clients (the contacts of the firm), newest first. Use it to find the id of a person by name or e-mail.',
  readOnly: true,
  input: Fields({ ...paging, key: Type.Optional(Type.String({ description: 'Part of the name or e-mail' })) }),
  output: Paged('clients', ToolClient),
  run: async (ctx, args) => paged('clients', args, await selectToolClients(ctx, { ...args, ...slice(args) })),
})

export const getClient = tool({
  name: 'get_client',
  title: 'Get a client',
  description: 'One client with the cases and opt-outs.',
  readOnly: true,
  input: Fields({ id: Id('Client id') }),
  output: ToolClient,
  run: (ctx, { id }) => selectToolClient(ctx, id),
})

const { email, mobile, gender, city, state, postal_code, address_line1, address_line2 } = optional
const fields = { email, mobile, gender, city, state, postal_code, address_line1, address_line2 }

export const createClient = tool({
  name: 'create_client',
  title: 'Create a client',
  description: 'Adds a person. Give city and state together. Link to a case with set_case_clients.',
  input: Fields({
    first_name: required.first_name,
    last_name: required.last_name,
    ...fields,
    external_source: OptionalText(255, 'Source system; manual when omitted'),
    external_source_id: OptionalText(255, 'Identifier there; generated when omitted'),
  }),
  output: ToolClient,
  async run(ctx, given) {
    refuseAll(brokenPlace(given))
    const external_source = given.external_source ?? 'manual'
    const external_source_id = given.external_source_id ?? ulid()
    const [client] = await insertClients(ctx, ctx.channel, [{ ...given, external_source, external_source_id }])
    const { id } = client!
    ctx.record({ activity: 'client_created', record_type: 'client', record_id: id, client_id: id })
    return selectToolClient(ctx, id)
  },
})

export const updateClient = tool({
  name: 'update_client',
  title: 'Update a client',
  description:
    'Changes only the given fields; null clears an optional one. Give city and state together. Records opt-outs too: set a flag to true when the person asked for it.',
  idempotent: true,
  input: Fields({
    id: Id('Client id'),
    first_name: Type.Optional(required.first_name),
    last_name: Type.Optional(required.last_name),
    ...fields,
    external_source: Type.Optional(required.external_source),
    external_source_id: Type.Optional(required.external_source_id),
    timezone: optional.timezone,
    voice_calls_opted_out: optional.voice_calls_opted_out,
    sms_opted_out: optional.sms_opted_out,
    email_opted_out: optional.email_opted_out,
  }),
  output: ToolClient,
  async run(ctx, given) {
    const { id } = given
    refuseAll(brokenPlace(given))
    const [before = notFound('client', id)] = await selectClientsForUpdate(ctx, [id])
    const [after] = await updateClients(ctx, ctx.channel, [given])
    const changes = changedFields(before, after!)
    if (changes)
      ctx.record({ activity: 'client_updated', record_type: 'client', record_id: id, client_id: id, changes })
    return selectToolClient(ctx, id)
  },
})

interface Place {
  city?: string | null
  state?: string | null
}

function brokenPlace({ city, state }: Place): Detail[] {
  const missing = (value: unknown, other: unknown) =>
    value === undefined ? other !== undefined : value === null && other
  if (missing(city, state)) return [{ field: 'city', message: 'must be given together with state' }]
  if (missing(state, city)) return [{ field: 'state', message: 'must be given together with city' }]
  return []
}
