import type { Detail } from '../core/errors.ts'
import type { Slot } from './schema.ts'

/** Nobody is called or written to outside of these hours, in the contact's local time. `HH:mm` compares as text. */
export const EARLIEST = '08:00'
export const LATEST = '21:00'

/** A time that must lie within the legal window, both ends included. */
export function timeRule(field: string, time: string | null | undefined): Detail[] {
  if (time == null || (time >= EARLIEST && time <= LATEST)) return []
  return [{ field, message: `must lie within ${EARLIEST} to ${LATEST}` }]
}

/** Both ends within the window and in order; an end that is missing is no matter of this rule. */
export function spanRules(at: string, { start_time, end_time }: { [End in keyof Slot]?: string | null }): Detail[] {
  const prefix = at ? `${at}.` : ''
  const details = [...timeRule(`${prefix}start_time`, start_time), ...timeRule(`${prefix}end_time`, end_time)]
  if (start_time && end_time && end_time <= start_time)
    details.push({ field: `${prefix}end_time`, message: `must be after start_time (${start_time})` })
  return details
}

/** Slots may touch and come in any order. */
export function slotRules(field: string, slots: Slot[]): Detail[] {
  return slots.flatMap((slot, index) => {
    const details = spanRules(`${field}[${index}]`, slot)
    const other = slots.findIndex((earlier, before) => before < index && overlap(earlier, slot))
    if (other >= 0) {
      const { start_time, end_time } = slots[other]!
      details.push({
        field: `${field}[${index}]`,
        message: `overlaps ${field}[${other}] (${start_time} to ${end_time})`,
      })
    }
    return details
  })
}

const overlap = (a: Slot, b: Slot): boolean => a.start_time < b.end_time && b.start_time < a.end_time
