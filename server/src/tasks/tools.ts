import Type from 'typebox'
import { selectCase } from '../cases/queries.ts'
import { changedFields } from '../core/change.ts'
import { badRequest, notFound, refuseAll } from '../core/errors.ts'
import { Choice, Fields, Id, Nullable } from '../core/fields.ts'
import type { Context } from '../core/operation.ts'
import { Paged, paged, paging, slice } from '../core/paging.ts'
import { tool } from '../core/tool.ts'
import { appendQuestion, selectForm } from '../forms/queries.ts'
import { selectMissingAttachments } from '../notes/queries.ts'
import { brokenAnswer } from './answer.ts'
import {
  insertCaseTasks,
  insertTasks,
  isFormComplete,
  KEPT_STATUSES,
  lockInstance,
  selectAskedTask,
  selectAskedTasks,
  selectCountedTask,
  selectTask,
  selectTasks,
  type TaskRules,
  updateCaseTask,
} from './queries.ts'
import { brokenTask, CaseTask, Task, TaskWithCases, taskFields } from './schema.ts'

export const listTasks = tool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    'Tasks (questions and actions), newest first, with how many cases have them to do, completed, overdue or skipped.',
  readOnly: true,
  input: Fields({ ...paging, key: Type.Optional(Type.String({ description: 'Part of the title' })) }),
  output: Paged('tasks', Task),
  run: async (ctx, args) => paged('tasks', args, await selectTasks(ctx, { ...args, ...slice(args) })),
})

export const getTask = tool({
  name: 'get_task',
  title: 'Get a task',
  description:
    'One task with its case_tasks: what each case was asked, how it stands and the answer (the newest 1,000).',
  readOnly: true,
  untrustedFields: ['case_tasks[].answer'],
  input: Fields({ id: Id('Task id') }),
  output: TaskWithCases,
  run: (ctx, { id }) => selectTask(ctx, id),
})

export const createTask = tool({
  name: 'create_task',
  title: 'Create a task',
  description:
    'Adds a task. With case_id it is put on that case at once (case_task_id in the result); with form_id it becomes the last question of the form.',
  input: Fields({
    ...taskFields,
    form_id: Type.Optional(Id('Form that asks it from now on')),
    case_id: Type.Optional(Id('Case that gets it now')),
    due_on: Type.Optional(Type.String({ format: 'date', description: 'Last day, for the case' })),
  }),
  output: Type.Object({ ...Task.properties, case_task_id: Nullable<number>('integer') }),
  async run(ctx, { form_id, case_id, due_on, ...task }) {
    const orphan = { field: 'due_on', message: 'needs case_id' }
    refuseAll([...brokenTask(task), ...(due_on !== undefined && case_id === undefined ? [orphan] : [])])
    if (case_id !== undefined) await selectCase(ctx, case_id)
    const position = form_id === undefined ? 0 : await appendQuestion(ctx, form_id)
    const [id] = (await insertTasks(ctx, form_id ?? null, [{ ...task, position }])) as [number]
    ctx.record({ activity: 'task_created', record_type: 'task', record_id: id, case_id })
    if (case_id !== undefined) await insertCaseTasks(ctx, [id], case_id, due_on ?? null)
    const [instance] = case_id === undefined ? [] : await selectAskedTasks(ctx, case_id, [id])
    return { ...(await selectCountedTask(ctx, id)), case_task_id: instance?.id ?? null }
  },
})

export const updateCaseTaskTool = tool({
  name: 'update_case_task',
  title: 'Answer or move a task of a case',
  description:
    'Sets status or answer of one case_task (get_task shows the ids). An answer completes the task unless status says otherwise; the last one completes its form.',
  idempotent: true,
  untrustedFields: ['answer'],
  input: Fields({
    id: Id('Id of the case_task, not of the task'),
    status: Type.Optional(Choice(KEPT_STATUSES, 'New status')),
    answer: Type.Optional(
      Type.Unsafe<unknown>({
        type: ['string', 'number', 'boolean', 'array', 'null'],
        items: { type: 'string' },
        description:
          "By response_type: yes_no true or false; number, currency, percentage a number; multi_select an array of choices; file an attachment's ULID; else text (date YYYY-MM-DD, time HH:mm). null clears it",
      }),
    ),
  }),
  output: Type.Object({
    ...CaseTask.properties,
    task_id: Type.Integer(),
    title: Type.String(),
    completed_at: Nullable<Date>('string', undefined, { format: 'date-time' }),
  }),
  async run(ctx, { id, status, answer }) {
    if (status === undefined && answer === undefined) badRequest('give status, answer or both')
    const rules = (await lockInstance(ctx, id)) ?? notFound('case task', id)
    const before = await selectAskedTask(ctx, id)
    if (answer != null) await refuseBadAnswer(ctx, rules, answer)
    const wasOpen = rules.status !== 'completed' && rules.status !== 'skipped'
    await updateCaseTask(ctx, id, status ?? (answer === null ? rules.status : 'completed'), answer)
    const after = await selectAskedTask(ctx, id)
    const changes = changedFields(before, after)
    if (!changes) return after
    const { case_id, task_id, title, answer: given, completed_at } = after
    ctx.record({ activity: 'case_task_updated', record_type: 'case_task', record_id: id, case_id, changes })
    if (after.status === 'completed' && rules.status !== 'completed')
      ctx.record({
        activity: 'task_completed',
        record_type: 'task',
        record_id: task_id,
        case_id,
        data: { id: task_id, case_task_id: id, case_id, title, status: after.status, answer: given, completed_at },
      })
    const { form_id } = rules
    if (form_id !== null && wasOpen && (await isFormComplete(ctx, form_id, case_id)))
      ctx.record({
        activity: 'form_completed',
        record_type: 'form',
        record_id: form_id,
        case_id,
        data: { ...(await selectForm(ctx, form_id)), case_id },
      })
    return after
  },
})

async function refuseBadAnswer(ctx: Context, { response_type, choices }: TaskRules, answer: unknown): Promise<void> {
  const broken = brokenAnswer(response_type, choices, answer)
  if (broken) refuseAll([{ field: 'answer', message: broken }])
  if (response_type === 'file' && (await selectMissingAttachments(ctx, [answer as string])).length > 0)
    refuseAll([{ field: 'answer', message: `no such attachment: ${answer}; create_attachment answers the ULIDs` }])
}
