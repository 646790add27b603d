import Type from 'typebox'
import { Fields } from '../core/fields.ts'
import { checker } from '../core/validate.ts'

/** How a task is answered, and what its answer must look like. */
const ANSWERS = {
  short_text: Type.String({ minLength: 1, maxLength: 255 }),
  long_text: Type.String({ minLength: 1, maxLength: 100_000 }),
  number: Type.Number(),
  currency: Type.Number(),
  percentage: Type.Number({ minimum: 0, maximum: 100 }),
  date: Type.String({ format: 'date' }),
  date_time: Type.String({ format: 'date-time' }),
  time: Type.String({ format: 'hh-mm' }),
  yes_no: Type.Boolean(),
  dropdown: Type.String(),
  multi_select: Type.Array(Type.String(), { minItems: 1, uniqueItems: true }),
  /** The ULID of an attachment. */
  file: Type.String({ minLength: 26, maxLength: 26 }),
  signature: Type.String({ minLength: 1, maxLength: 255 }),
  email: Type.String({ format: 'email' }),
  phone: Type.String({ minLength: 1, maxLength: 255 }),
  address: Type.String({ minLength: 1, maxLength: 1000 }),
}

export type ResponseType = keyof typeof ANSWERS

export const RESPONSE_TYPES = Object.keys(ANSWERS) as ResponseType[]

export const takesChoices = (type: ResponseType) => type === 'dropdown' || type === 'multi_select'

const checkers = Object.fromEntries(
  Object.entries(ANSWERS).map(([type, schema]) => [type, checker(Fields({ answer: schema }))]),
)

/** What is wrong with an answer to a task of the given type. */
export function brokenAnswer(type: ResponseType, choices: string[] | null, answer: unknown): string | undefined {
  const [broken] = checkers[type]!.check({ answer })
  if (broken) return `${broken.message} (the task is answered by ${type})`
  const strange = takesChoices(type) ? [answer].flat().filter((each) => !choices!.includes(each as string)) : []
  return strange.length > 0
    ? `no such choice: ${strange.join(', ')}; the choices are ${choices!.join(', ')}`
    : undefined
}
