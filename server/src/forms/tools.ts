import Type from 'typebox'
import { isCaseType } from '../case-settings/types.ts'
import { changedFields } from '../core/change.ts'
import { badRequest, type Detail, refuseAll } from '../core/errors.ts'
import { Fields, Id, Nullable } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { dayOf, insertCaseTasks, insertTasks, selectAskedTasks, selectQuestions } from '../tasks/queries.ts'
import { brokenTask, CaseTask, type Question } from '../tasks/schema.ts'
import {
  insertForm,
  type KeptTask,
  raiseVersion,
  retireQuestions,
  selectAskedIds,
  selectForm,
  selectForms,
  selectLockedForm,
  selectTypeOfCase,
  updateForm,
  updateQuestions,
} from './queries.ts'
import { Form, FormWithTasks, formFields, KeptQuestions, NewQuestions } from './schema.ts'

export const listForms = tool({
  name: 'list_forms',
  title: 'List forms',
  description:
    'Forms: sets of questions a case can be asked, newest first. `due_in`: days to answer. `version` grows with every change.',
  readOnly: true,
  input: Fields({ ...paging, key: Type.Optional(Type.String({ description: 'Part of the name' })) }),
  output: Paged('forms', Form),
  run: async (ctx, args) => paged('forms', args, await selectForms(ctx, { ...args, ...slice(args) })),
})

export const getForm = tool({
  name: 'get_form',
  title: 'Get a form',
  description: 'One form with the tasks (questions) it asks now, in their order.',
  readOnly: true,
  input: Fields({ id: Id('Form id') }),
  output: FormWithTasks,
  run: (ctx, { id }) => formWithTasks(ctx, id),
})

export const createForm = tool({
  name: 'create_form',
  title: 'Create a form',
  description: 'Creates a form with its questions. Put it on a case with assign_form or name it in create_campaign.',
  input: Fields({ ...formFields, tasks: Type.Optional(NewQuestions) }),
  output: FormWithTasks,
  async run(ctx, { tasks = [], ...form }) {
    const broken = tasks.flatMap((task, index) => brokenTask(task, `tasks[${index}].`))
    refuseAll([...(await brokenType(ctx, form.case_type_id)), ...broken])
    const id = await insertForm(ctx, form)
    if (tasks.length > 0) {
      const placed = tasks.map((task, position) => ({ ...task, position }))
      await insertTasks(ctx, id, placed)
    }
    ctx.record({ activity: 'form_created', record_type: 'form', record_id: id })
    return formWithTasks(ctx, id)
  },
})

export const updateFormTool = tool({
  name: 'update_form',
  title: 'Update a form',
  description:
    'Changes only the given fields and raises the version. Cases that were asked before keep their questions and answers.',
  input: Fields({
    id: Id('Form id'),
    ...formFields,
    name: Type.Optional(formFields.name),
    tasks: Type.Optional(KeptQuestions),
  }),
  output: FormWithTasks,
  async run(ctx, { id, tasks, ...given }) {
    await selectLockedForm(ctx, id, 'update')
    const before = await formWithTasks(ctx, id)
    const broken = tasks ? await brokenQuestions(ctx, tasks, before.tasks) : []
    refuseAll([...(await brokenType(ctx, given.case_type_id)), ...broken])
    await updateForm(ctx, id, given)
    if (tasks) await replaceQuestions(ctx, id, tasks, before.tasks)
    const changes = changedFields(before, await formWithTasks(ctx, id))
    if (!changes) return before
    await raiseVersion(ctx, id)
    ctx.record({ activity: 'form_updated', record_type: 'form', record_id: id, changes })
    return formWithTasks(ctx, id)
  },
})

export const assignForm = tool({
  name: 'assign_form',
  title: 'Put a form on a case',
  description:
    'Asks a case every question of the form. What it has open already is not asked twice. Answer with update_case_task.',
  idempotent: true,
  untrustedFields: ['case_tasks[].answer'],
  input: Fields({ form_id: Id('Form id'), case_id: Id('Case id') }),
  output: Type.Object({
    form_id: Type.Integer(),
    case_id: Type.Integer(),
    version: Type.Integer(),
    due_on: Nullable<string>('string', undefined, { format: 'date' }),
    case_tasks: Type.Array(Type.Object({ ...CaseTask.properties, task_id: Type.Integer(), title: Type.String() })),
  }),
  async run(ctx, { form_id, case_id }) {
    const form = await selectLockedForm(ctx, form_id, 'share')
    const type = await selectTypeOfCase(ctx, case_id)
    if (form.case_type_id !== null && form.case_type_id !== type.id) {
      const message = `form '${form.name}' is for cases of type ${form.case_type_id}; case ${case_id} is of type ${type.id} (${type.name})`
      refuseAll([{ field: 'case_id', message }])
    }
    const questions = await selectQuestions(ctx, form_id)
    if (questions.length === 0) badRequest(`form ${form_id} asks nothing yet; add tasks with update_form`)
    const ids = questions.map(({ id }) => id)
    const due_on = form.due_in === null ? null : dayOf(new Date(ctx.clock.now().getTime() + form.due_in * DAY_MS))
    await insertCaseTasks(ctx, ids, case_id, due_on)
    ctx.record({ activity: 'form_assigned', record_type: 'form', record_id: form_id, case_id })
    return { form_id, case_id, version: form.version, due_on, case_tasks: await selectAskedTasks(ctx, case_id, ids) }
  },
})

const DAY_MS = 86_400_000

async function formWithTasks(ctx: Context, id: number) {
  return { ...(await selectForm(ctx, id)), tasks: await selectQuestions(ctx, id) }
}

async function brokenType(ctx: Context, id: number | null | undefined): Promise<Detail[]> {
  if (id == null || (await isCaseType(ctx, id))) return []
  return [{ field: 'case_type_id', message: `no such case type: ${id}; list_case_types shows the ids` }]
}

/** Of the questions that replace `asked`. */
async function brokenQuestions(ctx: Context, tasks: KeptQuestions, asked: Question[]): Promise<Detail[]> {
  const byId = new Map(asked.map((question) => [question.id, question]))
  const answered = new Set(await selectAskedIds(ctx, [...byId.keys()]))
  const seen = new Set<number>()
  return tasks.flatMap((task, index) => {
    const at = `tasks[${index}].`
    const { id, response_type = 'short_text' } = task
    const details = brokenTask(task, at)
    if (id === undefined) return details
    const known = byId.get(id)
    if (!known || seen.has(id))
      details.push({ field: `${at}id`, message: known ? `${id} is named twice` : `the form asks no task ${id}` })
    else if (known.response_type !== response_type && answered.has(id))
      details.push({
        field: `${at}response_type`,
        message: `cases were asked for ${known.response_type}; leave out the id to ask a new question instead`,
      })
    seen.add(id)
    return details
  })
}

async function replaceQuestions(ctx: Context, formId: number, tasks: KeptQuestions, asked: Question[]): Promise<void> {
  const placed = tasks.map((task, position) => ({ ...task, position }))
  const kept = placed.filter((task): task is KeptTask => task.id !== undefined)
  const fresh = placed.filter(({ id }) => id === undefined)
  const keptIds = new Set(kept.map(({ id }) => id))
  const dropped = asked.filter(({ id }) => !keptIds.has(id)).map(({ id }) => id)
  if (kept.length > 0) await updateQuestions(ctx, kept)
  if (fresh.length > 0) await insertTasks(ctx, formId, fresh)
  if (dropped.length > 0) await retireQuestions(ctx, dropped)
}
