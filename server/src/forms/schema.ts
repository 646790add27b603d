import Type from 'typebox'
import { Fields, Id, Nullable, OptionalId, OptionalInteger, OptionalText, type Static, Text } from '../core/fields.ts'
import { Question, taskFields } from '../tasks/schema.ts'

export const formFields = {
  name: Text(255, 'Name'),
  description: OptionalText(10_000, 'Description'),
  due_in: OptionalInteger('Days a case has to answer', { minimum: 0, maximum: 3650 }),
  case_type_id: OptionalId('Only for cases of this type'),
}

export const NewQuestions = Type.Array(Fields(taskFields), { maxItems: 200, description: 'Questions, in order' })

export const KeptQuestions = Type.Array(Fields({ id: Type.Optional(Id('Id of a question to keep')), ...taskFields }), {
  maxItems: 200,
  description: 'All questions from now on, in order; those left out are asked no more',
})
export type KeptQuestions = Static<typeof KeptQuestions>

export const Form = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Nullable<string>('string'),
  due_in: Nullable<number>('integer'),
  case_type_id: Nullable<number>('integer'),
  version: Type.Integer(),
})
export type Form = Static<typeof Form>

export const FormWithTasks = Type.Object({ ...Form.properties, tasks: Type.Array(Question) })
