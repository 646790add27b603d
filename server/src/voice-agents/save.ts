import { refuseAll } from '../core/errors.ts'
import type { Context } from '../core/operation.ts'
import { insertAgent, selectMissingCaseTypes } from './queries.ts'
import { brokenRules } from './rules.ts'
import type { Agent, CreateAgent, PatchAgent } from './schema.ts'

type Kept = Omit<Agent, 'id'>
type Given = Partial<Omit<PatchAgent, 'agent_id'>>

const blankAgent: Kept = {
  name: '',
  voice_id: '',
  greeting: '',
  task: '',
  post_call_fields: [],
  transfer_number: null,
  is_transfer_enabled: false,
  is_appointment_booking_enabled: false,
  phone_number: null,
  phone_assignments: [],
  voicemail_action: 'hangup',
  voicemail_message: null,
  transfer_mode: 'cold',
}

/** The record after what was given: null takes an optional field back to its default. */
export function applied(before: Kept, given: Given): Kept {
  const fields = (Object.keys(blankAgent) as (keyof Kept)[]).map((field) => [
    field,
    given[field] === undefined ? before[field] : (given[field] ?? blankAgent[field]),
  ])
  return Object.fromEntries(fields) as Kept
}

export async function check(ctx: Context, given: Given, result: Kept): Promise<void> {
  const caseTypeIds = (given.phone_assignments ?? []).map(({ case_type_id }) => case_type_id)
  refuseAll(brokenRules(given, result, { missingCaseTypes: await selectMissingCaseTypes(ctx, caseTypeIds) }))
}

export async function saveNewAgent(ctx: Context, input: CreateAgent): Promise<Agent & { created_at: Date }> {
  const agent = applied(blankAgent, input)
  await check(ctx, input, agent)
  const saved = await insertAgent(ctx, agent)
  ctx.record({ activity: 'agent_created', record_type: 'agent', record_id: saved.id })
  return saved
}
