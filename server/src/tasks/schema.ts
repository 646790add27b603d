import Type from 'typebox'
import type { Detail } from '../core/errors.ts'
import { Choice, Nullable, OptionalArray, OptionalText, type Static, Text } from '../core/fields.ts'
import { RESPONSE_TYPES, type ResponseType, takesChoices } from './answer.ts'

export const taskFields = {
  title: Text(255, 'What is asked or to be done'),
  body: OptionalText(10_000, 'Explanation'),
  response_type: Type.Optional(Choice(RESPONSE_TYPES, 'How it is answered', { default: 'short_text' })),
  choices: OptionalArray(Text(255, 'A choice'), 'For dropdown and multi_select', { minItems: 1, maxItems: 100 }),
}

export interface TaskInput {
  title: string
  body?: string | null
  response_type?: ResponseType
  choices?: string[] | null
}

/** What the schema can't say; `at` is the path of the task in the input. */
export function brokenTask({ response_type = 'short_text', choices }: TaskInput, at = ''): Detail[] {
  const field = `${at}choices`
  if (takesChoices(response_type) && !choices) return [{ field, message: `is required for ${response_type}` }]
  if (!takesChoices(response_type) && choices) return [{ field, message: `must not be given for ${response_type}` }]
  return []
}

const response = Type.Unsafe<ResponseType>({ type: 'string', enum: RESPONSE_TYPES })

/** A task as the form that asks it shows it. */
export const Question = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  body: Nullable<string>('string'),
  response_type: response,
  choices: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
})
export type Question = Static<typeof Question>

const task = {
  id: Type.Integer(),
  title: Type.String(),
  body: Nullable<string>('string'),
  response_type: Type.String(),
}

export const Task = Type.Object({
  ...task,
  todo_count: Type.Integer(),
  completed_count: Type.Integer(),
  overdue_count: Type.Integer(),
  skipped_count: Type.Integer(),
})
export type Task = Static<typeof Task>

/** `overdue` is not kept: it is what an open task past its day is called. */
export const SHOWN_STATUSES = ['todo', 'in_progress', 'overdue', 'completed', 'skipped'] as const

export const CaseTask = Type.Object({
  id: Type.Integer(),
  case_id: Type.Integer(),
  status: Type.Unsafe<(typeof SHOWN_STATUSES)[number]>({ type: 'string', enum: SHOWN_STATUSES }),
  due_on: Nullable<string>('string', undefined, { format: 'date' }),
  answer: Type.Unsafe<unknown>({}),
})
export type CaseTask = Static<typeof CaseTask>

export const TaskWithCases = Type.Object({ ...task, case_tasks: Type.Array(CaseTask) })
export type TaskWithCases = Static<typeof TaskWithCases>
