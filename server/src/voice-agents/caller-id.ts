import { toE164 } from '../core/phone.ts'
import type { PhoneAssignment } from './schema.ts'

/** What an agent says about the numbers it calls from. */
export interface CallerIds {
  phone_number: string | null
  phone_assignments: PhoneAssignment[]
}

/** The number that a call about a case of this type is made from: assigned to the type, else the agent's own, in E.164. */
export function callerId({ phone_number, phone_assignments }: CallerIds, caseTypeId: number): string | null {
  const assigned = phone_assignments.find(
    ({ case_type_id, direction }) => case_type_id === caseTypeId && direction !== 'inbound',
  )
  return toE164(assigned?.phone_number ?? phone_number)
}
