import type { Detail } from '../core/errors.ts'
import { toE164 } from '../core/phone.ts'
import { nearest } from '../core/validate.ts'
import { brokenTemplate } from '../messages/template.ts'
import type { Agent, PatchAgent, PhoneAssignment, PostCallField } from './schema.ts'
import { VOICE_IDS } from './voices.ts'

type Given = Partial<Omit<PatchAgent, 'agent_id'>>

export interface Facts {
  /** Asked-for case types that don't exist. */
  missingCaseTypes: Set<number>
}

/** Every rule that the schema can't say: `given` is what the caller sent, `result` the record it leads to. */
export function brokenRules(given: Given, result: Omit<Agent, 'id'>, { missingCaseTypes }: Facts): Detail[] {
  return [
    ...voiceRule(given.voice_id),
    ...template('greeting', given.greeting),
    ...template('task', given.task),
    ...fieldRules(given.post_call_fields ?? []),
    ...numberRule('transfer_number', given.transfer_number),
    ...numberRule('phone_number', given.phone_number),
    ...assignmentRules(given.phone_assignments ?? [], missingCaseTypes),
    ...template('voicemail_message', given.voicemail_message),
    ...transferRule(result),
    ...voicemailRule(result),
  ]
}

function voiceRule(voiceId: string | undefined): Detail[] {
  if (voiceId === undefined || VOICE_IDS.includes(voiceId)) return []
  const near = nearest(voiceId, VOICE_IDS)
  const hint = near ? `did you mean '${near}'?` : `the voices are ${VOICE_IDS.join(', ')}`
  return [{ field: 'voice_id', message: `no such voice: '${voiceId}'; ${hint}` }]
}

function fieldRules(fields: PostCallField[]): Detail[] {
  const names = new Set<string>()
  return fields.flatMap(({ name, type, description, choices }, index) => {
    const at = `post_call_fields[${index}]`
    const details = template(`${at}.description`, description)
    const key = name.trim().toLowerCase()
    if (names.has(key)) details.push({ field: `${at}.name`, message: `'${name}' names an earlier field` })
    names.add(key)
    const some = Boolean(choices?.length)
    if (type === 'selector' && !some) details.push({ field: `${at}.choices`, message: 'is required for a selector' })
    if (type !== 'selector' && some)
      details.push({ field: `${at}.choices`, message: 'must be left out: only a selector has choices' })
    return details
  })
}

function numberRule(field: string, number: string | null | undefined): Detail[] {
  if (number == null || toE164(number)) return []
  return [{ field, message: 'must be a phone number that can be dialled, such as +1 212-555-0100' }]
}

function assignmentRules(assignments: PhoneAssignment[], missingCaseTypes: Set<number>): Detail[] {
  return assignments.flatMap(({ phone_number, case_type_id }, index) => {
    const at = `phone_assignments[${index}]`
    const details = numberRule(`${at}.phone_number`, phone_number)
    if (missingCaseTypes.has(case_type_id))
      details.push({ field: `${at}.case_type_id`, message: `no such case type: ${case_type_id}` })
    return details
  })
}

function transferRule({ is_transfer_enabled, transfer_number }: Omit<Agent, 'id'>): Detail[] {
  if (!is_transfer_enabled || transfer_number) return []
  return [{ field: 'transfer_number', message: 'is required while is_transfer_enabled is true' }]
}

function voicemailRule({ voicemail_action, voicemail_message }: Omit<Agent, 'id'>): Detail[] {
  if (voicemail_action === 'hangup' || voicemail_message) return []
  return [{ field: 'voicemail_message', message: 'is required while voicemail_action is message' }]
}

const template = (field: string, text: string | null | undefined): Detail[] => (text ? brokenTemplate(field, text) : [])
