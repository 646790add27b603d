import fc from 'fast-check'
import type { Tool } from '../../src/core/tool.ts'
import type { ToolWorld } from './tool-world.ts'

/** The part of JSON Schema that is read here. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  format?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  readOnly?: boolean
  deprecated?: boolean
}

type Arguments = Record<string, unknown>

/** What `id` names, by tool. */
const SUBJECTS: Record<string, keyof ToolWorld> = {
  get_case: 'case',
  update_case: 'case',
  get_client: 'client',
  update_client: 'client',
  get_case_list: 'caseList',
  update_case_list: 'caseList',
  attach_to_case_list: 'caseList',
  detach_from_case_list: 'caseList',
  append_clients_to_case_list: 'caseList',
  get_form: 'form',
  update_form: 'form',
  get_campaign: 'campaign',
  get_campaign_stats: 'campaign',
  pause_campaign: 'campaign',
  resume_campaign: 'campaign',
  get_call: 'call',
  get_task: 'task',
  update_case_task: 'caseTask',
  get_case_type: 'caseType',
  update_case_type: 'caseType',
  list_case_type_custom_fields: 'caseType',
  create_case_type_custom_field: 'caseType',
  get_case_status: 'caseStatus',
  update_case_status: 'caseStatus',
  get_webhook: 'webhook',
  update_webhook: 'webhook',
  list_webhook_logs: 'webhook',
  test_webhook: 'webhook',
  rotate_webhook_secret: 'webhook',
  replay_failed_webhook_deliveries: 'webhook',
  delete_webhook: 'newWebhook',
  replay_webhook_delivery: 'webhookLog',
}

const NAMED: Record<string, keyof ToolWorld> = {
  case_id: 'case',
  reference_id: 'case',
  include_ids: 'case',
  exclude_ids: 'case',
  client_id: 'client',
  client_ids: 'client',
  case_list_id: 'caseList',
  campaign_id: 'campaign',
  campaign_ids: 'campaign',
  api_key_id: 'apiKey',
  agent_id: 'agent',
  form_id: 'form',
  case_type_id: 'caseType',
  case_type_ids: 'caseType',
  status_ids: 'caseStatus',
  parent_id: 'caseStatus',
  ulid: 'note',
  attachment_ulids: 'attachment',
  attachment_ids: 'attachment',
}

/** Which noun an argument names by its id, if it does. */
export const subjectOf = ({ name }: Tool, argument: string): keyof ToolWorld | undefined =>
  argument === 'id' ? SUBJECTS[name] : NAMED[argument]

const WEBHOOK = { name: 'Our CRM', url: 'https://8.8.8.8/hook' }

/** Rules between arguments that no schema tells: what to send instead of what was generated; undefined: nothing. */
const RULES: Record<string, (world: ToolWorld, all: boolean) => Promise<Arguments>> = {
  list_notes: async (world) => ({ case_id: await world.case(), client_id: undefined }),
  explain_call: async (world) => ({ client_id: await world.client(), case_id: undefined }),
  update_note: async () => ({ body: 'Changed' }),
  create_note: async () => ({ type: 'case' }),
  create_task: async (_world, all) =>
    all ? { response_type: 'dropdown', choices: ['a', 'b'], due_on: '2099-01-01' } : {},
  update_case_task: async () => ({ status: 'completed', answer: 'Yes' }),
  create_form: async () => ({ tasks: [{ title: 'Why?' }] }),
  update_form: async () => ({ tasks: [{ title: 'Why?', response_type: 'yes_no' }] }),
  assign_form: async (world) => ({ case_id: await world.newCase() }),
  attach_to_case_list: async (world, all) => ({ include_ids: [await world.case()], ...(await filter(world, all)) }),
  detach_from_case_list: async (world, all) => ({
    include_ids: [await world.newCase()],
    ...(await filter(world, all)),
  }),
  create_campaign: async (world, all) => ({
    ...(await world.campaignPayload()),
    ...(all && {
      business_hours: [{ start_time: '09:00', end_time: '12:00' }],
      report_schedule: { name: 'A report', frequency: 'daily', time: '20:00', recipients: ['a@example.com'] },
    }),
  }),
  create_voice_agent: async (_world, all) => ({
    voice_id: 'voice_amelia',
    ...(all && {
      post_call_fields: [{ name: 'side', type: 'selector', choices: ['left', 'right'] }],
      transfer_number: '+1 212-555-0101',
    }),
  }),
  create_webhook: async (_world, all) => ({ ...WEBHOOK, ...(all && { event_types: ['call_ended'] }) }),
  update_webhook: async (_world, all) => ({
    ...WEBHOOK,
    api_key_id: undefined,
    ...(all && { event_types: ['call_ended'] }),
  }),
  replay_failed_webhook_deliveries: async () => ({ since: '2026-01-01' }),
  schedule_call: async (world) => ({ case_id: await world.newCase() }),
  update_case_status: async () => ({ parent_id: null }),
  reorder_case_statuses: async (world) => ({ items: [{ id: await world.caseStatus(), priority: 7 }] }),
  create_attachment: async () => ({ content_base64: 'YQ==', content_type: 'text/plain' }),
  list_audit_logs: async () => ({ from: '2026-01-01', to: '2099-01-01T00:00:00Z' }),
}

async function filter(world: ToolWorld, all: boolean): Promise<Arguments> {
  if (!all) return {}
  const case_type_ids = [await world.caseType()]
  return { filter: { case_type_ids, created_from: '2026-01-01', key: 'x' }, exclude_ids: [await world.case()] }
}

/** Good arguments: all that the tool takes, or only what it requires. */
export async function goodArguments(tool: Tool, world: ToolWorld, all: boolean): Promise<Arguments> {
  const { properties = {}, required = [] } = tool.input as Schema
  const args: Arguments = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (schema.readOnly || schema.deprecated || (!all && !required.includes(name))) continue
    const subject = subjectOf(tool, name)
    const id = subject && (await world[subject]())
    args[name] = id === undefined ? sample(schema) : schema.items ? [id] : id
  }
  Object.assign(args, await RULES[tool.name]?.(world, all))
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined))
}

/** Repeatable, and another one each time: names have to be unique. */
let seed = 0
const sample = (schema: Schema) => fc.sample(anyOf(schema), { numRuns: 1, seed: ++seed })[0]

function anyOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum.filter((word) => word !== null))
  switch ([schema.type].flat()[0]) {
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 1000) })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(anyOf(schema.items!), { minLength: schema.minItems ?? 0, maxLength: 3 })
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, each]) => [name, anyOf(each)])),
      )
    default:
      return textOf(schema)
  }
}

function textOf({ format, minLength = 1, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === 'date') return fc.constant('2026-05-04')
  if (format === 'date-time') return fc.constant('2026-05-04T10:00:00Z')
  if (format === 'hh-mm') return fc.constant('09:30')
  if (format === 'email') return fc.emailAddress({ size: 'xsmall' })
  if (format === 'timezone') return fc.constantFrom('America/New_York', 'Pacific/Honolulu')
  const letters = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) })
  return letters.filter(
    (text) => text.trim() !== '' && text.length <= maxLength && !/[\0{]/.test(text) && text.isWellFormed(),
  )
}

/** A value of a type that the schema doesn't take; undefined where it takes any. */
export function wrongValue({ type }: Schema): unknown {
  const types = [type].flat()
  return [5.5, 'x', { x: 1 }, [{ x: 1 }]].find((value) => {
    const is = Array.isArray(value) ? 'array' : typeof value
    return type !== undefined && !types.includes(is)
  })
}
